/* globals.c - variables of device code, read and written by name, and carried over when the code is replaced. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

static const gpudl_driver_table *cu;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

/* Globals belong to a version, the code itself: a pin holds it, so that the address stays good. */
static CUdeviceptr address_of(gpudl_version *pin, const char *name)
{
    CUdeviceptr address;
    size_t size;

    MUST(gpudl_version_global(pin, name, 0, &address, &size));
    if (size != sizeof(int))
        must(GPUDL_ERROR_ARGUMENT, name); /* it is not what this program takes it for */
    return address;
}

static void write_global(gpudl_version *pin, const char *name, int value)
{
    MUST(cu->MemcpyHtoD(address_of(pin, name), &value, sizeof(value)));
}

static int read_global(gpudl_version *pin, const char *name)
{
    int value;

    MUST(cu->MemcpyDtoH(&value, address_of(pin, name), sizeof(value)));
    return value;
}

static void launch(gpudl_kernel *step)
{
    gpudl_launch_config config = gpudl_launch_1d(2, 32); /* 64 threads, so total grows by 64 strides */

    MUST(gpudl_launch(step, &config));
    MUST(cu->CtxSynchronize());
}

static void tell(gpudl_version *pin)
{
    const int *launches =
        (const int *)(uintptr_t)address_of(pin, "launches"); /* __managed__: no copy, once the device has finished */

    printf("   stride %d, total %d, launches %d\n", read_global(pin, "stride"), read_global(pin, "total"), *launches);
}

/* Turn the library to the next version at a point where no kernel runs, and take the globals along before anything is launched. */
static gpudl_version *move_on(gpudl_library *library, gpudl_version *old)
{
    gpudl_replace_options options = GPUDL_REPLACE_OPTIONS_INIT;
    gpudl_version *new;
    gpudl_task *task;
    size_t copied;

    options.when = gpudl_when_idle(UINT64_MAX);
    MUST(gpudl_library_replace_async(library, GPUDL_FILE("steps_v2.fatbin"), &options, NULL, &task));
    while (!gpudl_task_ended(task)) /* a program launches here, and names the point between two batches */
        MUST(gpudl_loader_reap(NULL, 1000000, NULL));
    MUST(gpudl_task_wait(task, 0));
    gpudl_task_release(task);

    MUST(gpudl_library_pin(library, &new));
    printf("   begins with ");
    tell(new);
    MUST(gpudl_version_copy_globals(old, new, 0, &copied));
    printf("   %zu globals are carried over, born is still %d\n", copied, read_global(new, "born"));
    gpudl_version_unpin(old); /* and with it go the old addresses */
    return new;
}

int main(void)
{
    gpudl_library *library;
    gpudl_kernel *step;
    gpudl_version *pin;

    MUST(gpudl_loader_use_device(NULL, 0));
    cu = gpudl_loader_driver(NULL);
    MUST(gpudl_library_load(NULL, GPUDL_FILE("steps_v1.fatbin"), NULL, &library));
    MUST(gpudl_kernel_get(library, "step", &step));
    MUST(gpudl_library_pin(library, &pin));

    printf("1. Version 1, its stride written by the host, launched twice:\n");
    write_global(pin, "stride", 3);
    launch(step);
    launch(step);
    tell(pin);

    printf("2. Version 2:\n");
    pin = move_on(library, pin);
    printf("3. Launched once, by the same handle:\n");
    launch(step);
    tell(pin);

    gpudl_version_unpin(pin);
    gpudl_kernel_release(step);
    gpudl_library_release(library);
    return 0;
}
