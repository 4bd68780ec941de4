/* A plugin that links libgpudl.a, as bench_share.c opens it twenty times. */
#include "bench/share_plugin.h"

extern const struct share_plugin share_plugin __attribute__((visibility("default")));
const struct share_plugin share_plugin = { gpudl_loader_open, gpudl_loader_close, gpudl_library_load, gpudl_library_release,
    gpudl_kernel_get, gpudl_kernel_release, gpudl_kernel_launch_params, gpudl_library_make_resident, gpudl_error_text };
