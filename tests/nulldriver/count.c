/* Counting and failing. The fast path of a call is two relaxed additions, so that it stays small beside what is measured. */
#include "tests/nulldriver/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RULES = 16 };

struct rule {
    int call;           /* CALL_...; -1: any */
    unsigned long left; /* calls until it fails; 0: done */
    int code;
};

static const char *const names[CALLS] = {
#define NAME(name, since, need, without, params) "cu" #name,
    GPUDL_DRIVER_FUNCTIONS(NAME)
#undef NAME
};

static _Atomic unsigned long counts[CALLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[MOST_RULES];
static atomic_int active; /* rules that may still fail something */
static int failed = -1;   /* the call that failed last */
static atomic_int slow = -1;    /* the call that takes long, */
static atomic_int slow_us;
static atomic_int within;       /* and how many are in it */

static int find(const char *name)
{
    for (int i = 0; i < CALLS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* For a harness outside of this process. */
static void report(const char *name)
{
    const char *fd = getenv("HARNESS_REPORT_FD");

    if (fd && write(atoi(fd), name, strlen(name)) < 0)
        abort();
}

static int apply_rules(int call)
{
    int code = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_RULES; i++) {
        struct rule *r = &rules[i];
        if (!r->left || (r->call >= 0 && r->call != call))
            continue;
        if (--r->left)
            continue;
        atomic_fetch_sub(&active, 1);
        failed = call;
        report(names[call]);
        if (!code)
            code = r->code;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static void take_long(void)
{
    atomic_fetch_add(&within, 1);
    usleep((unsigned)atomic_load(&slow_us));
    atomic_fetch_sub(&within, 1);
}

int enter(int call)
{
    atomic_fetch_add_explicit(&counts[call], 1, memory_order_relaxed);
    if (__builtin_expect(atomic_load_explicit(&slow, memory_order_relaxed) == call, 0))
        take_long();
    return atomic_load_explicit(&active, memory_order_relaxed) ? apply_rules(call) : 0;
}

void nulldrv_fail(const char *name, unsigned long nth, int code)
{
    int call = find(name);

    if (!nth || (call < 0 && strcmp(name, "*") != 0)) {
        fprintf(stderr, "nulldrv_fail: no function %s\n", name);
        abort();
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_RULES; i++)
        if (!rules[i].left) {
            rules[i] = (struct rule){ call, nth, code };
            atomic_fetch_add(&active, 1);
            break;
        }
    pthread_mutex_unlock(&lock);
}

void nulldrv_slow(const char *name, unsigned us)
{
    atomic_store(&slow_us, (int)us);
    atomic_store(&slow, us ? find(name) : -1);
}

int nulldrv_within(void)
{
    return atomic_load(&within);
}

unsigned long nulldrv_calls(const char *name)
{
    unsigned long sum = 0;
    int call = find(name);

    if (call >= 0)
        return atomic_load(&counts[call]);
    for (int i = 0; i < CALLS; i++)
        sum += atomic_load(&counts[i]);
    return sum;
}

void nulldrv_forget_failures(void)
{
    pthread_mutex_lock(&lock);
    memset(rules, 0, sizeof(rules));
    atomic_store(&active, 0);
    failed = -1;
    pthread_mutex_unlock(&lock);
}

const char *nulldrv_failed(void)
{
    const char *name;

    pthread_mutex_lock(&lock);
    name = failed < 0 ? NULL : names[failed];
    pthread_mutex_unlock(&lock);
    return name;
}

void reset_counts(void)
{
    nulldrv_forget_failures();
    atomic_store(&slow, -1);
    for (int i = 0; i < CALLS; i++)
        atomic_store(&counts[i], 0);
}

/* "name:nth:code,..." */
void read_rules(const char *text)
{
    char name[64];
    unsigned long nth;
    int code, used;

    while (text && sscanf(text, "%63[^:]:%lu:%d%n", name, &nth, &code, &used) == 3) {
        nulldrv_fail(name, nth, code);
        text += used;
        if (*text++ != ',')
            break;
    }
}
