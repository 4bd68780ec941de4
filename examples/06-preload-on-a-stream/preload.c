/* preload.c - two stages. While stage 1 has kernels running, stage 2's code is wanted for the first time: its launch then waits for them,
 * since code becomes resident only when nothing runs. Loaded beside the program and made resident in a gap of stage 1, it does not. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000000, FRAMES = 3 };

static const gpudl_driver_table *cu;
static CUstream work, side; /* non-blocking ones: what is on them has no order */
static CUdeviceptr numbers; /* two: of stage 1, of stage 2 */
static gpudl_kernel *grind;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void begin_stage_1(unsigned rounds)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);

    config.stream = work;
    MUST(gpudl_launch(grind, &config, rounds, numbers));
}

/* One launch of stage 2 on its own stream, with stage 1 running on the other; tells for how long the call kept the program. */
static double launch_stage_2(gpudl_library *library)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *finish;
    unsigned in = 0x1234, out = 0;
    double before, took;

    config.stream = side;
    MUST(gpudl_kernel_get(library, "finish", &finish));
    MUST(cu->MemcpyHtoD(numbers + 8, &in, sizeof(in)));
    begin_stage_1(ROUNDS);
    before = now_ms();
    MUST(gpudl_launch(finish, &config, numbers + 8, numbers + 4));
    took = now_ms() - before;
    MUST(cu->CtxSynchronize());
    MUST(cu->MemcpyDtoH(&out, numbers + 4, sizeof(out)));
    printf("   stage 2 made %#x of %#x; its launch kept the program for %.3f ms\n", out, in, took);
    gpudl_kernel_release(finish);
    return took;
}

static double at_first_use(void)
{
    gpudl_library *library;
    double took;

    MUST(gpudl_library_load(NULL, GPUDL_FILE("stage2.fatbin"), NULL, &library)); /* loaded, not resident: that disturbs nobody */
    took = launch_stage_2(library);
    gpudl_library_release(library);
    MUST(gpudl_loader_trim(NULL, 0, 0)); /* forget it, so that the other way begins without it */
    MUST(gpudl_loader_reap(NULL, UINT64_MAX, NULL));
    return took;
}

static double in_a_gap(void)
{
    gpudl_async_options options = GPUDL_ASYNC_OPTIONS_INIT;
    gpudl_library *library;
    gpudl_task *task;
    double took;
    int frames = 0;

    begin_stage_1(ROUNDS / FRAMES);
    options.flags = GPUDL_ASYNC_AFTER_STREAM | GPUDL_ASYNC_RESIDENT;
    options.stream = work;                      /* begin when the frame that was launched above is done, */
    options.when = gpudl_when_idle(UINT64_MAX); /* and wait for a point that is named below */
    MUST(gpudl_library_load_async(NULL, GPUDL_FILE("stage2.fatbin"), NULL, &options, &task));
    do {
        begin_stage_1(ROUNDS / FRAMES);
        MUST(cu->StreamSynchronize(work));
        MUST(gpudl_loader_reap(NULL, UINT64_MAX, NULL)); /* the gap between two frames: nothing runs, nothing waits */
        frames++;
    } while (!gpudl_task_ended(task));
    MUST(gpudl_task_wait(task, 0));
    MUST(gpudl_task_library(task, &library));
    gpudl_task_release(task);
    printf("   resident after %d frame(s) of stage 1\n", frames);
    took = launch_stage_2(library);
    gpudl_library_release(library);
    return took;
}

int main(void)
{
    gpudl_library *library;
    double first, gap;

    MUST(gpudl_loader_use_device(NULL, 0));
    cu = gpudl_loader_driver(NULL);
    MUST(cu->StreamCreate(&work, GPUDL_STREAM_NON_BLOCKING));
    MUST(cu->StreamCreate(&side, GPUDL_STREAM_NON_BLOCKING));
    MUST(cu->MemAlloc(&numbers, 3 * sizeof(unsigned)));
    MUST(gpudl_library_load(NULL, GPUDL_FILE("stage1.fatbin"), NULL, &library));
    MUST(gpudl_kernel_get(library, "grind", &grind));
    MUST(gpudl_library_make_resident(library, NULL, 0, gpudl_now()));

    printf("1. Stage 2 is launched for the first time while stage 1 runs:\n");
    first = at_first_use();
    printf("2. Stage 2 is loaded beside stage 1, and becomes resident in a gap:\n");
    gap = in_a_gap();
    printf("Waited for stage 1: %.3f ms, and %.3f ms\n", first, gap);

    gpudl_kernel_release(grind);
    gpudl_library_release(library);
    MUST(cu->MemFree(numbers));
    MUST(cu->StreamDestroy(work));
    MUST(cu->StreamDestroy(side));
    return 0;
}
