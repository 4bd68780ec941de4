# Packs BUILD/gpu-bundle and an archive of it (make gpu-bundle): programs, data beside them, libraries with what they need but glibc, and the tests, all found
# from wherever the folder lies. There: `ctest -L gpu`, or ./run.sh where there is no ctest.
#
# A program that holds an LLVM of its own or needs NVRTC, or a test that works on the source tree, stays behind and is named.
cmake_minimum_required(VERSION 3.25)
set(bundle "${BUILD}/gpu-bundle")
set(program_limit 8000000)      # bytes, stripped: more is an LLVM
set(archive_limit 60000000)     # bytes: what travels is the archive
file(REMOVE_RECURSE "${bundle}")
file(MAKE_DIRECTORY "${bundle}/bin" "${bundle}/lib/softcuda")

# ------------------------------------------------------------------------------------------------------------------ programs and data
file(GLOB built "${BUILD}/bin/*")
foreach(path ${built})
    cmake_path(GET path FILENAME name)
    if(IS_DIRECTORY "${path}")
        file(COPY "${path}" DESTINATION "${bundle}/bin")
        continue()
    endif()
    execute_process(COMMAND "${STRIP}" -o "${bundle}/bin/${name}" "${path}" RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)      # no program: a script, or data
        file(COPY "${path}" DESTINATION "${bundle}/bin")
        continue()
    endif()
    file(SIZE "${bundle}/bin/${name}" size)
    file(STRINGS "${bundle}/bin/${name}" llvm REGEX "^(libLLVM[-.]|libnvrtc[.])")
    if(llvm OR size GREATER program_limit)
        message(STATUS "left out: ${name} (it needs or holds a compiler of its own)")
        file(REMOVE "${bundle}/bin/${name}")
    else()
        list(APPEND programs "${bundle}/bin/${name}")
        file(STRINGS "${bundle}/bin/${name}" paths REGEX "${BUILD}|${SOURCE}")
        if(paths)
            message(WARNING "${name} holds a path of this machine: ${paths}")
        endif()
    endif()
endforeach()
if(IS_DIRECTORY "${BUILD}/share")
    file(COPY "${BUILD}/share" DESTINATION "${bundle}")
endif()

# ---------------------------------------------------------------------------------------------------------------------------- libraries
function(take_library path name)
    file(REAL_PATH "${path}" real)
    execute_process(COMMAND "${STRIP}" --strip-unneeded -o "${bundle}/lib/${name}" "${real}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB built "${BUILD}/lib/*.so" "${BUILD}/lib/*.so.[0-9]")
foreach(path ${built})
    cmake_path(GET path FILENAME name)
    take_library("${path}" "${name}")
    list(APPEND libraries "${bundle}/lib/${name}")
endforeach()
file(REMOVE "${bundle}/lib/libgpudl.so")    # libgpudl.so.0 is what programs ask for
list(REMOVE_ITEM libraries "${bundle}/lib/libgpudl.so")
if(EXISTS "${bundle}/lib/libsoftcuda.so")
    take_library("${BUILD}/lib/softcuda/libcuda.so.1" softcuda/libcuda.so.1)
endif()
# glibc and the driver are the machine's own, everything else comes along.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${libraries} RESOLVED_DEPENDENCIES_VAR needed
    PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|mvec)\\.so" "^ld-linux" "^libcuda\\.so" POST_EXCLUDE_REGEXES "^${bundle}/")
foreach(path ${needed})
    cmake_path(GET path FILENAME name)
    take_library("${path}" "${name}")
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/pack-tests.cmake")

# ------------------------------------------------------------------------------------------------------------------------------ archive
cmake_path(GET bundle PARENT_PATH beside)
set(archive "${bundle}.tar.gz")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar czf "${archive}" gpu-bundle WORKING_DIRECTORY "${beside}" COMMAND_ERROR_IS_FATAL ANY)
file(SIZE "${archive}" total)
math(EXPR megabytes "(${total} + 999999) / 1000000")
message(STATUS "${archive}: ${npacked} of ${ntests} tests, ${megabytes} MB")
if(total GREATER archive_limit)
    message(FATAL_ERROR "the archive is larger than ${archive_limit} bytes")
endif()
