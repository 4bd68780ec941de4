/* internal.h - what the files of this room share. */
#ifndef GPUDL_COMPILE_INTERNAL_H
#define GPUDL_COMPILE_INTERNAL_H

#include <limits.h>

#include "src/cache/cache.h"
#include "src/compile/compile.h"

/* ---- strings.c: a buffer that grows. After it ran out of memory all calls do nothing */
struct strings {
    char *data;
    size_t used, room, count; /* count: of strings */
    bool failed;
};
void gpudl__strings_add(struct strings *, const char *text); /* with its NUL */
__attribute__((format(printf, 2, 3))) void gpudl__strings_addf(struct strings *, const char *format, ...);
void gpudl__strings_append(struct strings *, const void *bytes, size_t size); /* as they are */
const char *gpudl__strings_at(const struct strings *, size_t index);          /* NULL past the end; walks from the start */
/* An array of pointers to them, NULL at its end, to be freed; NULL: no memory. They move with the next addition. */
const char **gpudl__strings_array(const struct strings *);
void gpudl__strings_free(struct strings *);

/* ---- options.c: the caller's options, understood */
enum option_kind {
    OPTION_PLAIN,      /* changes the code, and names no file */
    OPTION_INCLUDE,    /* a folder */
    OPTION_SYSTEM,     /* a folder, behind those */
    OPTION_PREINCLUDE, /* a header */
    OPTION_DEFINE,
    OPTION_UNDEFINE,
    OPTION_STD,
    OPTION_HOST, /* about host code: means something to nvcc only, and nothing to what it makes of device code */
    OPTION_NVCC, /* changes what nvcc takes; others take it by themselves, or not at all */
    OPTION_FAST_MATH,
    OPTION_FMAD,
    OPTION_FTZ,
    OPTION_PREC_DIV,
    OPTION_PREC_SQRT,
    OPTION_DEBUG,
    OPTION_LINES,
    OPTION_TARGET,      /* taken out: compile_job says it */
    OPTION_RELOCATABLE, /* taken out */
    OPTION_LTO,         /* taken out */
    OPTION_REFUSED,
    OPTION_UNKNOWN, /* may read what we do not see */
};

struct option {
    enum option_kind kind;
    const char *word;  /* as given: "-Dn=4", "-I" */
    const char *value; /* "n=4", "folder"; NULL: it has none */
    bool apart;        /* the value is a word of its own */
};

struct options {
    struct option *list;
    size_t n;
    bool relocatable, lto;
    bool opaque; /* one of them may read what we do not see */
};
enum compile_error gpudl__options_parse(const char *const *words, size_t n, struct options *out, struct text *why);
void gpudl__options_free(struct options *);

/* ---- versions.c */
/* The names in a folder that are stem and a digit, sorted, lent by names and NULL at the end; the array is to be freed. NULL: no memory. */
const char **gpudl__versions_in(const char *folder, const char *stem, struct strings *names);

/* ---- find.c */
enum compiler_kind { COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG };
enum { COMPILER_KINDS = 3, INCLUDES_MOST = 4 };
#define CLANG_HEADER "gpudl_cuda.h" /* included before a source that clang compiles; in include[0] */

struct compiler {
    enum compiler_kind kind;
    char path[PATH_MAX];                   /* of the library or the program */
    char real[PATH_MAX];                   /* the same without symbolic links */
    char include[INCLUDES_MOST][PATH_MAX]; /* folders of its own that it does not search by itself; "" ends them */
};
const char *gpudl__compiler_name(enum compiler_kind);
/* The libnvJitLink that is taken; false: there is none, and looked says where it was looked for. */
bool gpudl__find_nvjitlink(char path[PATH_MAX], struct text *looked);
const char *gpudl__environment(const char *variable);   /* NULL: not set, or not to be heeded */
/* wanted as in compile_job. The first that makes this format, whose kind is not in passed (1 << kind). */
enum compile_error gpudl__compiler_find(
    const char *wanted, enum compile_format, unsigned passed, struct compiler *out, struct text *why);
/* Adds a file as the file system tells it, and its build id. */
void gpudl__identify_file(const char *path, struct cache_key_maker *);
/* Adds what it is made of, as far as its answers may depend on that, without opening or running it. */
void gpudl__compiler_identify(const struct compiler *, struct cache_key_maker *);

/* ---- spell.c: those options, as a compiler takes them */
void gpudl__spell(const struct option *, enum compiler_kind, struct strings *out);
void gpudl__spell_maths(const struct options *, struct strings *out); /* to clang */

/* ---- scan.c: what a source includes, whatever the conditionals say */
struct scan_place { /* where to look, in this order */
    const char *const *folders;
    size_t nfolders;
    const struct compile_header *headers;
    size_t nheaders;
    const char *const *defines; /* macros of the command line: "N=4" */
    size_t ndefines;
    size_t nown;            /* so many folders at the end are the compiler's own */
    struct strings *found;  /* paths of the headers that are files are added; NULL: nobody wants them */
};
struct scan {
    bool partial;    /* something may be read that is not known here: a name is made by a macro, a file could not be read */
    bool unresolved; /* a name was not found in these folders: the compiler may have others, of its own */
    bool foreign;           /* a header is a file, and not the compiler's own */
    bool changing;   /* __TIME__ and the like */
};
/* Adds every file and header that may be read to the key, with its content, and names that were looked for in vain. before: headers that are
 * included in front of the source, looked for from the current folder. False: no memory. */
bool gpudl__scan(const char *name, struct span text, const char *const *before, size_t nbefore, const struct scan_place *,
    struct cache_key_maker *, struct scan *out);
