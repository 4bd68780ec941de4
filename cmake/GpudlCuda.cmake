# gpudl_cuda_image(OUTPUT SOURCE SHIPPED): a fatbin from a .cu file. nvcc makes it where there is one that can; else the shipped image,
# which came from the same source, takes its place. DEPENDS on OUTPUT to have it made.
function(gpudl_cuda_image output source shipped)
    cmake_path(GET output PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    set(script "${PROJECT_SOURCE_DIR}/cmake/cuda-image.sh")
    set(nvcc "${NVCC}")
    if(NOT NVCC)
        set(nvcc none)
    endif()
    add_custom_command(OUTPUT "${output}"
        COMMAND "${script}" "${nvcc}" "${source}" "${shipped}" "${output}"
        DEPENDS "${source}" "${shipped}" "${script}"
        COMMENT "Image ${output}" VERBATIM)
endfunction()
