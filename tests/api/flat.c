/* flat.c - what comes and goes leaves nothing behind: launches, loads, streams, events, memory, contexts. Memory is what the process has
 * resident, after everything has happened a few times. */
#include "cuda.h.inc"
#include <unistd.h>

static long resident_pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long size, resident = 0;

    if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident;
}

/* May the process have grown by so much? Allocators keep some for later, but a leak of a pointer a launch shows, and one of 256 bytes
 * a load. slack: bytes a round, of what is kept for good. */
static void flat(void (*round)(void), int warm, int rounds, long slack)
{
    long before, grown;

    for (int i = 0; i < warm; i++)
        round();
    before = resident_pages();
    for (int i = 0; i < rounds; i++)
        round();
    grown = (resident_pages() - before) * sysconf(_SC_PAGESIZE);
    if (grown > slack * rounds + (256 << 10))
        fail_msg("%d rounds left %ld bytes behind", rounds, grown);
}

static CUfunction add;
static CUdeviceptr memory;
static CUstream stream;

static void launch(void)
{
    uint32_t n = 32, v = 1;
    void *params[] = { &memory, &n, &v };

    CU(LaunchKernel, add, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL);
    CU(StreamSynchronize, stream);
}

static void launches_leave_nothing(void **state)
{
    CUmodule m;

    (void)state;
    start();
    add = function_of(&m, PTX_HEAD PTX_ADD, "add");
    CU(MemAlloc_v2, &memory, 128);
    CU(StreamCreate, &stream, 0);
    flat(launch, 1000, 100000, 0);
    CU(StreamDestroy_v2, stream);
    stop();
}

static void load(void)
{
    CUlibrary l;
    CUkernel k;
    uint32_t n = 0, v = 0;
    void *params[] = { &memory, &n, &v };

    CU(LibraryLoadData, &l, PTX_HEAD PTX_ADD, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, l, "add");
    CU(LaunchKernel, (CUfunction)(void *)k, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    CU(LibraryUnload, l);
}

static void loads_leave_nothing(void **state)
{
    (void)state;
    start();
    memory = 0;
    flat(load, 100, 1000, 0);
    stop();
}

static void use_everything(void)
{
    CUcontext c;
    CUdeviceptr p;
    CUstream s;
    CUevent e;

    create_context(&c);
    CU(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
    CU(EventCreate, &e, 0);
    CU(MemAllocAsync, &p, 5000, s);
    CU(EventRecord, e, s);
    CU(MemFreeAsync, p, s);
    CU(MemAlloc_v2, &p, 5000);
    CU(EventSynchronize, e);
    CU(EventDestroy_v2, e);
    CU(StreamDestroy_v2, s);
    CU(CtxDestroy_v2, c);
}

static void objects_leave_nothing(void **state)
{
    (void)state;
    CU(Init, 0);
    flat(use_everything, 100, 500, 512);        /* a context's handle stays */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_leave_nothing),
        cmocka_unit_test(loads_leave_nothing),
        cmocka_unit_test(objects_leave_nothing),
    };

    return cmocka_run_group_tests_name("api.flat", tests, NULL, NULL);
}
