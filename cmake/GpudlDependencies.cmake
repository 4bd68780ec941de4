# What is linked. docs/DEPENDENCIES.md says why each is there; `make deps` installs them.
find_package(Threads REQUIRED)
find_library(LZ4_LIBRARY lz4 REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_path(LZ4_INCLUDE lz4.h REQUIRED)
find_path(ZSTD_INCLUDE zstd.h REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
if(BUILD_TESTING)
    find_library(CMOCKA_LIBRARY cmocka REQUIRED)
endif()
if(GPUDL_SOFTCUDA)
    find_program(LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
    find_library(Z_LIBRARY z REQUIRED)      # the static LLVM asks for it
endif()
find_program(NVCC nvcc HINTS /usr/local/cuda/bin "$ENV{CUDA_HOME}/bin")    # optional: compiles the examples' kernels anew
