/* experiment.h - what the experiments on a driver share: a program, its device, the driver's functions, child processes.
 *
 * An experiment asks a driver questions and prints tables of what it answered; it asserts no answer and no time. It fails only
 * where it cannot ask. GPUDL_DRIVER names the driver. */
#ifndef BENCH_DRIVER_EXPERIMENT_H
#define BENCH_DRIVER_EXPERIMENT_H

#include "bench/device.h"
#include "bench/driver/table.h"
#include "bench/harness.h"

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUlinkState_st *CUlinkState;
struct CUgraphEdgeData_st;

enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
enum { LINK_INPUT_PTX = 1, USER_OBJECT_NO_SYNC = 1, USER_OBJECT_MOVE = 1 };

/* Beyond gpudl's table: X(member, version to ask cuGetProcAddress for, parameters). NULL where the driver has none. */
#define MORE_FUNCTIONS(X) \
    X(CtxCreate, 3020, (CUcontext *, unsigned, CUdevice)) \
    X(CtxDestroy, 4000, (CUcontext)) \
    X(CtxRecordEvent, 12050, (CUcontext, CUevent)) \
    X(StreamGetId, 12000, (CUstream, unsigned long long *)) \
    X(StreamBeginCapture, 10010, (CUstream, int)) \
    X(StreamEndCapture, 10000, (CUstream, CUgraph *)) \
    X(StreamGetCaptureInfo, 12030, \
        (CUstream, int *, uint64_t *, CUgraph *, const CUgraphNode **, const struct CUgraphEdgeData_st **, size_t *)) \
    X(GraphCreate, 10000, (CUgraph *, unsigned)) \
    X(GraphInstantiateWithFlags, 11040, (CUgraphExec *, CUgraph, unsigned long long)) \
    X(GraphLaunch, 10000, (CUgraphExec, CUstream)) \
    X(GraphDestroy, 10000, (CUgraph)) \
    X(GraphExecDestroy, 10000, (CUgraphExec)) \
    X(UserObjectCreate, 11030, (CUuserObject *, void *, void (*)(void *), unsigned, unsigned)) \
    X(UserObjectRelease, 11030, (CUuserObject, unsigned)) \
    X(GraphRetainUserObject, 11030, (CUgraph, CUuserObject, unsigned, unsigned)) \
    X(LinkCreate, 6050, (unsigned, int *, void **, CUlinkState *)) \
    X(LinkAddData, 6050, (CUlinkState, int, void *, size_t, const char *, unsigned, int *, void **)) \
    X(LinkComplete, 5050, (CUlinkState, void **, size_t *)) \
    X(LinkDestroy, 5050, (CUlinkState)) \
    X(ModuleGetLoadingMode, 11070, (int *))

struct more_functions {
#define MORE_MEMBER(name, since, params) int(*name) params;
    MORE_FUNCTIONS(MORE_MEMBER)
#undef MORE_MEMBER
};

struct experiment {
    struct bench_device device; /* 0; its primary context is current to the first thread */
    const gpudl_driver_table *cu;
    struct more_functions more;
    CUcontext context;
    CUmodule module;    /* resident; of these two: */
    CUfunction nothing; /* () */
    CUfunction spin;    /* (u64 ns, u64 gate): until so many have passed or, if gate is not 0, *gate is not 0 */
    void *images[8];    /* of new_image; freed at the end */
    unsigned nimages;
    bool quick;
    _Atomic bool failed;
};

struct experiment_child {
    const char *name;
    void (*run)(struct experiment *, const char *arg);
};

struct experiment_plan {
    const char *name, *question;
    void (*run)(struct experiment *);
    const struct experiment_child *children; /* up to one without a name; NULL: none */
};

/* Options: --quick (one sample, short kernels), --json FILE. Returns main's status: 0, 1 if something could not be asked, 77
 * without a device. */
int experiment_main(int argc, char **argv, const struct experiment_plan *);

/* The named child in a process of its own, with arg and, if setting is not NULL, NAME=VALUE in its environment. Its cells become
 * the open table's. If it dies, its last row ends with a word on how; one that is not back after
 * CHILD_SECONDS is killed, unless it sets an alarm of its own. */
#define CHILD_SECONDS 60
void experiment_child(struct experiment *, const char *name, const char *arg, const char *setting);

/* Of something that must work, for the experiment to mean anything. 0: it did. */
int must(struct experiment *, int result, const char *what);
/* A driver's answer, without CUDA_ERROR_; "ok". */
const char *answer(struct experiment *, int result);
void cell_answer(struct experiment *, int result);

bool use_device(struct experiment *);     /* for each new thread */
CUstream new_stream(struct experiment *); /* non-blocking; NULL: could not */
int launch_nothing(struct experiment *, CUstream);
int launch_spin(struct experiment *, CUstream, double ns, const volatile uint32_t *gate);
/* A word that device and host see, 0; freed with the context. */
volatile uint32_t *new_gate(struct experiment *);

/* PTX of a module with kernels one(u64), two(u64), a global named value, and enough code to come to about size bytes of machine
 * code; linked to machine code of this device. Lent by the experiment, for its first thread only. NULL: could not. */
const void *new_image(struct experiment *, size_t size);

double median(double *samples, size_t n); /* sorts them */

#endif
