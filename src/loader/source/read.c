#include "src/loader/source/read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/loader/error.h"
#include "src/loader/options.h"
#include "src/loader/share/borrow.h"
#include "src/loader/source/registered.h"
#include "src/loader/source/trust.h"
#include "src/util/alloc.h"

static const uint64_t LARGEST_FILE = (uint64_t)2 << 30; /* drivers read 31-bit sizes */

enum { SMALLEST_MAP = 1 << 20 }; /* reading less costs less than mapping it */

static void free_bytes(struct content *c)
{
    if (c->lender)
        gpudl__record_abandon(c->lender->home, c->lender);
    if (c->mapped)
        munmap((void *)c->bytes.data, c->bytes.size);
    else if (!c->shared)
        gpudl__free((void *)c->bytes.data);
    if (!c->shared)
        gpudl__free((void *)c->lowered.data);
}

void gpudl__content_release(struct content *c)
{
    free_bytes(c);
    gpudl__free(c->name);
    gpudl__trust_question_free(c->question);
    gpudl__trust_setup_free(c->trust);
    *c = (struct content){ 0 };
}

void gpudl__content_replace(struct content *c, struct span bytes, struct span lowered, const struct hash128 *hash)
{
    free_bytes(c);
    c->lender = NULL;
    c->shared = false;
    c->bytes = bytes;
    c->lowered = lowered;
    c->cuda = false;
    c->hashed = hash != NULL;
    if (hash)
        c->hash = *hash;
}

static gpudl_status open_failed(const char *path, int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return gpudl__fail(GPUDL_ERROR_FILE_MISSING, "%s: %s; relative paths are taken from the process's current folder", path,
            strerror(error));
    case ENXIO: /* a socket */
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: not a regular file; read it yourself and pass GPUDL_MEMORY", path);
    default:
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: cannot be opened: %s", path, strerror(error));
    }
}

static gpudl_status check_kind(const char *path, const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return gpudl__fail(GPUDL_ERROR_FILE_IS_FOLDER, "%s: is a folder; name the image in it", path);
    if (!S_ISREG(st->st_mode))
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: is a %s; read it yourself and pass GPUDL_MEMORY", path,
            S_ISFIFO(st->st_mode)      ? "pipe"
                : S_ISCHR(st->st_mode) ? "character device"
                : S_ISBLK(st->st_mode) ? "block device"
                                       : "special file");
    if (st->st_size == 0)
        return gpudl__fail(GPUDL_ERROR_IMAGE_EMPTY, "%s: the file is empty: was it written completely?", path);
    return GPUDL_OK;
}

static gpudl_status check_size(const char *path, const struct stat *st)
{
    if ((uint64_t)st->st_size > LARGEST_FILE)
        return gpudl__fail(GPUDL_ERROR_IMAGE_TOO_LARGE, "%s: %lld bytes; images are at most 2 GiB", path, (long long)st->st_size);
    return GPUDL_OK;
}

/* The file's bytes, of which there should be size; a byte more shows in the count that it grows. Ends at size with one read.
 * -1 and errno on failure. */
static ssize_t read_all(int fd, unsigned char *to, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = read(fd, to + done, size + 1 - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* The byte more that is asked for becomes the NUL. */
static gpudl_status copy_open(const char *path, int fd, size_t size, struct content *out)
{
    unsigned char *bytes = gpudl__alloc(size + 1);
    ssize_t got;

    if (!bytes)
        return gpudl__fail(GPUDL_ERROR_NO_MEMORY, "%s: no host memory for its %zu bytes", path, size);
    got = read_all(fd, bytes, size);
    if (got != (ssize_t)size) {
        gpudl__free(bytes);
        return got < 0 ? gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: cannot be read: %s", path, strerror(errno))
                       : gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE,
                             "%s: its size changes while it is read: write to another file and rename it", path);
    }
    bytes[size] = '\0';
    out->bytes = (struct span){ bytes, size };
    return GPUDL_OK;
}

static gpudl_status map_open(const char *path, int fd, size_t size, struct content *out)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

    if (bytes == MAP_FAILED)
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: cannot be mapped to be read: %s", path, strerror(errno));
    out->bytes = (struct span){ bytes, size };
    out->mapped = true;
    return GPUDL_OK;
}

