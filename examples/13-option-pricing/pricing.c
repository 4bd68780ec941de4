/* pricing.c - specialised kernels: prices of options by Monte Carlo and on a binomial tree (of Cox, Ross and Rubinstein). A program
 * that was built before anybody asked has one generic kernel for each, with run-time parameters. This one also compiles, when it
 * runs, a kernel for the payoff, the number of steps and the precision that are asked for; compares its results with the generic
 * one's and with Black and Scholes' formula, or with bounds; and prints what it gains. Precision follows from the volatility, unless
 * it is asked for: rounding must stay below a tenth of the method's own error. pricing.cu has the kernels.
 *
 *     option_pricing [--payoff european|american|asian|all] [--paths N] [--steps N] [--volatility V]
 *                    [--precision single|mixed|double] [--quick]
 *
 * Exits with 1 where a result is not as it should be, and with 77 where there is no device or no compiler. */
#include <gpudl/gpudl.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

GPUDL_EMBEDDED_DECLARE(pricing_source);

enum payoff { EUROPEAN, AMERICAN, ASIAN, ALL }; /* as in pricing.cu */
enum precision { SINGLE, MIXED, DOUBLE };
enum way { SPECIALISED, GENERIC, GENERIC_DOUBLE, WAYS };
enum { THREADS = 128, MOST_BLOCKS = 1024, MOST_OPTIONS = 8192, MOST_STEPS = 1024, MOST_ROUNDS = 15, NOT_HERE = 77 };

static const char *const payoff_names[] = { "european", "american", "asian", "all" };
static const char *const precision_names[] = { "single", "mixed", "double" };

/* The market of all options here; their strikes are the spot's price, those of trees lie around it. */
static const double spot = 100, rate = 0.05, years = 1;

struct pricing {
    gpudl_loader *loader;
    const gpudl_driver_table *driver;
    CUdeviceptr out; /* MOST_OPTIONS doubles */
    gpudl_library *generic;
    double generic_compile_ms;
    enum payoff payoff;
    enum precision precision;
    bool asked; /* for that precision; else the volatility says which */
    unsigned paths, options, blocks, rounds;
    int steps;
    double volatility;
};

struct job {
    const struct pricing *pricing;
    bool tree;
    enum payoff payoff;
    enum precision precision;
    double own_error, rounding[3]; /* of the method, and of each precision, as parts of the spot price */
    gpudl_kernel *kernels[WAYS];
    double first_ms, again_ms; /* to compile */
    bool kept;                 /* nothing was compiled again */
};

