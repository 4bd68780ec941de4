/* 03 in C++: CUDA C++ as text to a running kernel, no file anywhere. Exit status 77: there is no compiler. */
#include "../device_array.hpp"

#include <cstdio>
#include <string>

static const char text[] = R"(
template <class T, int N> __global__ void scale(T *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= N;
}
)";

static gpudl::code compile(const std::string &instance)
{
    gpudl::compile_options options;

    options.names = { instance }; /* a template is compiled for what is asked for by name */
    gpudl::code code = gpudl::compile(gpudl::text("scale.cu", text), options);
    const gpudl_code_info info = code.describe();
    std::printf("%s: %zu bytes of %s for %s, %s\n", info.compiler, info.nbytes,
        info.format == GPUDL_FORMAT_PTX ? "PTX" : "machine code", info.target, info.kept ? "found on disk" : "compiled");
    return code;
}

int main()
try {
    const std::string instance = "scale<float, 3>";
    std::vector<float> x(256);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i);

    const gpudl::loader loader;
    loader.use_device();
    compile(instance);
    const gpudl::code code = compile(instance); /* any program of this user that asks for the same is spared the compiler */

    const auto library = gpudl::library::load(gpudl::memory(code.bytes()));
    const auto scale = library.get<float *>(code.name(instance.c_str()));
    std::printf("%s is %s\n", instance.c_str(), scale.name());

    const device_array<float> dx(loader, x);
    scale({ x.size() / 64, 64 }, dx.address());
    x = dx.read();
    std::printf("x = %g %g %g ... %g\n", x[0], x[1], x[2], x[255]);

    /* The types above are what the program takes the kernel to be; what the kernel is, is said where they differ. */
    if (auto wrong = library.try_get<double *>(code.name(instance.c_str())); !wrong)
        std::printf("%s\n", wrong.error().text().c_str());
} catch (const gpudl::error &e) {
    std::fprintf(stderr, "%s: %s\n", gpudl_status_name(e.status()), e.what());
    return e.status() == GPUDL_ERROR_NO_COMPILER ? 77 : 1;
}
