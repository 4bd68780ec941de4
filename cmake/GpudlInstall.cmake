# make install: header, libraries, softcuda (also as libcuda.so.1 in a folder of its own), the command, manual pages, and what pkg-config and
# CMake need to find them. The tree may be moved afterwards.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/gpudl" TYPE INCLUDE FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")

foreach(library gpudl gpudl_static)
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(gpudl PROPERTIES INTERFACE_LINK_LIBRARIES "")
set(sodium)
set(nvrtc)
if(GPUDL_FEATURES STREQUAL "full")
    set(sodium sodium)
    set(nvrtc gpudl_nvrtc)
endif()
set_target_properties(gpudl_static PROPERTIES INTERFACE_LINK_LIBRARIES "lz4;zstd;${sodium};Threads::Threads;${CMAKE_DL_LIBS}")
list(TRANSFORM sodium PREPEND " -l")
install(TARGETS gpudl gpudl_static gpudl_command gpudl_trial ${nvrtc} EXPORT gpudl-targets)

if(GPUDL_SOFTCUDA)
    install(TARGETS softcuda)
    install(TARGETS softcuda_filter LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/softcuda")
endif()

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gpudl")
install(EXPORT gpudl-targets NAMESPACE gpudl:: DESTINATION "${package}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/gpudl-config-version.cmake" COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/gpudl-config.cmake.in" "${CMAKE_BINARY_DIR}/gpudl-config.cmake" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/gpudl-config.cmake" "${CMAKE_BINARY_DIR}/gpudl-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/GpudlEmbed.cmake" DESTINATION "${package}")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}" OUTPUT_VARIABLE include_from_lib)
configure_file("${PROJECT_SOURCE_DIR}/cmake/gpudl.pc.in" "${CMAKE_BINARY_DIR}/gpudl.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/gpudl.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
