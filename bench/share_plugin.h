/* share_plugin.h - what the plugin of bench_share.c exports. */
#ifndef BENCH_SHARE_PLUGIN_H
#define BENCH_SHARE_PLUGIN_H

#include <gpudl/gpudl.h>

/* The calls of the plugin's own copy of gpudl. */
struct share_plugin {
    __typeof__(&gpudl_loader_open) open;
    __typeof__(&gpudl_loader_close) close;
    __typeof__(&gpudl_library_load) load;
    __typeof__(&gpudl_library_release) release;
    __typeof__(&gpudl_kernel_get) kernel;
    __typeof__(&gpudl_kernel_release) kernel_release;
    __typeof__(&gpudl_kernel_launch_params) launch;
    __typeof__(&gpudl_library_make_resident) make_resident;
    __typeof__(&gpudl_error_text) error;
};

#endif
