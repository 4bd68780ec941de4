// From source text to a launch with NVRTC's names: templates by name expressions, a header in memory, an error in the log. Compiles with NVIDIA's
// headers as it is.
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

static void check(bool so, const std::string &what)
{
    if (!so)
        throw std::runtime_error(what);
}
#define CUDA(call) \
    do { \
        cudaError_t e = (call); \
        check(e == cudaSuccess, std::string(#call ": ") + cudaGetErrorName(e)); \
    } while (0)
#define RTC(call) \
    do { \
        nvrtcResult r = (call); \
        check(r == NVRTC_SUCCESS, std::string(#call ": ") + nvrtcGetErrorString(r)); \
    } while (0)

static const char *const source = "#include \"factor.h\"\n"
                                  "template <class T, int N> __global__ void scale(T *p) { p[threadIdx.x] *= N * FACTOR; }\n";
static const char *const header = "#define FACTOR 10\n";

static std::string log_of(nvrtcProgram program)
{
    size_t size = 0;

    RTC(nvrtcGetProgramLogSize(program, &size));
    std::vector<char> log(size);
    RTC(nvrtcGetProgramLog(program, log.data()));
    check(strlen(log.data()) + 1 == size, "the log's size counts its NUL");
    return log.data();
}

static void broken()
{
    const char *none[] = { "--gpu-architecture", nullptr };
    nvrtcProgram program;

    RTC(nvrtcCreateProgram(&program, "__global__ void k() { nonsense; }", "broken.cu", 0, nullptr, nullptr));
    check(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION, "what does not compile is told");
    check(nvrtcCompileProgram(program, 2, none) == NVRTC_ERROR_INVALID_INPUT, "an option that is NULL is told");
    check(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION, "it does not compile a second time either");
    check(log_of(program).find("nonsense") != std::string::npos, "the log has the compiler's words");
    RTC(nvrtcDestroyProgram(&program));
    check(!program, "a destroyed program is NULL");
}

int main()
try {
    const char *options[] = { "--std=c++17" }, *name = nullptr, *include_name = "factor.h";
    nvrtcProgram program;
    size_t size = 0;
    int devices, values[32], *memory;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    void *args[] = { &memory };

    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return std::puts("no device"), 77;
    RTC(nvrtcCreateProgram(&program, source, "scale.cu", 1, &header, &include_name));
    RTC(nvrtcAddNameExpression(program, "scale<int, 2>"));
    switch (nvrtcCompileProgram(program, 1, options)) {
    case NVRTC_SUCCESS:
        break;
    case NVRTC_ERROR_INTERNAL_ERROR:
        return std::printf("no compiler: %s\n", log_of(program).c_str()), 77;
    default:
        check(false, "it compiles: " + log_of(program));
    }
    check(nvrtcAddNameExpression(program, "scale<int, 3>") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
        "names come before the compilation");
    RTC(nvrtcGetLoweredName(program, "scale<int, 2>", &name));
    RTC(nvrtcGetPTXSize(program, &size));
    std::string ptx(size, 0);
    RTC(nvrtcGetPTX(program, &ptx[0]));
    check(strlen(ptx.c_str()) + 1 == size, "the size of PTX counts its NUL");

    for (int i = 0; i < 32; i++)
        values[i] = i;
    CUDA(cudaMalloc(&memory, sizeof(values)));
    CUDA(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyHostToDevice));
    CUDA(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaLibraryGetKernel(&kernel, library, name));
    CUDA(cudaLaunchKernel(kernel, dim3(1), dim3(32), args));
    CUDA(cudaMemcpy(values, memory, sizeof(values), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        check(values[i] == 20 * i, "scaled by 2 * FACTOR");
    RTC(nvrtcDestroyProgram(&program));
    CUDA(cudaLibraryUnload(library));
    CUDA(cudaFree(memory));
    broken();
    return 0;
} catch (const std::exception &e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
