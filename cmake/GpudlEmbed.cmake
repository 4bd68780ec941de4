# gpudl_embed(TARGET SYMBOL FILE): FILE, an image, in TARGET; programs say GPUDL_EMBEDDED_DECLARE(SYMBOL) and GPUDL_EMBEDDED(SYMBOL), see
# <gpudl/embed.h>. FILE may be made by the build; TARGET is built anew when it changes.
function(gpudl_embed target symbol file)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.${symbol}.embed.c")
    string(REPLACE "\\" "\\\\" path "${file}")
    string(REPLACE "\"" "\\\"" path "${path}")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <gpudl/embed.h>\n\nGPUDL_EMBED(${symbol}, \"${path}\");\n" @ONLY)
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
    target_sources(${target} PRIVATE "${source}")
endfunction()
