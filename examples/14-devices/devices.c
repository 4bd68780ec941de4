/* devices.c - one library on all devices of the machine. A kernel handle is for all of them: the context that is current where
 * it is launched says on which it runs. Globals and memory are each device's own. On softcuda four devices are asked for. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, PER_DEVICE = 1024, THREADS = 128 };

/* number: which device this is, a global to be set on each. fill(to, first): to[i] = (first + i) * number. */
static const char module[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .u32 number;\n"
    ".visible .entry fill(.param .u64 to, .param .u32 first)\n{\n.reg .b64 %p, %o;\n.reg .b32 %i, %b, %n, %f;\n"
    "mov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %b, %n, %i;\n"
    "ld.param.u64 %p, [to];\ncvta.to.global.u64 %p, %p;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %p, %p, %o;\n"
    "ld.param.u32 %f, [first];\nadd.u32 %f, %f, %i;\nld.global.u32 %n, [number];\nmul.lo.u32 %f, %f, %n;\n"
    "st.global.u32 [%p], %f;\nret;\n}\n";

static const gpudl_driver_table *cu;
static gpudl_library *library;
static gpudl_kernel *fill;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

/* Each device's copy of a global has an address of its own; it is valid while the version is pinned. */
static void set_number(gpudl_version *version, int device)
{
    unsigned number = (unsigned)device + 1;
    CUdeviceptr address;

    MUST(gpudl_version_global(version, "number", device, &address, NULL));
    MUST(gpudl_loader_use_device(NULL, device));
    MUST(cu->MemcpyHtoD(address, &number, sizeof(number)));
}

/* Launches return at once, so all devices work at the same time. */
static CUdeviceptr begin(int device)
{
    gpudl_launch_config config = gpudl_launch_1d(PER_DEVICE / THREADS, THREADS);
    CUdeviceptr memory;

    MUST(gpudl_loader_use_device(NULL, device));
    MUST(cu->MemAlloc(&memory, PER_DEVICE * sizeof(unsigned)));
    MUST(gpudl_launch(fill, &config, memory, (unsigned)(device * PER_DEVICE)));
    return memory;
}

/* Returns how many elements are right. */
static int finish(int device, CUdeviceptr memory)
{
    unsigned part[PER_DEVICE];
    int right = 0;

    MUST(gpudl_loader_use_device(NULL, device)); /* its context is current again: copies wait for its work */
    MUST(cu->MemcpyDtoH(part, memory, sizeof(part)));
    MUST(cu->MemFree(memory));
    for (unsigned i = 0; i < PER_DEVICE; i++)
        right += part[i] == ((unsigned)device * PER_DEVICE + i) * ((unsigned)device + 1);
    return right;
}

int main(void)
{
    CUdeviceptr memory[MOST];
    gpudl_version *version;
    int devices[MOST], n, right, all = 1;
    char name[128];

    setenv("SOFTCUDA_DEVICES", "4", 0); /* before the driver is opened; NVIDIA's does not look at it */
    cu = gpudl_loader_driver(NULL);
    MUST(!cu);
    MUST(cu->DeviceGetCount(&n));
    n = n < MOST ? n : MOST;
    for (int i = 0; i < n; i++)
        devices[i] = i;

    /* Loaded once, for all; then made resident on each, so that no first launch waits. */
    MUST(gpudl_library_load(NULL, GPUDL_MEMORY(module, sizeof(module) - 1), NULL, &library));
    MUST(gpudl_kernel_get(library, "fill", &fill));
    MUST(gpudl_library_make_resident(library, devices, (size_t)n, gpudl_now()));
    MUST(gpudl_library_pin(library, &version));

    for (int i = 0; i < n; i++)
        set_number(version, i);
    for (int i = 0; i < n; i++)
        memory[i] = begin(i);
    for (int i = 0; i < n; i++) {
        MUST(cu->DeviceGetName(name, sizeof(name), i));
        right = finish(i, memory[i]);
        all = all && right == PER_DEVICE;
        printf("device %d, %s: %d of %d elements are right\n", i, name, right, PER_DEVICE);
    }
    printf("%d device(s), one library, one kernel handle\n", n);

    gpudl_version_unpin(version);
    gpudl_kernel_release(fill);
    gpudl_library_release(library);
    return !all;
}
