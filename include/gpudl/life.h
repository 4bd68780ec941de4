/* The life of loaded code: resident, replaced, retired, unloaded. Part of <gpudl/gpudl.h>, which includes it.
 *
 * Loading code disturbs nobody. Making it resident on a device, and unloading what is resident, wait in the driver for every
 * kernel that runs there, and launches of all threads wait behind (docs/DRIVER-BEHAVIOUR.md). So gpudl does both at moments:
 * at once, where the caller says so; at points that the program names with gpudl_loader_reap(), between two frames or batches;
 * or when the device is seen idle, where the program has promised to capture no graphs (gpudl_loader_options.captures).
 *
 * A version that nobody holds any more stays warm: a load of the same content finds it, resident as it was. Beyond the loader's
 * bounds for warm versions, and where it can be nobody else's as it has globals, it is retired, and unloaded at the next
 * such moment. Beyond the bounds for retired versions the oldest is unloaded at once, whatever waits for it. Of loaders that share
 * a version the last one keeps it so; the others let go of it at once. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_LIFE_H
#define GPUDL_LIFE_H

#ifdef __cplusplus
extern "C" {
#endif

/* When to do what every running kernel is waited for with. */
typedef struct gpudl_when {
    unsigned mode;              /* 0: now; GPUDL_WHEN_IDLE, GPUDL_WHEN_BY */
    unsigned reserved;          /* 0 */
    uint64_t timeout_ns;
} gpudl_when;

#define GPUDL_WHEN_IDLE 1u      /* at a named point, or when the device is seen idle; else fail when the time is up */
#define GPUDL_WHEN_BY   2u      /* the same; else do it when the time is up */

static inline gpudl_when gpudl_now(void)
{
    gpudl_when w = { 0, 0, 0 };
    return w;
}

static inline gpudl_when gpudl_when_idle(uint64_t timeout_ns)
{
    gpudl_when w = { GPUDL_WHEN_IDLE, 0, timeout_ns };
    return w;
}

static inline gpudl_when gpudl_by(uint64_t timeout_ns)
{
    gpudl_when w = { GPUDL_WHEN_BY, 0, timeout_ns };
    return w;
}

/**
 * Name a point where waiting for running kernels hurts nobody: what waits for such a point is made resident, and retired versions
 * are unloaded. Must not be called while a stream of the program is being captured.
 * @timeout_ns:  how long to wait for the device to finish what it was given; 0: only if it has
 * @left:        written on success: how many retired versions are still loaded; may be NULL
 *
 * Looked at are the current context and the primary ones of all devices that are in use. Never waits for a kernel that does not
 * end: succeeds with all of them left when the time is up. Under drivers before CUDA 12.5 only streams that synchronise with
 * the legacy default stream are waited for by name; unloading waits for the others.
 */
GPUDL_API gpudl_status gpudl_loader_reap(gpudl_loader *loader, uint64_t timeout_ns, size_t *left);

/**
 * Let go of warm versions until at most so many of so many bytes are left; they are retired. 0, 0: of all.
 */
GPUDL_API gpudl_status gpudl_loader_trim(gpudl_loader *loader, uint64_t bytes, size_t count);

typedef struct gpudl_loader_stats {
    size_t size_of_struct;      /* sizeof(gpudl_loader_stats) */
    uint64_t loads;             /* versions that this loader gave to the driver */
    uint64_t shared;            /* loads that found a version which others held */
    uint64_t warm_hits;         /* loads that found a warm one */
    uint64_t unloads;           /* by this loader: others may unload what it loaded, and it what they did */
    uint64_t forced;            /* of them, not at a moment: beyond the bounds, or short of memory */
    uint64_t replaces, rollbacks;
    uint64_t captured;          /* versions given to graphs to hold */
    size_t held, warm, retired; /* versions now */
    uint64_t warm_bytes, retired_bytes; /* of code, as in the image; what the device holds is somewhat more */
    uint64_t joined;            /* loads that found a version of another loader's, of whatever copy of gpudl in the process */
} gpudl_loader_stats;
GPUDL_API gpudl_status gpudl_loader_statistics(gpudl_loader *loader, gpudl_loader_stats *out);
/**
 * The same as a JSON object, with what the loader's cache of compiled code did: {"loads":3,...,"cache":{"hits":1,...}}. Later versions
 * add members.
 * @out:  size bytes of the caller's; always ends in NUL, if size is not 0
 *
 * Returns the length of the whole text, without the NUL, as snprintf() does: it is cut where that is not less than size. 0: it failed.
 */
GPUDL_API size_t gpudl_loader_stats_json(gpudl_loader *loader, char *out, size_t size);

