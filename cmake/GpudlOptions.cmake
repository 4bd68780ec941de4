# Options of the build, and what holds for every target.
option(BUILD_TESTING "Build the tests" ON)
option(GPUDL_SOFTCUDA "Build softcuda, the software CUDA device (needs LLVM 19)" ON)
set(GPUDL_FEATURES full CACHE STRING "What libgpudl is built with: full, or basic (no compilers, linkers, trust, cache, watches, trials)")
set_property(CACHE GPUDL_FEATURES PROPERTY STRINGS full basic)
if(NOT GPUDL_FEATURES MATCHES "^(full|basic)$")
    message(FATAL_ERROR "GPUDL_FEATURES is '${GPUDL_FEATURES}': give full or basic")
endif()
option(GPUDL_WERROR "Treat warnings as errors" ON)
set(GPUDL_SANITIZE "" CACHE STRING "Sanitizers for everything: empty, address, thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# What links LLVM needs memory: two at a time.
set_property(GLOBAL PROPERTY JOB_POOLS link=2)
set(CMAKE_JOB_POOL_LINK link)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# A built program finds its libraries beside itself, wherever the folder is moved to.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_BUILD_RPATH "$ORIGIN;$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

add_compile_definitions(_GNU_SOURCE)
add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")    # __FILE__ says where in the tree, not where the tree is
add_compile_options(-Wall -Wextra -Wshadow -Wpointer-arith -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(GPUDL_WERROR)
    add_compile_options(-Werror $<$<C_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)     # gcc only guesses at that one
endif()
include_directories("${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include")

if(GPUDL_SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
elseif(GPUDL_SANITIZE STREQUAL "thread")
    add_compile_options(-fsanitize=thread)
    add_link_options(-fsanitize=thread)
elseif(NOT GPUDL_SANITIZE STREQUAL "")
    message(FATAL_ERROR "GPUDL_SANITIZE is '${GPUDL_SANITIZE}': give address, thread or nothing")
endif()