/* How a source is taken in. */
struct reading {
    bool may_map, any;       /* any: to be signed or checked, not looked into */
    struct commons *commons; /* or NULL */
};

/* False: there was nothing to borrow. */
static bool take_borrowed(struct record *r, struct content *out)
{
    if (!r)
        return false;
    out->bytes = r->bytes;
    out->lender = r;
    out->shared = true;
    out->hash = r->hash;
    out->hashed = true;
    return true;
}

static gpudl_status read_open(const char *path, int fd, const struct reading *how, struct content *out)
{
    gpudl_status status;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE, "%s: %s", path, strerror(errno));
    out->stamp = stamp_of(&st);
    status = check_kind(path, &st);
    if (status == GPUDL_OK && how->may_map && st.st_size > SMALLEST_MAP)
        return map_open(path, fd, (size_t)st.st_size, out);
    if (status == GPUDL_OK)
        status = check_size(path, &st);
    if (status == GPUDL_OK && how->commons && take_borrowed(gpudl__borrow_file(how->commons, fd, (size_t)st.st_size), out))
        return GPUDL_OK;
    return status == GPUDL_OK ? copy_open(path, fd, (size_t)st.st_size, out) : status;
}

/* O_NONBLOCK, so that opening a pipe does not wait for a writer. */
static gpudl_status read_file(const char *path, const struct reading *how, struct content *out)
{
    gpudl_status status;
    int fd;

    if (!path)
        return gpudl__fail_argument("gpudl_source_file", "the path is NULL");
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return open_failed(path, errno);
    status = read_open(path, fd, how, out);
    close(fd);
    return status;
}

static const char *name_of(const gpudl_source *source)
{
    return source->name ? source->name : "memory";
}

static bool has_mark(struct span bytes)
{
    static const char mark[] = GPUDL_SOURCE_MARK;

    return bytes.size >= sizeof(mark) - 1 && !memcmp(bytes.data, mark, sizeof(mark) - 1);
}

bool gpudl__source_in_place(const gpudl_source *source, struct span *bytes, const char **name)
{
    gpudl_source known;

    if (!source || gpudl__options_import(&known, sizeof(known), source, "gpudl_source") != GPUDL_OK ||
        known.reserved || known.kind != GPUDL_SOURCE_MEMORY || !known.bytes || !known.nbytes)
        return false;
    *bytes = (struct span){ known.bytes, known.nbytes };
    *name = name_of(&known);
    return !has_mark(*bytes);
}

static gpudl_status read_memory(const gpudl_source *source, const char *name, const struct reading *how, struct content *out)
{
    unsigned char *bytes;

    if (!source->nbytes)
        return gpudl__fail(GPUDL_ERROR_IMAGE_EMPTY,
            "%s: an image of 0 bytes: pass how many there are (strlen of a text, sizeof of an array)", name);
    if (!source->bytes)
        return gpudl__fail_argument("gpudl_source_memory", "bytes is NULL and nbytes is not 0");
    if (how->commons && take_borrowed(gpudl__borrow_memory(how->commons, source->bytes, source->nbytes), out))
        return GPUDL_OK;
    bytes = gpudl__alloc(source->nbytes + 1);
    if (!bytes)
        return gpudl__fail(GPUDL_ERROR_NO_MEMORY, "%s: no host memory for its %zu bytes", name, source->nbytes);
    memcpy(bytes, source->bytes, source->nbytes);
    bytes[source->nbytes] = '\0';
    out->bytes = (struct span){ bytes, source->nbytes };
    return GPUDL_OK;
}

static gpudl_status read_registered(const gpudl_source *source, const char *name, const struct reading *how, struct content *out)
{
    gpudl_status status;
    void *copy;

    if (how->may_map)
        return gpudl__fail_argument("gpudl_image_open", "registered kernels are no image");
    copy = gpudl__registered_copy(name, source->bytes, source->nbytes, &status);
    out->bytes = (struct span){ copy, source->nbytes };
    out->registered = true;
    return status;
}