/* Where a header would be looked for, for a person. */
void gpudl__scan_tried(const char *from, const char *header, const struct scan_place *, struct text *);

/* ---- back ends */
struct work { /* a job on its way */
    const struct compile_job *job;
    const struct options *options;
    const struct compiler *compiler;
    struct compile_target target; /* to be made, of exactly this */
    bool relocatable;
    bool apart; /* NVRTC: in a process of its own */
};
struct made {             /* beside the result; freed by the caller, whatever it came to */
    struct strings log;   /* the compiler's */
    struct strings reads; /* files that it says it read */
};
/* why: what the log does not say. */
typedef enum compile_error back_end(const struct work *, struct compile_result *, struct made *, struct text *why);
back_end gpudl__nvrtc_compile, gpudl__nvcc_compile, gpudl__clang_compile;
back_end gpudl__nvrtc_compile_apart; /* apart.c */
/* What a log says of a failure: COMPILE_SOURCE, _HEADER, _OPTION or _TARGET. */
enum compile_error gpudl__log_judge(const char *log);
/* The header that was not found and where it is asked for; false: it is not said. */
bool gpudl__log_header(const char *log, char *header, size_t size, char *from, size_t from_size);
void gpudl__log_trim(struct strings *log);

/* ---- process.c */
struct process {
    const char *const *arguments; /* [0]: the program's path; ends with NULL */
    const char *const *environment;
    const char *folder; /* to run in; NULL: ours */
    bool (*cancelled)(void *user);
    void *user;
};
enum process_end { PROCESS_ENDED, PROCESS_KILLED, PROCESS_CANCELLED, PROCESS_NOT_STARTED };
/* Runs it to its end, with what it prints, from both streams, in output. *status: what it exited with, or the signal, or errno. */
enum process_end gpudl__process_run(const struct process *, struct strings *output, int *status);

/* ---- folder.c: a folder of our own, mode 0700, with what a process reads and writes */
struct folder {
    char path[PATH_MAX - 64];
    struct cache *cache; /* it is in there; NULL: where temporary files are */
    struct cache_scratch scratch;
};
bool gpudl__folder_make(struct cache *, struct folder *, struct text *why); /* cache may be NULL */
/* name may have folders in it, which are made; it must lead out of none. */
bool gpudl__folder_write(const struct folder *, const char *name, const struct span *parts, size_t n, struct text *why);
bool gpudl__folder_read(
    const struct folder *, const char *name, struct span *out, struct text *why); /* with a NUL behind; to be freed */
void gpudl__folder_remove(struct folder *);

/* ---- program.c: what nvcc and clang have in common */
struct program {
    const struct work *work;
    struct folder folder;
    struct strings arguments;
    char source[PATH_MAX], output[PATH_MAX], reads[PATH_MAX];
};
/* A folder with the source and the headers that are in memory; the program's path is the first argument. */
enum compile_error gpudl__program_begin(const struct work *, const char *extension, struct program *, struct text *why);
/* Runs it, and takes what it wrote to output. */
enum compile_error gpudl__program_run(struct program *, struct made *, struct span *out, struct text *why);
void gpudl__program_end(struct program *);
/* "gpudl-compile 1.2": the first line of what it prints for --version that has the word in it. */
void gpudl__program_version(const struct compiler *, const char *word, char *out, size_t size);

/* ---- names.c: name expressions for compilers that have no call for them */
/* Source that refers to each of them, to go behind the job's. */
void gpudl__names_request(const struct compile_job *, struct strings *source);
/* Is this what #line calls one of those references? */
bool gpudl__names_called(const struct compile_job *, const char *word);
/* Takes those references out of the PTX again, which gets shorter in its place. lowered is as in compile_result. */
enum compile_error gpudl__names_lower(const struct compile_job *, struct span *ptx, struct span *lowered, struct text *why);

/* ---- flight.c: threads that want the same wait for the one that makes it */
struct flight;
/* The caller is the leader, and lands it; or NULL: *error is the outcome, with copies of the text or the result. Waits no longer than it is
 * cancelled. */
struct flight *gpudl__flight_join(
    const struct cache_key *, const struct compile_job *, enum compile_error *, struct compile_result *, struct text *why);
void gpudl__flight_land(struct flight *, enum compile_error, const struct compile_result *, const struct text *why);

/* ---- kept.c: results in the cache */
struct request {
    const struct compile_job *job;
    const struct options *options;
    const struct compiler *compiler;
    struct compile_target target;
    bool relocatable;
    const char **folders; /* where headers are looked for, in order */
    size_t nfolders;
    const char **before; /* headers that are included in front */
    size_t nbefore;
    const char **defines;
    size_t ndefines;
    struct cache_key key; /* of all that is known before a compiler runs */
    size_t nown;                /* of the folders */
    struct strings *headers;    /* files that it may include, for compile_result; NULL: not asked for */
    bool may_keep;
    bool verified;              /* no header is read that is not the compiler's own or in memory */
    int64_t begun; /* nanoseconds since 1970 */
};
/* The key, and whether it says enough to keep the result under it. False: no memory. */
bool gpudl__request_key(struct request *);
bool gpudl__kept_get(const struct request *, struct compile_result *);
/* Unless something that it was made of has changed meanwhile. */
void gpudl__kept_put(const struct request *, const struct compile_result *, const struct made *);
/* A copy that is the caller's; false: no memory. */
bool gpudl__result_copy(const struct compile_result *, struct compile_result *out);

#endif
