#include "src/loader/process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/loader/fork.h"
#include "src/loader/leaks.h"
#include "src/loader/loader.h"
#include "src/loader/share/share.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpudl_loader *all;
static atomic_bool ends;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void gpudl__process_add(gpudl_loader *l)
{
    pthread_mutex_lock(&lock);
    l->next = all;
    all = l;
    pthread_mutex_unlock(&lock);
}

void gpudl__process_remove(gpudl_loader *l)
{
    pthread_mutex_lock(&lock);
    for (gpudl_loader **p = &all; *p; p = &(*p)->next)
        if (*p == l) {
            *p = l->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

bool gpudl__process_has(const gpudl_loader *l)
{
    const gpudl_loader *one;

    pthread_mutex_lock(&lock);
    for (one = all; one && one != l; one = one->next)
        ;
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

static void park(void)
{
    if (gpudl__forked())
        return;
    atomic_store(&ends, true);
    pthread_mutex_lock(&lock);
    for (gpudl_loader *l = all; l; l = l->next)
        gpudl__threads_park(l);
    pthread_mutex_unlock(&lock);
}

static void at_exit(void)
{
    atexit(park); /* without memory for it threads go on into the driver's end: no harm that could be avoided */
}

/* dlopen is called under no lock of gpudl's: constructors that call gpudl hold the dynamic linker's. NULL where gpudl is in the
 * program itself. */
static void *hold_code(void)
{
    Dl_info info;

    return dladdr((void *)hold_code, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

void gpudl__process_hold_code(gpudl_loader *l)
{
    void *code, *none = NULL;

    pthread_once(&once, at_exit);
    if (atomic_load(&l->code))
        return;
    code = hold_code();
    if (code && !atomic_compare_exchange_strong(&l->code, &none, code))
        dlclose(code);
}

void gpudl__process_let_code_go(gpudl_loader *l)
{
    void *code = atomic_exchange(&l->code, NULL);

    if (code)
        dlclose(code);
}

bool gpudl__process_ends(void)
{
    return atomic_load_explicit(&ends, memory_order_acquire);
}

/* A plugin goes with loaders open, or the process ends, where nothing is to be unloaded either. */
__attribute__((destructor)) static void hand_on(void)
{
    if (gpudl__forked() || gpudl__process_ends())
        return;
    pthread_mutex_lock(&lock);
    for (gpudl_loader *l = all; l; l = l->next)
        gpudl__share_hand_on(l);
    pthread_mutex_unlock(&lock);
    gpudl__commons_abandon();
}

/* Of loaders that were not closed. Their callbacks are the program's, whose data may be gone: it is told to stderr. */
__attribute__((destructor)) static void name_leaks(void)
{
    if (gpudl__forked() || !gpudl__leaks_wanted())
        return;
    pthread_mutex_lock(&lock);
    for (gpudl_loader *l = all; l; l = l->next)
        gpudl__leaks_name(l, "at exit", gpudl__log_to_stderr, NULL);
    pthread_mutex_unlock(&lock);
}
