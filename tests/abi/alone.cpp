/* The public header needs no CUDA header, and is C++17. */
#include <gpudl/gpudl.h>

static size_t bytes(const gpudl_source *source) { return source->nbytes; }

int main()
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_3d(1, 2, 3, 4, 5, 6);
    gpudl_launch_attribute a[] = { gpudl_launch_programmatic(), gpudl_launch_cluster(1, 2, 1) };

    config = gpudl_launch_with(config, a, 2);
    return config.nattributes == 2 && a[0].value.value == 1 && bytes(GPUDL_MEMORY("xy", 2)) == 2 && options.size == sizeof options && config.grid[2] == 3 ? 0 : 1;
}
