/* sides.h - a copy of gpudl with a loader over the null driver. Its failures are the test's. */
#ifndef TESTS_SHARE_SIDES_H
#define TESTS_SHARE_SIDES_H

#include "tests/loader/common.h"
#include "tests/share/copy.h"

struct side {
    struct plugin plugin;               /* handle NULL: it is the program's own copy */
    const struct gpudl_copy *g;
    gpudl_loader *loader;
    gpudl_library *library;
    char said[4096];                    /* warnings and errors */
};

static const struct gpudl_copy own_copy = COPY_INIT(NULL);

#define side_ok(s, call) \
    do { \
        gpudl_status status_ = (s)->g->call; \
        if (status_ != GPUDL_OK) \
            fail_msg("%s: %s: %s", #call, gpudl_status_name(status_), (s)->g->error_text()); \
    } while (0)

static inline void side_listen(void *user, gpudl_log_level level, const char *text)
{
    struct side *s = user;
    size_t used = strlen(s->said);

    if (level <= GPUDL_LOG_WARNING)
        snprintf(s->said + used, sizeof(s->said) - used, "%s\n", text);
}

/* kind: as of plugin_open(), or "own". */
static inline void side_open_with(struct side *s, const char *kind, gpudl_loader_options options)
{
    memset(s, 0, sizeof(*s));
    s->g = &own_copy;
    if (strcmp(kind, "own") != 0) {
        assert_true(plugin_open(&s->plugin, kind));
        s->g = s->plugin.copy;
    }
    options.driver = harness_null_driver();
    options.log = side_listen;
    options.log_user = s;
    side_ok(s, loader_open(&options, &s->loader));
}

static inline void side_open(struct side *s, const char *kind)
{
    side_open_with(s, kind, (gpudl_loader_options)GPUDL_LOADER_OPTIONS_INIT);
}

static inline void side_load_with(struct side *s, const gpudl_source *source, const gpudl_load_options *options)
{
    side_ok(s, library_load(s->loader, source, options, &s->library));
}

static inline void side_load(struct side *s)
{
    side_load_with(s, DATA_SOURCE(names_cubin), NULL);
}

static inline void side_launch(struct side *s, const char *kernel)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_kernel *k;

    side_ok(s, loader_use_device(s->loader, 0));
    side_ok(s, kernel_get(s->library, kernel, &k));
    side_ok(s, kernel_launch_params(k, &config, NULL));
    s->g->kernel_release(k);
}

static inline gpudl_loader_stats side_stats(struct side *s)
{
    gpudl_loader_stats stats = { .size_of_struct = sizeof(stats) };

    side_ok(s, loader_statistics(s->loader, &stats));
    return stats;
}

static inline void side_release(struct side *s)
{
    s->g->library_release(s->library);
    s->library = NULL;
}

static inline void side_close_loader(struct side *s)
{
    side_release(s);
    s->g->loader_close(s->loader);
    s->loader = NULL;
}

static inline void side_close_plugin(struct side *s)
{
    if (s->plugin.handle)
        assert_true(plugin_close(&s->plugin));
}

static inline void side_close(struct side *s)
{
    side_close_loader(s);
    side_close_plugin(s);
}

static inline unsigned long loads(void)
{
    return nulldrv_calls("cuLibraryLoadData");
}

static inline void assert_nothing_left(void)
{
    const char *text;

    assert_int_equal(nulldrv_alive("library"), 0);
    assert_int_equal(nulldrv_alive("context"), 0);
    if (nulldrv_misuses(&text))
        fail_msg("the driver was misused: %s", text);
}

#endif
