#include "src/loader/poison.h"

#include <string.h>

#include "src/loader/thread.h"

enum { NAMED_MOST = 4, LOG_SIZE = 25600 + 1 }; /* CUDA's own bound for a driver's log */

/* Of kernels, not of hardware. */
enum { KERNELS_FIRST = GPUDL_CU_ILLEGAL_ADDRESS, KERNELS_LAST = 721 };

void gpudl__poison_forget(const gpudl_kernel *k)
{
    for (struct thread *t = gpudl__thread_list(); t; t = t->next) {
        const void *was = k;
        atomic_compare_exchange_strong(&t->launched, &was, NULL);
    }
}

/* The log's last line, which names kernel, block and thread: softcuda logs nothing but faults. */
static bool tell_log(gpudl_loader *l, struct text *t)
{
    size_t size = LOG_SIZE;
    char *log, *line;

    if (!l->driver.software || !l->driver.table.LogsDumpToMemory)
        return false;
    log = gpudl__alloc(size);
    if (!log)
        return false;
    if (l->driver.table.LogsDumpToMemory(NULL, log, &size, 0) || !size || size >= LOG_SIZE)
        size = 0;
    while (size && log[size - 1] == '\n')
        size--;
    log[size] = '\0';
    line = strrchr(log, '\n');
    if (size)
        gpudl__text_add(t, ". %s", line ? line + 1 : log);
    gpudl__free(log);
    return size != 0;
}

static void tell_launches(gpudl_loader *l, struct text *t)
{
    const struct thread *self = gpudl__self;
    int n = 0;

    if (pthread_mutex_trylock(&l->lock)) /* another's, or this thread's own: better a text without names */
        return;
    for (struct thread *one = gpudl__thread_list(); one && n < NAMED_MOST; one = one->next) {
        const gpudl_kernel *k = atomic_load_explicit(&one->launched, memory_order_relaxed);
        if (!k || !gpudl__handle_is(l, k, HANDLE_KERNEL))
            continue;
        gpudl__text_add(t, "%s'%s' of %s, by %s", n++ ? "; " : ". Launched last through gpudl, and so suspect: ", k->slot->name,
            k->library->name, one == self ? "this thread" : "another thread");
    }
    pthread_mutex_unlock(&l->lock);
}

void gpudl__poison_tell(gpudl_loader *l, int code, struct text *t)
{
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_CUDA, code);

    if (!e || !e->poisons)
        return;
    gpudl__text_add(t, ". THE CONTEXT IS POISONED, by what ran before this call: %s. ", e->text);
    gpudl__text_add(t, "%s",
        e->poisons & GPUDL_POISONS_PROCESS
            ? "No call in a context of this device succeeds in this process any more: start it again"
            : "No call in it succeeds any more: reset it, and what it holds is gone, or start the process again");
    if (code >= KERNELS_FIRST && code <= KERNELS_LAST && !tell_log(l, t))
        tell_launches(l, t);
}