static gpudl_status refuse_cuda(const char *name)
{
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: is CUDA C++ source, and there is nothing to see in it before it is compiled: `gpudl compile` does, and loading it", name);
}

static bool is_cuda_file(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && strcmp(path + n - 3, ".cu") == 0;
}

static gpudl_status read_bytes(const gpudl_source *source, const char *name, const struct reading *how, struct content *out)
{
    if (source->kind == GPUDL_SOURCE_FILE)
        return read_file(source->name, how, out);
    if (source->kind == GPUDL_SOURCE_MEMORY || source->kind == GPUDL_SOURCE_TEXT)
        return read_memory(source, name, how, out);
    if (source->kind == GPUDL_SOURCE_REGISTERED)
        return read_registered(source, name, how, out);
    return gpudl__fail(GPUDL_ERROR_ARGUMENT,
        "gpudl_source.kind is %d: make sources with gpudl_source_file(), _memory() or _text()", (int)source->kind);
}

static bool is_cuda(const gpudl_source *source)
{
    return source->kind == GPUDL_SOURCE_TEXT || (source->kind == GPUDL_SOURCE_FILE && source->name && is_cuda_file(source->name));
}

/* What is mapped otherwise than to be signed is looked into, and there is nothing to see in CUDA C++. */
static gpudl_status take_in(const gpudl_source *source, struct reading how, struct content *out)
{
    struct content c = { 0 };
    gpudl_source known;
    gpudl_status status;
    const char *name;
    bool cuda;

    if (!source)
        return gpudl__fail_argument("gpudl_source", "the source is NULL");
    status = gpudl__options_import(&known, sizeof(known), source, "gpudl_source");
    if (status != GPUDL_OK)
        return status;
    if (known.reserved)
        return gpudl__fail_argument("gpudl_source", "reserved is 0");
    name = name_of(&known);
    if (known.kind == GPUDL_SOURCE_REGISTERED && how.any)
        return gpudl__fail_argument("gpudl_source", "registered kernels are the program's own, and no bytes to sign or to check");
    cuda = is_cuda(&known);
    if (cuda)
        how.commons = NULL;
    if (cuda && how.may_map && !how.any) /* before a file is asked for that need not be there */
        return refuse_cuda(name);
    status = read_bytes(&known, name, &how, &c);
    if (status != GPUDL_OK)
        return status;
    c.cuda = cuda || (!c.registered && has_mark(c.bytes));
    if (c.cuda && how.may_map && !how.any) {
        gpudl__content_release(&c);
        return refuse_cuda(name);
    }
    c.signature = (struct span){ known.signature, known.signature_size };
    c.name = gpudl__alloc_string(name);
    if (!c.name) {
        gpudl__content_release(&c);
        return gpudl__fail_memory("a source's name");
    }
    *out = c;
    return GPUDL_OK;
}

gpudl_status gpudl__content_read(const gpudl_source *source, struct commons *commons, struct content *out)
{
    return take_in(source, (struct reading){ .commons = commons }, out);
}

gpudl_status gpudl__content_map(const gpudl_source *source, struct content *out)
{
    return take_in(source, (struct reading){ .may_map = true }, out);
}

gpudl_status gpudl__content_any(const gpudl_source *source, bool may_map, struct content *out)
{
    return take_in(source, (struct reading){ .may_map = may_map, .any = true }, out);
}

gpudl_status gpudl__sources_check(const gpudl_source *sources, size_t n, const char *function)
{
    for (size_t i = 1; i < n; i++)
        if (gpudl__source_at(sources, i)->size != sources->size)
            return gpudl__fail(GPUDL_ERROR_ARGUMENT,
                "%s: source %zu has size %zu, and source 0 has %zu: they lie in one array, so they are of one size", function, i,
                gpudl__source_at(sources, i)->size, sources->size);
    return GPUDL_OK;
}
