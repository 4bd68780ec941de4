/* generated.c - a program that writes kernels while it runs. First as a JIT compiler does: expressions become CUDA C++
 * (expression.c), are compiled, take the place of the code before them, and are compared with the host. Then one of them is the
 * activation function of a network that is in training, and another takes its place without the training being stopped: its
 * weights are in memory that is nobody's code.
 * usage: 17-generated-code [EXPRESSION...], in x with + - * / ( ) sin exp max. Exit status 77: there is no compiler. */
#include "expression.h"

#include <gpudl/gpudl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNITS = 32, POINTS = 128, STEPS = 50, LAUNCHES = 100 }; /* UNITS: as in train.cu */

GPUDL_EMBEDDED_DECLARE(train_source);

static const gpudl_driver_table *cu;
static gpudl_library *library;
static gpudl_kernel *plot, *train;
static CUdeviceptr x, y, network, loss_there;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(failed == GPUDL_ERROR_NO_COMPILER ? 77 : 1);
}
#define MUST(call) must(call, #call)

/* ------------------------------------------------------------------------------------------------------------- code from text */

/* What a load of generated code needs, in one place, as the options lead from one to the next. */
struct generated {
    struct expression expression;
    char text[8192];
    gpudl_header header;
    gpudl_compile_options compile;
    gpudl_load_options load;
    gpudl_replace_options replace;
};

static void generate(const char *expression, struct generated *g)
{
    const char *wrong = expression_parse(expression, &g->expression);

    if (wrong) {
        fprintf(stderr, "'%s' is not understood, or is too long, from here on: '%s'\n", expression, wrong);
        exit(2);
    }
    MUST(expression_generate(&g->expression, "activation", g->text, sizeof(g->text)));
    g->header = (gpudl_header){ "activation.h", g->text }; /* train.cu includes it; nothing is written to disk */
    g->compile = (gpudl_compile_options)GPUDL_COMPILE_OPTIONS_INIT;
    g->compile.headers = &g->header, g->compile.nheaders = 1;
    g->load = (gpudl_load_options)GPUDL_LOAD_OPTIONS_INIT;
    g->load.compile = &g->compile;
    g->replace = (gpudl_replace_options)GPUDL_REPLACE_OPTIONS_INIT;
    g->replace.load = &g->load;
}

static gpudl_source source(void)
{
    return gpudl_source_text("train.cu", (const char *)train_source);
}

/* Later kernels take the first one's place, so handles are asked for once. What was compiled before, in this run or another, is
 * found on disk. */
static void swap_in(struct generated *g)
{
    gpudl_source s = source();

    if (library) {
        MUST(gpudl_library_replace(library, &s, &g->replace));
        return;
    }
    MUST(gpudl_library_load(NULL, &s, &g->load, &library));
    MUST(gpudl_kernel_get(library, "plot", &plot));
    MUST(gpudl_kernel_get(library, "train", &train));
}

/* ---------------------------------------------------------------------------------------------------------------- expressions */

static void show_expression(const char *text)
{
    gpudl_launch_config config = gpudl_launch_1d(POINTS / 64, 64);
    struct generated g;
    float at[POINTS], seen[POINTS];
    double farthest = 0;

    generate(text, &g);
    swap_in(&g);
    for (int i = 0; i < POINTS; i++)
        at[i] = ((float)i - 0.5f * POINTS + 0.5f) / 16; /* -4 to 4; never 0 */
    MUST(cu->MemcpyHtoD(x, at, sizeof(at)));
    MUST(gpudl_launch(plot, &config, x, y));
    MUST(cu->MemcpyDtoH(seen, y, sizeof(seen)));
    for (int i = 0; i < POINTS; i++) {
        double wanted = expression_value(&g.expression, at[i]);

        farthest = fmax(farthest, fabs(seen[i] - wanted) / fmax(fabs(wanted), 1));
    }
    printf("generation %d, %2d statements: %s: host and device differ by %.1e\n", (int)gpudl_library_generation(library),
        g.expression.n, text, farthest);
    MUST(farthest > 1e-4); /* float against double */
}

