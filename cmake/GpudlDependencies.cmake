# What is linked. docs/DEPENDENCIES.md says why each is there; `make deps` installs them.
find_package(Threads REQUIRED)
find_library(LZ4_LIBRARY lz4 REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_path(LZ4_INCLUDE lz4.h REQUIRED)
find_path(ZSTD_INCLUDE zstd.h REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
if(GPUDL_FEATURES STREQUAL "full" OR GPUDL_SOFTCUDA)
    find_path(SODIUM_INCLUDE sodium.h REQUIRED)
    find_library(SODIUM_LIBRARY NAMES libsodium.a sodium REQUIRED)      # the static one: 200 KB that need not be there at run time
    find_library(Z_LIBRARY z REQUIRED)      # the static LLVM asks for it, and an example
endif()
if(BUILD_TESTING)
    find_library(CMOCKA_LIBRARY cmocka REQUIRED)
endif()
if(GPUDL_SOFTCUDA)
    find_program(LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
endif()
find_program(NVCC nvcc HINTS /usr/local/cuda/bin "$ENV{CUDA_HOME}/bin")    # optional: compiles the examples' kernels anew
