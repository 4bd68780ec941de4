/* Whether a loader is traced, and where to. */
#include <stdlib.h>

#include "src/compile/compile.h"
#include "src/loader/loader.h"
#include "src/loader/names/names.h"
#include "src/loader/source/trust.h"
#include "src/trace/nvtx.h"

static void tell(void *user, gpudl_log_level level, const char *text)
{
    gpudl__log(user, level, "%s", text);
}

void gpudl__loader_trace(gpudl_loader *l, const char *wanted)
{
    bool heed = !gpudl__trust_locked();
    const char *file = heed && (!wanted || !*wanted) ? secure_getenv("GPUDL_TRACE") : wanted;
    const struct trace_wish wish = {
        .file = file,
        .tables = file != wanted,
        .heed = heed,
        .driver = &l->driver,
        .find_cupti = gpudl__find_cupti,
        .demangle = gpudl__demangle,
        .tell = tell,
        .user = l,
    };

    if (heed)
        gpudl__nvtx_open();
    if (file && *file)
        l->trace = gpudl__trace_open(&wish);
}
