/* nulldrv.h - a CUDA driver that does nothing, for tests and for measuring gpudl's own cost on any machine.
 *
 * It exports cuGetProcAddress and what follows; counts calls by name; fails the n-th call of a name with a given code. It
 * keeps enough state to be plausible: memory is host memory and copies copy, libraries hand out kernels, contexts are
 * current per thread. Misuse (a launch from an unloaded library, an unload twice) is counted. All functions may be called
 * from any thread; settings are changed between tests.
 *
 * Environment, read once when it is opened: NULLDRV_FAIL="cuLibraryLoadData:1:200,cuInit:1:100" (name:nth:code), NULLDRV_SM=90,
 * NULLDRV_NAME="softcuda, 2 CPU threads", NULLDRV_DEVICES=0, NULLDRV_VERSION=11080 (functions newer than that are missing). */
#ifndef NULLDRV_H
#define NULLDRV_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Back to the beginning: counts, failures and settings; not what is alive. */
struct CUstream_st;
void nulldrv_reset(void);

/* The nth call (1: the next) of name from now on returns code, once. name "*": the nth call of any function. */
void nulldrv_fail(const char *name, unsigned long nth, int code);
void nulldrv_forget_failures(void);                 /* those that have not come yet */
const char *nulldrv_failed(void);                   /* what was made to fail last; NULL: nothing since the reset or the forgetting */
unsigned long nulldrv_calls(const char *name);      /* since the reset; "*": of all functions */

/* Calls of name take so many microseconds from now on; 0: no more. */
void nulldrv_slow(const char *name, unsigned us);
int nulldrv_within(void);                           /* threads that are in such a call now */

void nulldrv_set_sm(unsigned sm);                   /* 90 for compute capability 9.0; of devices opened from now on */
void nulldrv_set_name(const char *name);            /* the device's; one that begins with "softcuda" makes it software */
void nulldrv_set_devices(int count);
void nulldrv_set_clusters(int can);                 /* do devices have clusters, and cooperative launches? 1 after a reset */
void nulldrv_set_cooperative(int can);
/* The kernels that libraries loaded from now on have: "a,b,c"; NULL: whatever is asked for; "": none, as a driver does with
 * code it cannot use. The text is copied. */
void nulldrv_set_kernels(const char *names);
void nulldrv_set_log(const char *text);             /* written to the error log of every load from now on; NULL: none */
void nulldrv_set_remarks(const char *text);         /* the same of the info log */
void nulldrv_set_driver_log(const char *text);      /* what cuLogsDumpToMemory has; NULL: nothing */
void nulldrv_set_params(const char *sizes);         /* what any kernel tells of its parameters from now on: "8,4"; "": none; NULL: nothing */
void nulldrv_set_globals(size_t bytes);             /* any global exists and has this size; 0: none exists */

/* Was this option given to the last load? Then its value is in *value, which may be NULL. library: one of the library's options. */
int nulldrv_load_option(int library, int option, void **value);
void nulldrv_set_busy(int on);                      /* events are not ready, as kernels run */
void nulldrv_capture(struct CUstream_st *stream);   /* it is being captured from now on, anew; NULL: none is */
void nulldrv_destroy_graph(void);                   /* with all captured so far: what it held is let go */
/* Each stream into a graph of its own, from any thread. */
struct CUgraph_st;
void nulldrv_begin_capture(struct CUstream_st *stream);
struct CUgraph_st *nulldrv_end_capture(struct CUstream_st *stream);
void nulldrv_drop_graph(struct CUgraph_st *graph);
void *nulldrv_last_stream(void);                    /* of the calling thread's last launch */
/* Called within the next cuKernelSetAttribute, before that does its work, once. */
void nulldrv_on_attribute(void (*see)(void *), void *user);
const char *nulldrv_last_node(void);                /* the kernel that a graph's node was set to last; NULL: none was */
int nulldrv_cache_preference(const char *kernel, int device);   /* of the newest loaded kernel of that name */
/* Called with the arguments of each launch from now on, until the reset; NULL: nothing is. */
void nulldrv_on_launch(void (*see)(void **params, void **extra));

/* What the linker makes of its inputs from now on, copied; NULL: its first input. log: what it writes to its error log; NULL: nothing. */
void nulldrv_set_linked(const void *bytes, size_t size);
void nulldrv_set_link_log(const char *log);
/* Type and name of the nth input (0: the first) of the last link; NULL past the end. */
const char *nulldrv_link_input(size_t n, int *type);
int nulldrv_link_option(int option, void **value);  /* was it given to the last link? */

/* Alive now: "library", "context" (retained primary contexts), "memory", "pushed" (contexts on the calling thread's stack),
 * "stream", "event", "link" (states of the linker). */
long nulldrv_alive(const char *what);
/* Misuse since the reset; text is the last one's, lent until the next. */
unsigned long nulldrv_misuses(const char **text);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
