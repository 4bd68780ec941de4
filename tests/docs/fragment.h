/* fragment.h - what parts of programs in the documents take for granted. Fragments may declare the same names anew. */
#include <gpudl/gpudl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern gpudl_loader *loader;
extern gpudl_library *library, *lib;
extern gpudl_kernel *kernel, *saxpy;
extern gpudl_version *version, *pin;
extern gpudl_status status;
extern gpudl_launch_config config;
extern const gpudl_driver_table *cuda;
extern CUkernel ours, theirs;
extern CUstream stream;
extern CUdeviceptr x, y, dx, dy;
extern size_t which;
extern const char *text;
extern bool drawing;
extern int n;
extern float a;
int complain(const char *text);
