/* 02 in C++: y = 2 * x + y by a kernel out of a file. */
#include <gpudl/gpudl.hpp>

#include <cstdio>
#include <vector>

int main()
try {
    const int n = 1024;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> x(n), y(n, 1);
    for (int i = 0; i < n; i++)
        x[i] = static_cast<float>(i);

    gpudl::loader loader; /* the process's own: NVIDIA's driver, or softcuda */
    loader.use_device();
    const gpudl_driver_table &cu = loader.driver();
    CUdeviceptr dx, dy;
    gpudl::cuda(cu.MemAlloc(&dx, bytes), "cuMemAlloc");
    gpudl::cuda(cu.MemAlloc(&dy, bytes), "cuMemAlloc");
    gpudl::cuda(cu.MemcpyHtoD(dx, x.data(), bytes), "cuMemcpyHtoD");
    gpudl::cuda(cu.MemcpyHtoD(dy, y.data(), bytes), "cuMemcpyHtoD");

    auto library = gpudl::library::load(gpudl::file("saxpy.fatbin"));
    gpudl::kernel<int, float, const float *, float *> saxpy(library, "saxpy"); /* compared with the file here */
    saxpy({ n / 256, 256 }, n, 2, dx, dy);

    gpudl::cuda(cu.MemcpyDtoH(y.data(), dy, bytes), "cuMemcpyDtoH");
    gpudl::cuda(cu.MemFree(dx), "cuMemFree");
    gpudl::cuda(cu.MemFree(dy), "cuMemFree");
    std::printf("y = %g %g %g ... %g\n", y[0], y[1], y[2], y[n - 1]);
} catch (const gpudl::error &e) {
    std::fprintf(stderr, "%s: %s\n", gpudl_status_name(e.status()), e.what());
    return 1;
}
