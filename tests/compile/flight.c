/* Threads that want the same at the same time. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/compile/fake.h"

enum { THREADS = 16 };

static struct cache *cache;
static atomic_uint right, wrong, cancelled;
static pthread_barrier_t gate;

struct task {
    const char *text;
    atomic_bool *stop;
};

static bool is_stopped(void *user)
{
    return atomic_load((atomic_bool *)user);
}

static void *compile(void *arg)
{
    const struct task *task = arg;
    struct compile_job job = fake_job(cache, "k.cu", task->text);
    char room[4096];
    struct text why = gpudl__text_init(room, sizeof(room));
    struct compile_result r;
    enum compile_error error;

    if (task->stop) {
        job.cancelled = is_stopped;
        job.user = task->stop;
    }
    pthread_barrier_wait(&gate);
    error = gpudl__compile(&job, &r, &why);
    if (!error) {
        right += strstr((const char *)r.bytes.data, task->text) != NULL;
        gpudl__compile_release(&r);
    } else {
        wrong += error == COMPILE_SOURCE && strstr(room, "expected an expression");
        cancelled += error == COMPILE_CANCELLED;
    }
    return NULL;
}

static void run_all(struct task *tasks)
{
    pthread_t threads[THREADS];

    right = wrong = cancelled = 0;
    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile, &tasks[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&gate);
}

static void one_compiles_for_all(void **state)
{
    struct task tasks[THREADS];

    (void)state;
    cache = fake_cache(NULL);
    fake_write("slow", "0.3");
    for (int i = 0; i < THREADS; i++)
        tasks[i] = (struct task){ "int same;", NULL };
    run_all(tasks);
    assert_int_equal(right, THREADS);
    assert_int_equal(fake_runs(), 1);
    gpudl__cache_close(cache);
}

static void a_failure_is_told_to_all(void **state)
{
    struct task tasks[THREADS];

    (void)state;
    cache = fake_cache(NULL);
    fake_write("slow", "0.3");
    for (int i = 0; i < THREADS; i++)
        tasks[i] = (struct task){ "SYNTAX_ERROR", NULL };
    run_all(tasks);
    assert_int_equal(wrong, THREADS);
    assert_int_equal(fake_runs(), 1);
    gpudl__cache_close(cache);
}

/* All of them run before the first one ends: the compiler waits for that. */
static void different_sources_are_compiled_side_by_side(void **state)
{
    static char texts[THREADS][32];
    struct task tasks[THREADS];

    (void)state;
    cache = fake_cache(NULL);
    for (int i = 0; i < THREADS; i++) {
        snprintf(texts[i], sizeof(texts[i]), "int number_%d_;", i);
        tasks[i] = (struct task){ texts[i], NULL };
    }
    fake_write("together", "16");
    run_all(tasks);
    assert_int_equal(right, THREADS);
    assert_int_equal(fake_runs(), THREADS);
    gpudl__cache_close(cache);
}

/* The one who compiles may be one of those that are stopped: then another does. */
static void who_is_cancelled_wakes_the_next(void **state)
{
    static atomic_bool stop;
    struct task tasks[THREADS];

    (void)state;
    cache = fake_cache(NULL);
    fake_write("slow", "0.2");
    stop = true;
    for (int i = 0; i < THREADS; i++)
        tasks[i] = (struct task){ "int same;", i % 2 ? &stop : NULL };
    run_all(tasks);
    assert_int_equal(right + cancelled, THREADS);
    assert_true(right >= THREADS / 2);
    gpudl__cache_close(cache);
}

static void without_a_cache_each_compiles(void **state)
{
    struct task tasks[THREADS];

    (void)state;
    cache = NULL;
    for (int i = 0; i < THREADS; i++)
        tasks[i] = (struct task){ "int same;", NULL };
    run_all(tasks);
    assert_int_equal(right, THREADS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
    const struct CMUnitTest tests[] = {
        TEST(one_compiles_for_all),
        TEST(a_failure_is_told_to_all),
        TEST(different_sources_are_compiled_side_by_side),
        TEST(who_is_cancelled_wakes_the_next),
        TEST(without_a_cache_each_compiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
