# make gpu-bundle: build/gpu-bundle/, a folder with the tests, benches and libraries that a machine with a GPU and nothing else can run.
set(bundled gpudl_command gpudl_trial gpudl_nvrtc gpudl)
get_property(bench_targets DIRECTORY "${PROJECT_SOURCE_DIR}/bench" PROPERTY BUILDSYSTEM_TARGETS)
get_property(experiment_targets DIRECTORY "${PROJECT_SOURCE_DIR}/bench/driver" PROPERTY BUILDSYSTEM_TARGETS)
get_property(example_targets DIRECTORY "${PROJECT_SOURCE_DIR}/examples" PROPERTY BUILDSYSTEM_TARGETS)
foreach(target ${bench_targets} ${experiment_targets} ${example_targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
        list(APPEND bundled ${target})
    endif()
endforeach()
if(GPUDL_SOFTCUDA)
    list(APPEND bundled softcuda)
endif()

add_custom_target(gpu-bundle
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${CMAKE_BINARY_DIR}" "-DCTEST=${CMAKE_CTEST_COMMAND}"
        "-DSTRIP=${CMAKE_STRIP}" -P "${PROJECT_SOURCE_DIR}/cmake/pack-bundle.cmake"
    DEPENDS ${bundled} USES_TERMINAL VERBATIM)