struct result {
    size_t n;
    double values[MOST_OPTIONS], standard_error, ms[MOST_ROUNDS];
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int library_said_no(const char *tried)
{
    fprintf(stderr, "option_pricing: %s.\n%s\n", tried, gpudl_error_text());
    return 1;
}

static int driver_said_no(const struct pricing *p, const char *tried, int code)
{
    const char *text = "";

    p->driver->GetErrorString(code, &text);
    fprintf(stderr, "option_pricing: %s. The driver says: %s (%d)\n", tried, text, code);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------- without a device */

static double normal_below(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

/* A call (sign 1) or a put (-1) on a price whose logarithm at the end is normal, with this mean of the price and deviation of the
 * logarithm. */
static double lognormal_price(int sign, double mean, double deviation, double strike)
{
    double d1 = log(mean / strike) / deviation + deviation / 2, d2 = d1 - deviation;

    return exp(-rate * years) * sign * (mean * normal_below(sign * d1) - strike * normal_below(sign * d2));
}

static double black_scholes(int sign, double volatility, double strike)
{
    return lognormal_price(sign, spot * exp(rate * years), volatility * sqrt(years), strike);
}

/* A call on the geometric mean of the prices, which is never above the arithmetic one. */
static double geometric_asian(double volatility, int steps)
{
    double n = steps, variance = volatility * volatility * years * (n + 1) * (2 * n + 1) / (6 * n * n);
    double drift = (rate - volatility * volatility / 2) * years * (n + 1) / (2 * n);

    return lognormal_price(1, spot * exp(drift + variance / 2), sqrt(variance), spot);
}

static double strike_of(const struct pricing *p, size_t option)
{
    return spot * (0.8 + 0.4 * (double)option / p->options);
}

/* -------------------------------------------------------------------------------------------------------------- precision */

/* Of a tree: its prices are a step apart, and it varies less than the market does, by the square of a step's drift, which matters at
 * low volatilities. An option at the money sees 0.4 of a change in the deviation. */
static double tree_error(const struct pricing *p)
{
    double drift = rate - p->volatility * p->volatility / 2,
           lost = drift * drift * (years / p->steps) / (p->volatility * p->volatility);

    return p->volatility * sqrt(years) * (1.0 / p->steps + 0.4 * (1 - sqrt(fmax(1 - lost, 0))));
}

/* A float is off by 2^-24. Along a path that adds up as a random walk does; in sums it may add up in full. */
static void choose_precision(struct job *job)
{
    const struct pricing *p = job->pricing;
    double threads = p->blocks * (double)THREADS, terms = job->tree ? p->steps : ceil(p->paths / threads);
    double path = 0x1p-24 * sqrt(p->steps);

    job->own_error = job->tree ? tree_error(p) : p->volatility * sqrt(years / p->paths);
    job->rounding[SINGLE] = path + 0x1p-24 * terms;
    job->rounding[MIXED] = path;
    job->rounding[DOUBLE] = (path + 0x1p-24 * terms) * 0x1p-29;
    job->precision = p->asked ? p->precision : SINGLE;
    while (!p->asked && job->precision < DOUBLE && job->rounding[job->precision] > job->own_error / 10)
        job->precision++;
}

static void tell_precision(const struct job *job)
{
    const char *whose = job->tree ? "the tree's" : "the sampling";

    printf("  precision  %s%s: ", precision_names[job->precision], job->pricing->asked ? ", as asked" : "");
    for (int i = SINGLE; i < (int)job->precision; i++)
        printf("%s might be off by %.1e of the spot, ", precision_names[i], job->rounding[i]);
    printf("%s by %.1e; a tenth of %s error at volatility %g is %.1e\n", precision_names[job->precision],
        job->rounding[job->precision], whose, job->pricing->volatility, job->own_error / 10);
}

/* ------------------------------------------------------------------------------------------------------------- compilation */

static int compiler_said(gpudl_status status, const char *tried)
{
    library_said_no(tried);
    return status == GPUDL_ERROR_NO_COMPILER ? NOT_HERE : 1;
}

/* The time of a compilation. kept: it had been compiled before, and was taken from disk. */
static gpudl_status time_compile(const struct pricing *p, gpudl_compile_options options, unsigned flags, double *ms, bool *kept)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    gpudl_code *code = NULL;
    double begin = now_ms();
    gpudl_status status;

    options.flags = flags;
    status = gpudl_compile(p->loader, GPUDL_TEXT("pricing.cu", (const char *)pricing_source), &options, &code);
    *ms = now_ms() - begin;
    if (!status)
        status = gpudl_code_describe(code, &info);
    *kept = info.kept;
    gpudl_code_release(code);
    return status;
}

static int load(
    const struct pricing *p, const gpudl_compile_options *compile, gpudl_library **out, double *first, double *again, bool *kept)
{
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_status status = time_compile(p, *compile, GPUDL_COMPILE_NO_CACHE, first, kept);

    options.compile = compile;
    if (!status)
        status = gpudl_library_load(p->loader, GPUDL_TEXT("pricing.cu", (const char *)pricing_source), &options, out);
    if (!status)
        status = time_compile(p, *compile, 0, again, kept);
    return status ? compiler_said(status, "pricing.cu was not compiled and loaded") : 0;
}

static int load_generic(struct pricing *p)
{
    const char *const options[] = { "-DGENERIC" };
    gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    double again;
    bool kept;

    compile.options = options, compile.noptions = 1;
    return load(p, &compile, &p->generic, &p->generic_compile_ms, &again, &kept);
}

static int get_kernels(struct job *job)
{
    const char *generic = job->tree ? "tree_generic" : "monte_carlo_generic";
    const char *path = job->precision == DOUBLE ? "double" : "float", *sum = job->precision == SINGLE ? "float" : "double";
    char name[96];
    const char *const names[] = { name };
    gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_library *library = NULL;
    int failed;

    snprintf(name, sizeof(name), "%s<%s, %s, %d, %d>", job->tree ? "tree" : "monte_carlo", path, sum, job->payoff,
        job->pricing->steps);
    compile.names = names, compile.nnames = 1;
    failed = load(job->pricing, &compile, &library, &job->first_ms, &job->again_ms, &job->kept);
    if (!failed &&
        (gpudl_kernel_get(library, name, &job->kernels[SPECIALISED]) ||
            gpudl_kernel_get(job->pricing->generic, generic, &job->kernels[GENERIC]) ||
            gpudl_kernel_get(job->pricing->generic, generic, &job->kernels[GENERIC_DOUBLE])))
        failed = library_said_no("a kernel was not found");
    gpudl_library_release(library); /* the kernels keep the code */
    if (!failed)
        printf("  kernel     %s\n", name);
    return failed;
}

/* ----------------------------------------------------------------------------------------------------------------- launches */

static gpudl_status launch_paths(const struct job *job, enum way way)
{
    const struct pricing *p = job->pricing;
    gpudl_launch_config config = gpudl_launch_1d(p->blocks, THREADS);
    int precision = way == GENERIC_DOUBLE ? DOUBLE : (int)job->precision, payoff = job->payoff;
    double dt = years / p->steps, drift = (rate - p->volatility * p->volatility / 2) * dt, spread = p->volatility * sqrt(dt);

    if (way == SPECIALISED)
        return gpudl_launch(job->kernels[way], &config, p->paths, spot, spot, drift, spread, p->out);
    return gpudl_launch(job->kernels[way], &config, precision, payoff, p->steps, p->paths, spot, spot, drift, spread, p->out);
}

static double chance_up(const struct pricing *p)
{
    double dt = years / p->steps, log_up = p->volatility * sqrt(dt);

    return (exp(rate * dt) - exp(-log_up)) / (exp(log_up) - exp(-log_up));
}

static gpudl_status launch_tree(const struct job *job, enum way way)
{
    const struct pricing *p = job->pricing;
    gpudl_launch_config config = gpudl_launch_1d(way == SPECIALISED ? (p->options + 3) / 4 : p->options, THREADS);
    int precision = way == GENERIC_DOUBLE ? DOUBLE : (int)job->precision, payoff = job->payoff;
    double dt = years / p->steps, log_up = p->volatility * sqrt(dt), back = exp(-rate * dt), up = chance_up(p);
    double lowest = strike_of(p, 0), apart = strike_of(p, 1) - lowest;

    if (way == SPECIALISED)
        return gpudl_launch(job->kernels[way], &config, p->options, spot, lowest, apart, log_up, up, back, p->out);
    config.shared_bytes = (4 * (unsigned)p->steps + 3) * sizeof(double);
    return gpudl_launch(
        job->kernels[way], &config, precision, payoff, p->steps, p->options, spot, lowest, apart, log_up, up, back, p->out);
}

/* One launch, and what it took until the device was done. */
static int run_once(const struct job *job, enum way way, double *ms)
{
    double begin = now_ms();
    int code;

    if (job->tree ? launch_tree(job, way) : launch_paths(job, way))
        return library_said_no("a kernel was not launched");
    code = job->pricing->driver->CtxSynchronize();
    *ms = now_ms() - begin;
    return code ? driver_said_no(job->pricing, "a kernel failed", code) : 0;
}

/* Sums of payoffs and of their squares, two of each block, become a price and its standard error. */
static void finish_paths(const struct pricing *p, struct result *r)
{
    double sum = 0, squares = 0, n = p->paths, worth = exp(-rate * years), mean;

    for (unsigned i = 0; i < p->blocks; i++)
        sum += r->values[2 * i], squares += r->values[2 * i + 1];
    mean = sum / n;
    r->standard_error = worth * sqrt(fmax(squares / n - mean * mean, 0) / n);
    r->values[0] = worth * mean;
    r->n = 1;
}

static int fetch(const struct job *job, struct result *r)
{
    const struct pricing *p = job->pricing;
    size_t n = job->tree ? p->options : 2 * p->blocks;
    int code = p->driver->MemcpyDtoH(r->values, p->out, n * sizeof(double));

    if (code)
        return driver_said_no(p, "results were not copied", code);
    r->n = n;
    if (!job->tree)
        finish_paths(p, r);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A launch of each to warm up, whose results are kept, then rounds of all in turn. */
static int measure(const struct job *job, struct result results[WAYS])
{
    int failed = 0;
    double ms;

    for (int way = 0; way < WAYS && !failed; way++) {
        int cleared = job->pricing->driver->MemsetD8(job->pricing->out, 0xff, MOST_OPTIONS * sizeof(double));

        failed = cleared ? driver_said_no(job->pricing, "memory was not filled", cleared) : run_once(job, way, &ms);
        failed = failed ? failed : fetch(job, &results[way]);
    }
    for (unsigned round = 0; round < job->pricing->rounds && !failed; round++)
        for (int way = 0; way < WAYS && !failed; way++)
            failed = run_once(job, way, &results[way].ms[round]);
    for (int way = 0; way < WAYS && !failed; way++)
        qsort(results[way].ms, job->pricing->rounds, sizeof(double), by_size);
    return failed;
}

/* -------------------------------------------------------------------------------------------------------------------- checks */

/* 0 if it is so; NaN never is. */
static int check(const char *against, double off, double allowed)
{
    bool good = off <= allowed;

    printf("  %s  %s: off by %.1e, %.1e allowed\n", good ? "checked  " : "WRONG    ", against, off, allowed);
    return !good;
}

/* The larger; NaN where either is. */
static double worse(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

static double farthest(const struct result *a, const struct result *b)
{
    double most = 0;

    for (size_t i = 0; i < a->n; i++)
        most = worse(most, fabs(a->values[i] - b->values[i]));
    return most;
}

/* European options have a formula; Asian and American ones have others on both sides of them. */
static int check_theory(const struct job *job, const struct result *r)
{
    const struct pricing *p = job->pricing;
    double allowed = job->tree ? spot * job->own_error : 4 * r->standard_error, below = 0, above = 0, off = 0;

    for (size_t i = 0; i < r->n; i++) {
        double value = r->values[i], strike = job->tree ? strike_of(p, i) : spot;
        double europe = black_scholes(job->payoff == AMERICAN ? -1 : 1, p->volatility, strike);
        double floor = job->payoff == ASIAN ? geometric_asian(p->volatility, p->steps) : fmax(europe, strike - spot);
        double ceiling = job->payoff == ASIAN ? europe : europe + strike * (1 - exp(-rate * years));

        off = worse(off, fabs(value - europe));
        below = worse(below, floor - value);
        above = worse(above, value - ceiling);
    }
    if (job->payoff == EUROPEAN)
        return check("Black and Scholes' formula", off, allowed);
    if (job->payoff == ASIAN)
        return check("not below one on the geometric mean", below, allowed) | check("not above a European one", above, allowed);
    return check("not below a European one or its exercise now", below, allowed) |
        check("not above a European one and the strike's interest", above, allowed);
}

static int check_all(const struct job *job, const struct result results[WAYS])
{
    const struct result *mine = &results[SPECIALISED];
    int wrong = check("the generic kernel", farthest(mine, &results[GENERIC]), spot * job->rounding[job->precision]);

    wrong |= check("the generic kernel in double", farthest(mine, &results[GENERIC_DOUBLE]),
        spot * (job->precision == DOUBLE || job->pricing->asked ? job->rounding[job->precision] : job->own_error / 10));
    return wrong | check_theory(job, mine);
}

/* The words that the authors of Philox publish for a counter and a key of nothing but ones. */
static int check_draws(const struct pricing *p)
{
    static const unsigned published[4] = { 0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662 };
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *kernel = NULL;
    unsigned words[4] = { 0 }, ones = 0xffffffff;
    int failed = 0, code;

    if (gpudl_kernel_get(p->generic, "philox_words", &kernel) || gpudl_launch(kernel, &config, ones, ones, p->out))
        failed = library_said_no("the generator was not tried");
    code = failed ? 0 : p->driver->MemcpyDtoH(words, p->out, sizeof(words));
    if (code)
        failed = driver_said_no(p, "the generator failed", code);
    gpudl_kernel_release(kernel);
    if (!failed && memcmp(words, published, sizeof(words))) {
        fprintf(stderr, "option_pricing: the generator gives %08x %08x %08x %08x, not Philox's %08x %08x %08x %08x\n", words[0],
            words[1], words[2], words[3], published[0], published[1], published[2], published[3]);
        failed = 1;
    }
    return failed;
}

/* ----------------------------------------------------------------------------------------------------------------------- jobs */

static void report(const struct job *job, const struct result results[WAYS])
{
    const struct pricing *p = job->pricing;
    double ms[WAYS];

    for (int way = 0; way < WAYS; way++)
        ms[way] = results[way].ms[p->rounds / 2];
    if (job->tree)
        printf("  price      %.4f, strike %g\n", results[SPECIALISED].values[p->options / 2], strike_of(p, p->options / 2));
    else
        printf("  price      %.4f, standard error %.1e\n", results[SPECIALISED].values[0], results[SPECIALISED].standard_error);
    printf("  compiled   in %.1f ms, %s in %.2f ms\n", job->first_ms, job->kept ? "found again" : "not kept, and again",
        job->again_ms);
    printf("  time       specialised %.3f ms; generic %.3f ms, generic in double %.3f ms (medians of %u)\n", ms[SPECIALISED],
        ms[GENERIC], ms[GENERIC_DOUBLE], p->rounds);
    printf("  gain       %.2f times as fast as the generic kernel, %.2f times as in double\n", ms[GENERIC] / ms[SPECIALISED],
        ms[GENERIC_DOUBLE] / ms[SPECIALISED]);
}

static int price(const struct pricing *p, bool tree, enum payoff payoff)
{
    static struct result results[WAYS];
    struct job job = { .pricing = p, .tree = tree, .payoff = payoff };
    int failed;

    if (tree)
        printf("%s options on a tree: %u of %d steps\n", payoff_names[payoff], p->options, p->steps);
    else
        printf("%s option by Monte Carlo: %u paths of %d steps\n", payoff_names[payoff], p->paths, p->steps);
    choose_precision(&job);
    tell_precision(&job);
    failed = get_kernels(&job);
    failed = failed ? failed : measure(&job, results);
    if (!failed) {
        report(&job, results);
        failed = check_all(&job, results);
    }
    for (int way = 0; way < WAYS; way++)
        gpudl_kernel_release(job.kernels[way]);
    return failed;
}

static int price_wanted(const struct pricing *p)
{
    bool all = p->payoff == ALL, tree = chance_up(p) < 1;
    int failed = 0;

    if (all || p->payoff == EUROPEAN)
        failed = price(p, false, EUROPEAN);
    if (!failed && (all || p->payoff == ASIAN))
        failed = price(p, false, ASIAN);
    if (!failed && p->payoff != ASIAN && !tree)
        printf("No tree: at volatility %g and %d steps its chance to go up is %.2f; more steps or volatility are needed.\n",
            p->volatility, p->steps, chance_up(p));
    if (!failed && tree && (all || p->payoff == EUROPEAN))
        failed = price(p, true, EUROPEAN);
    if (!failed && tree && (all || p->payoff == AMERICAN))
        failed = price(p, true, AMERICAN);
    return failed;
}

static int open_device(struct pricing *p)
{
    gpudl_status status = gpudl_loader_open(NULL, &p->loader);
    int code;

    if (status) {
        library_said_no("there is no driver to work with");
        return status == GPUDL_ERROR_NO_DRIVER || status == GPUDL_ERROR_NO_DEVICE ? NOT_HERE : 1;
    }
    p->driver = gpudl_loader_driver(p->loader);
    printf("%s\n", gpudl_loader_driver_text(p->loader));
    if (gpudl_loader_use_device(p->loader, 0))
        return library_said_no("the device cannot be used");
    code = p->driver->MemAlloc(&p->out, MOST_OPTIONS * sizeof(double));
    return code ? driver_said_no(p, "there is no memory for results", code) : 0;
}

/* --------------------------------------------------------------------------------------------------------------- command line */

static bool read_number(const char *text, double low, double high, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && *out >= low && *out <= high;
}

static bool read_option(struct pricing *p, const char *option, const char *value)
{
    double number;

    if (!strcmp(option, "--payoff")) {
        for (int i = EUROPEAN; i <= ALL; i++)
            if (!strcmp(value, payoff_names[i]))
                return p->payoff = (enum payoff)i, true;
    } else if (!strcmp(option, "--precision")) {
        for (int i = SINGLE; i <= DOUBLE; i++)
            if (!strcmp(value, precision_names[i]))
                return p->precision = (enum precision)i, p->asked = true;
    } else if (!strcmp(option, "--paths") && read_number(value, 1, 1u << 30, &number)) {
        return p->paths = (unsigned)number, true;
    } else if (!strcmp(option, "--steps") && read_number(value, 1, MOST_STEPS, &number)) {
        return p->steps = (int)number, true;
    } else if (!strcmp(option, "--volatility") && read_number(value, 1e-6, 2, &number)) {
        return p->volatility = number, true;
    }
    return false;
}

static bool read_options(struct pricing *p, int argc, char **argv, bool *quick)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick"))
            *quick = true;
        else if (i + 1 >= argc || !read_option(p, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

/* What the command line leaves open: little for tests, more for CPUs, much for GPUs. */
static void fill_in(struct pricing *p, bool quick)
{
    bool software = gpudl_loader_is_software(p->loader);

    p->rounds = quick ? 3 : software ? 9 : MOST_ROUNDS;
    p->blocks = quick ? 2 : software ? 64 : MOST_BLOCKS;
    p->options = quick ? 16 : software ? 1024 : MOST_OPTIONS;
    p->paths = p->paths ? p->paths : quick ? 1u << 12 : software ? 1u << 17 : 1u << 23;
    p->steps = p->steps ? p->steps : quick ? 32 : 256;
}

int main(int argc, char **argv)
{
    struct pricing p = { .payoff = ALL, .volatility = 0.2 };
    bool quick = false;
    int status;

    if (!read_options(&p, argc, argv, &quick)) {
        fprintf(stderr,
            "usage: option_pricing [--payoff european|american|asian|all] [--paths N, to %u] [--steps N, to %d]"
            " [--volatility V, 1e-6 to 2] [--precision single|mixed|double] [--quick]\n",
            1u << 30, MOST_STEPS);
        return 2;
    }
    status = open_device(&p);
    if (!status) {
        fill_in(&p, quick);
        status = load_generic(&p);
    }
    if (!status)
        printf("generic kernels compiled in %.1f ms\n", p.generic_compile_ms);
    status = status ? status : check_draws(&p);
    status = status ? status : price_wanted(&p);
    if (p.out)
        p.driver->MemFree(p.out);
    gpudl_library_release(p.generic);
    gpudl_loader_close(p.loader);
    return status;
}
