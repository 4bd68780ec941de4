/* device.h - a device for the benches, through gpudl's public header: load, launch, wait. A failure prints why and gives NULL,
 * 0 or false. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <gpudl/gpudl.h>

struct bench_device {
    gpudl_loader *loader;
    const gpudl_driver_table *driver;
    gpudl_library *libraries[16];
    size_t nlibraries;
    CUdeviceptr buffers[64];
    size_t nbuffers;
};

/* driver: as in gpudl_loader_options; NULL: what GPUDL_DRIVER says. Device 0 is made current to this thread. */
bool bench_device_open(const char *driver, struct bench_device *);
/* The same, traced into a file. */
bool bench_device_open_traced(const char *driver, const char *trace, struct bench_device *);
void bench_device_close(struct bench_device *);     /* also frees its buffers and libraries */
/* A kernel of an image beside the program: file is a name in the folder bench-data. The caller releases it before the device
 * closes. */
gpudl_kernel *bench_device_kernel(struct bench_device *, const char *file, const char *kernel);
/* Device memory with the bytes of host in it (NULL: zeros). */
CUdeviceptr bench_device_buffer(struct bench_device *, const void *host, size_t bytes);
bool bench_device_wait(struct bench_device *);

/* The path of a file in bench-data beside the running program; NULL if it has no place in the caller's size bytes. */
const char *bench_data(const char *file, char *path, size_t size);

#endif