/* ------------------------------------------------------------------------------------------------------------------- training */

/* Weights by chance, but the same each time; samples of a wave. */
static void prepare_training(void)
{
    float weights[3 * UNITS], at[UNITS], wanted[UNITS];
    unsigned seed = 1;

    for (int i = 0; i < 3 * UNITS; i++) {
        seed = seed * 1664525u + 1013904223u;
        weights[i] = ((float)(seed >> 8) / (1 << 23) - 1) * (i < 2 * UNITS ? 2.0f : 0.3f);
    }
    for (int i = 0; i < UNITS; i++) {
        at[i] = 2.0f * (float)i / (UNITS - 1) - 1;
        wanted[i] = sinf(4 * at[i]);
    }
    MUST(cu->MemcpyHtoD(network, weights, sizeof(weights)));
    MUST(cu->MemcpyHtoD(x, at, sizeof(at)));
    MUST(cu->MemcpyHtoD(y, wanted, sizeof(wanted)));
}

static float train_for(int launches)
{
    gpudl_launch_config config = gpudl_launch_1d(1, UNITS);
    float loss;

    while (launches-- > 0)
        MUST(gpudl_launch(train, &config, network, x, y, STEPS, 0.02f, loss_there));
    MUST(cu->MemcpyDtoH(&loss, loss_there, sizeof(loss)));
    return loss;
}

static void train_and_swap(const char *activation, const char *another)
{
    struct generated g;
    gpudl_source s = source();
    gpudl_task *task;
    float begun, before, after, ended;
    int steps = LAUNCHES * STEPS, meanwhile = 0;

    generate(activation, &g);
    swap_in(&g);
    prepare_training();
    begun = train_for(1);
    before = train_for(LAUNCHES - 1);
    printf("training with %s: loss %.4f, after %d steps %.4f\n", activation, (double)begun, steps, (double)before);

    generate(another, &g); /* compiled by a thread of the loader's, while this one goes on to train */
    MUST(gpudl_library_replace_async(library, &s, &g.replace, NULL, &task));
    for (; !gpudl_task_ended(task); meanwhile += STEPS)
        before = train_for(1);
    MUST(gpudl_task_wait(task, UINT64_MAX));
    gpudl_task_release(task);

    after = train_for(1);
    ended = train_for(LAUNCHES);
    printf("%s was swapped in: %d steps went on meanwhile\n", another, meanwhile);
    printf("training with %s: loss %.4f, now %.4f, after %d steps %.4f\n", another, (double)before, (double)after, steps,
        (double)ended);
    MUST(!(before < begun && ended < begun)); /* as neither would be that is NaN */
}

int main(int argc, char **argv)
{
    static const char *const some[] = { "x", "1 - 2 * (x - 3) / 4", "sin(x) * exp(-x * x)", "max(x, -x) / (1 + max(x, -x))" };

    MUST(gpudl_loader_use_device(NULL, 0));
    cu = gpudl_loader_driver(NULL);
    MUST(cu->MemAlloc(&x, POINTS * sizeof(float)));
    MUST(cu->MemAlloc(&y, POINTS * sizeof(float)));
    MUST(cu->MemAlloc(&network, 3 * UNITS * sizeof(float)));
    MUST(cu->MemAlloc(&loss_there, sizeof(float)));

    for (int i = 1; i < argc; i++)
        show_expression(argv[i]);
    for (size_t i = 0; argc < 2 && i < sizeof(some) / sizeof(*some); i++)
        show_expression(some[i]);
    if (argc < 2)
        train_and_swap("max(x, 0)", "x / (1 + exp(-x))");

    gpudl_kernel_release(plot);
    gpudl_kernel_release(train);
    gpudl_library_release(library);
    MUST(cu->MemFree(x));
    MUST(cu->MemFree(y));
    MUST(cu->MemFree(network));
    MUST(cu->MemFree(loss_there));
    return 0;
}