/**
 * Make a library's kernels ready on devices: its first launches there are as quick as later ones.
 * @devices:  ordinals, counting from 0; NULL with n 0: the device of the current context, else device 0
 * @when:     gpudl_now(): at once, waiting for what runs; or at a moment
 *
 * Those kernels that were asked for, or one where none were; those that are asked for later are made ready as they are, which
 * waits for nothing. Fails with GPUDL_ERROR_TIMEOUT when no moment came in time. When the device is out of memory, warm and
 * retired versions are unloaded, and it is tried once more.
 */
GPUDL_API gpudl_status gpudl_library_make_resident(gpudl_library *library, const int *devices, size_t n, gpudl_when when);

#define GPUDL_REPLACE_KEEP_PREVIOUS 1u  /* stay able to go back: the present version is held until the next replace or the release */

typedef struct gpudl_replace_options {
    size_t size;                /* sizeof(gpudl_replace_options) */
    uint64_t flags;             /* GPUDL_REPLACE_... */
    const gpudl_load_options *load; /* NULL: as the library was loaded */
    gpudl_when when;            /* for making the new version resident where the present one is; now if not set */
    /* Launches that the new version must stand first, in another process (<gpudl/trial.h>): an array. */
    const gpudl_trial *trials;
    size_t ntrials;
    const char *trial_driver;   /* theirs, in the words of gpudl_loader_options.driver; NULL: the library's */
    uint64_t trial_timeout_ns;  /* for all of them, the start of that process included; 0: 30 s */
} gpudl_replace_options;
#define GPUDL_REPLACE_OPTIONS_INIT { sizeof(gpudl_replace_options), 0, NULL, { 0, 0, 0 }, NULL, 0, NULL, 0 }

/**
 * Turn a library to other code while launches go on. Its kernels follow: a launch that began before takes the old version, later
 * ones the new one, and no launch fails or waits for it.
 * @source:   read once, as in gpudl_library_load()
 * @options:  NULL for the defaults
 *
 * The new version is read, checked, compiled, loaded, and resident wherever the present one is, before it is seen. It is
 * refused with GPUDL_ERROR_REPLACE, and the library stays as it is, when a kernel in use is gone, takes other parameters, or
 * can no longer be launched with the largest block or the most shared memory that was seen. Attributes of kernels carry over.
 * Values of globals do not: see gpudl_version_copy_globals(). Pins, pointers to globals and native handles keep the version that
 * they are of. The old version stays loaded for launches on their way, for pins and for graphs, then it is warm or retired.
 *
 * Trials are launched when all of that is found to fit, before the new version is resident here: one after another, on the code
 * loaded once, until one fails. GPUDL_ERROR_TRIAL says which, and how: a fault in the driver's words, the time that was up, the
 * first element that is not as expected. GPUDL_ERROR_FILE_MISSING: there is no gpudl-trial, and where it was looked for. Where
 * trial_driver is set, load options that say how PTX is compiled are left out; host tables always are, and registered kernels
 * have no image to be tried (GPUDL_ERROR_UNSUPPORTED). The cancel of a task and the end of a watch end a trial under way.
 *
 * Replaces of one library run one after another, and those behind wait. One that is to be made now, or by a deadline that has come,
 * does not wait for the moment of the one before it, which may be for its own thread to name: that one is made at once, too. One
 * that is to be made when idle fails with GPUDL_ERROR_TIMEOUT when its time is up before its turn; without a limit it waits for a
 * moment that another thread has to name. Content that is the library's already is a success that changes nothing.
 */
GPUDL_API gpudl_status gpudl_library_replace(gpudl_library *library, const gpudl_source *source,
                                             const gpudl_replace_options *options);

/**
 * Turn a library back to what it was before its last replace, which had GPUDL_REPLACE_KEEP_PREVIOUS; calling it again turns it
 * forth. GPUDL_ERROR_REPLACE: nothing was kept. Waits for a replace of the library that is under way, which is made at once; else
 * for nothing, as what was kept is resident.
 */
GPUDL_API gpudl_status gpudl_library_rollback(gpudl_library *library);

/* How often the library was turned: 0 before its first replace; goes up by 1 with each replace and rollback. */
GPUDL_API uint64_t gpudl_library_generation(gpudl_library *library);

/**
 * Copy the values of globals from one version to another, on one device: all that both have under the same name with the same
 * size, __constant__ ones included. To be called when no kernel that uses them runs; waits for the copies.
 * @copied:  how many; may be NULL
 */
GPUDL_API gpudl_status gpudl_version_copy_globals(gpudl_version *from, gpudl_version *to, int device, size_t *copied);

/* Which load made this version; counts from 1 in each loader, and is never reused. */
GPUDL_API uint64_t gpudl_version_number(gpudl_version *version);

#ifdef __cplusplus
}
#endif
#endif
