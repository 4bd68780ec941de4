// The same in C++: templates of cuda_runtime.h, events, a captured graph, host functions, occupancy. Compiles with NVIDIA's headers as it is.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t err, const char *what)
{
    if (err != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(err) + ": " + cudaGetErrorString(err));
}
#define CHECK(call) check((call), #call)

static void expect(bool so, const char *what)
{
    if (!so)
        throw std::runtime_error(std::string("not so: ") + what);
}
#define EXPECT(that) expect((that), #that)

namespace {

template <class T> class Buffer {
  public:
    explicit Buffer(const std::vector<T> &from) : size_(from.size())
    {
        CHECK(cudaMalloc(&memory_, size_ * sizeof(T)));
        CHECK(cudaMemcpy(memory_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer()
    {
        cudaFree(memory_);
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    T *get() const
    {
        return memory_;
    }
    std::vector<T> read() const
    {
        std::vector<T> out(size_);
        CHECK(cudaMemcpy(out.data(), memory_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return out;
    }

  private:
    T *memory_ = nullptr;
    size_t size_;
};

void count_up(void *user)
{
    ++*static_cast<std::atomic<int> *>(user);
}

void launches(cudaKernel_t saxpy, cudaStream_t stream)
{
    int n = 1000;
    Buffer<float> x(std::vector<float>(n, 2)), y(std::vector<float>(n, 1));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute priority[1] = {};
    std::atomic<int> called{ 0 };
    cudaEvent_t begin, end;
    float ms = -1;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end, cudaEventDefault));
    CHECK(cudaEventRecord(begin, stream));
    config.gridDim = dim3((n + 127) / 128);
    config.blockDim = 128;
    config.stream = stream;
    priority[0].id = cudaLaunchAttributePriority;
    priority[0].val.priority = 0;
    config.attrs = priority;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, saxpy, n, 3.0f, static_cast<const float *>(x.get()), y.get()));
    CHECK(cudaLaunchHostFunc(stream, count_up, &called));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms >= 0 && called == 1);
    for (float v : y.read())
        EXPECT(v == 7);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

void graph(cudaKernel_t saxpy, cudaStream_t stream)
{
    int n = 1000;
    float a = 1;
    Buffer<float> x(std::vector<float>(n, 1)), y(std::vector<float>(n, 0));
    float *dx = x.get(), *dy = y.get();
    void *args[] = { &n, &a, &dx, &dy };
    cudaStreamCaptureStatus status;
    cudaGraph_t captured;
    cudaGraphExec_t exec;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchKernel(saxpy, dim3(8), dim3(128), args, 0, stream));
    CHECK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&exec, captured, 0));
    for (int i = 0; i < 5; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (float v : y.read())
        EXPECT(v == 5);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(captured));
}

void questions(cudaKernel_t saxpy)
{
    cudaFuncAttributes attributes;
    int blocks = 0, grid = 0, block = 0;

    CHECK(cudaFuncGetAttributes(&attributes, saxpy));
    EXPECT(attributes.maxThreadsPerBlock >= 128);
    CHECK(cudaKernelSetAttributeForDevice(saxpy, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 128, 0));
    EXPECT(blocks > 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy));
    EXPECT(grid > 0 && block > 0);
}

} // namespace

int main(int argc, char **argv)
try {
    cudaError_t (*allocate)(void **, size_t) = cudaMalloc; // taken, among its overloads
    cudaLibrary_t library;
    cudaKernel_t saxpy;
    cudaStream_t stream;
    int devices;

    EXPECT(argc == 2 && allocate);
    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return std::puts("no device"), 77;
    CHECK(cudaFree(nullptr));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaLibraryLoadFromFile(&library, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&saxpy, library, "saxpy"));
    launches(saxpy, stream);
    graph(saxpy, stream);
    questions(saxpy);
    CHECK(cudaLibraryUnload(library));
    CHECK(cudaStreamDestroy(stream));
    return 0;
} catch (const std::exception &e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
