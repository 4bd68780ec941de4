/* program.c - from bytes to a program: find their length, choose the PTX, parse, check. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softcuda/api/trace.h"
#include "src/image/image.h"

#define FATBIN_MAGIC    0xba55ed50u
#define WRAPPER_MAGIC   0x466243b1u
#define MACHINE_CUDA    190
#define NEWEST_PTX      90              /* 10 * major + minor */
#define IMAGE_MAX       0x7fffffffu     /* what a real driver believes of a fatbin's own size */
#define TEXT_SIZE       1024

static uint32_t word_at(const void *p, size_t offset)
{
    uint32_t v;

    memcpy(&v, (const char *)p + offset, sizeof(v));
    return v;
}

static uint64_t quad_at(const void *p, size_t offset)
{
    uint64_t v;

    memcpy(&v, (const char *)p + offset, sizeof(v));
    return v;
}

static bool starts_with(const void *p, size_t size, const void *magic, size_t n)
{
    return size >= n && !memcmp(p, magic, n);
}

static bool is_elf(const void *p, size_t size)
{
    return starts_with(p, size, ELFMAG, SELFMAG);
}

/* The calls of the driver API give no length. A text's first bytes may be read one by one only. */
static size_t length_of(const void *p)
{
    const char *text = p;
    size_t n = strnlen(text, 4);

    if (!memcmp(text, "\x50\xed\x55\xba", n < 4 ? n : 4) && n == 4)
        return quad_at(p, 8) > IMAGE_MAX ? SIZE_MAX : (word_at(p, 4) >> 16) + quad_at(p, 8);
    if (n == 4 && !memcmp(text, ELFMAG, SELFMAG))
        return sizeof(Elf64_Ehdr);      /* enough to say what it is: machine code is not run */
    return strlen(text);
}

/* The fatbin behind the structure that nvcc puts into host programs. */
static const void *unwrap(const void *p, size_t size)
{
    const void *inner;

    if ((size && size < 24) || strncmp(p, "\xb1\x43\x62\x46", 4))      /* stops at the end of a shorter text */
        return p;
    memcpy(&inner, (const char *)p + 8, sizeof(inner));
    return inner;
}

static CUresult of_misfit(enum image_misfit why)
{
    switch (why) {
    case MISFIT_PTX_TOO_NEW: return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case MISFIT_DAMAGED:     return CUDA_ERROR_INVALID_IMAGE;
    default:                 return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
}

static void log_line(struct load_log *log, uint32_t line, const char *text)
{
    char full[TEXT_SIZE];

    if (line && strncmp(text, "line ", 5))
        snprintf(full, sizeof(full), "line %u: %s", line, text);
    else
        snprintf(full, sizeof(full), "%s", text);
    sc_load_log_error(log, full);
}

/* Variables of other translation units: there is no linker here. */
static const struct ptx_var *unresolved(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->nvars; i++)
        if (m->vars[i].linkage == PTX_EXTERN && (m->vars[i].space == PTX_GLOBAL || m->vars[i].space == PTX_CONST))
            return &m->vars[i];
    return NULL;
}

static CUresult parse(struct span text, struct load_log *log, struct ptx_module **out)
{
    const struct ptx_var *missing;
    struct ptx_error perr;
    struct jit_error jerr;
    struct ptx_module *m = ptx_parse((const char *)text.data, text.size, &perr);
    char message[TEXT_SIZE];

    if (!m) {
        log_line(log, perr.pos.line, perr.text);
        return CUDA_ERROR_INVALID_PTX;
    }
    if (jit_check(m, &jerr)) {
        log_line(log, jerr.pos.line, jerr.text);
        ptx_module_destroy(m);
        return CUDA_ERROR_INVALID_PTX;
    }
    if ((missing = unresolved(m))) {
        snprintf(message, sizeof(message), "undefined reference to variable '%s': link the PTX first", missing->name);
        log_line(log, missing->pos.line, message);
        ptx_module_destroy(m);
        return CUDA_ERROR_INVALID_PTX;
    }
    *out = m;
    return CUDA_SUCCESS;
}

struct program *sc_program_empty(void)
{
    struct program *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    atomic_init(&p->refs, 1);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void sc_program_ref(struct program *p)
{
    atomic_fetch_add(&p->refs, 1);
}

void sc_program_unref(struct program *p)
{
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct shape *s = atomic_load(&p->kernels[i].shapes), *next;

        for (; s; s = next) {
            next = s->next;
            free(s);
        }
    }
    for (uint32_t i = 0; p->managed && i < p->ptx->nvars; i++)
        if (p->managed[i])
            sc_mem_host_free(p->managed[i], MEM_MANAGED);
    free(p->managed);
    free(p->kernels);
    jit_unit_destroy(p->unit);
    ptx_module_destroy(p->ptx);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static CUresult list_kernels(struct program *p)
{
    for (uint32_t i = 0; i < p->ptx->nfuncs; i++)
        p->nkernels += p->ptx->funcs[i].entry && !p->ptx->funcs[i].declared_only;
    p->kernels = calloc(p->nkernels + 1, sizeof(*p->kernels));
    if (!p->kernels)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0, k = 0; i < p->ptx->nfuncs; i++) {
        if (!p->ptx->funcs[i].entry || p->ptx->funcs[i].declared_only)
            continue;
        p->kernels[k].program = p;
        p->kernels[k].func = &p->ptx->funcs[i];
        if (jit_kernel_info(p->unit, p->kernels[k].func, &p->kernels[k].info))
            return CUDA_ERROR_OUT_OF_MEMORY;
        k++;
    }
    return CUDA_SUCCESS;
}

static CUresult place_managed(struct program *p)
{
    p->managed = calloc(p->ptx->nvars + 1, sizeof(*p->managed));
    if (!p->managed)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < p->ptx->nvars; i++) {
        const struct ptx_var *v = &p->ptx->vars[i];

        if (!v->managed)
            continue;
        p->managed[i] = sc_mem_host_alloc(NULL, v->size ? v->size : 1, MEM_MANAGED, CU_MEM_ATTACH_GLOBAL);
        if (!p->managed[i])
            return CUDA_ERROR_OUT_OF_MEMORY;
        if (v->init)
            memcpy((void *)(uintptr_t)p->managed[i], v->init, v->size);
    }
    return CUDA_SUCCESS;
}

/* Takes the PTX module over. */
static CUresult build(struct ptx_module *m, struct load_log *log, struct program **out)
{
    struct program *p = sc_program_empty();
    struct jit_error err;
    CUresult r;

    if (!p) {
        ptx_module_destroy(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    p->ptx = m;
    if (jit_unit_create(m, &p->unit, &err)) {
        log_line(log, err.pos.line, err.text);
        r = CUDA_ERROR_INVALID_PTX;
    } else if (!(r = list_kernels(p)) && !(r = place_managed(p))) {
        *out = p;
        return CUDA_SUCCESS;
    }
    sc_program_unref(p);
    return r;
}

/* The text that the device would take. It lies in the image. */
static CUresult choose(struct image *image, unsigned sm, struct load_log *log, struct span *text)
{
    const struct image_target target = { .sm = sm, .ptx_version = NEWEST_PTX, .any_ptx = !sc_devices_differ() };
    enum image_misfit why;
    char message[TEXT_SIZE];
    int entry = gpudl__image_choose(image, &target, &why, message, sizeof(message));

    if (entry < 0) {
        sc_load_log_error(log, message);
        return of_misfit(why);
    }
    if (gpudl__image_payload(image, (size_t)entry, text, message, sizeof(message))) {
        sc_load_log_error(log, message);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return CUDA_SUCCESS;
}

static CUresult load_image(struct image *image, unsigned sm, struct load_log *log, struct program **out)
{
    uint64_t begin = sc_trace_begin();
    struct ptx_module *m;
    struct span text;
    CUresult r;

    if ((r = choose(image, sm, log, &text)) || (r = parse(text, log, &m)))
        return r;
    r = build(m, log, out);
    if (!r) {
        jit_unit_set_text((*out)->unit, text.data, text.size);
        sc_trace_host(begin, "load", (*out)->nkernels ? (*out)->kernels[0].func->name : "no kernel");
    }
    return r;
}

static CUresult load_elf(const void *p, size_t size, struct load_log *log)
{
    if (size < sizeof(Elf64_Ehdr)) {
        sc_load_log_error(log, "a truncated ELF file");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if ((word_at(p, 16) >> 16) != MACHINE_CUDA) {
        sc_load_log_error(log, "an ELF file of the host, not a device image");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    sc_load_log_error(log,
        "the image holds machine code only; softcuda runs PTX only: compile with PTX for a virtual architecture, "
        "for example nvcc -gencode arch=compute_75,code=compute_75");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* size 0: not told. */
static CUresult open_image(const void *image, size_t size, struct load_log *log, struct image **out)
{
    const void *p = unwrap(image, size);
    char message[TEXT_SIZE];

    if (p != image || !size)
        size = p ? length_of(p) : 0;
    if (is_elf(p, size))
        return load_elf(p, size, log);
    if (size > IMAGE_MAX) {
        sc_load_log_error(log, "the fatbin claims more than 2 GiB");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    switch (gpudl__image_open((struct span){ p, size }, 0, out, message, sizeof(message))) {
    case IMAGE_OK:
        return CUDA_SUCCESS;
    case IMAGE_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        sc_load_log_error(log, message);
        return CUDA_ERROR_INVALID_IMAGE;
    }
}

CUresult sc_program_load(const void *image, size_t size, unsigned sm, struct load_log *log, struct program **out)
{
    struct image *opened;
    CUresult r = open_image(image, size, log, &opened);

    if (r)
        return r;
    r = load_image(opened, sm, log, out);
    gpudl__image_close(opened);
    return r;
}

char *sc_read_file(const char *file, size_t *size, CUresult *r)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *bytes = NULL;
    ssize_t n = 1;

    *r = CUDA_ERROR_FILE_NOT_FOUND;
    if (fd < 0)
        return NULL;
    *r = CUDA_ERROR_INVALID_IMAGE;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (bytes = malloc((size_t)st.st_size + 1))) {
        for (*size = 0; *size < (size_t)st.st_size && n > 0; *size += n > 0 ? (size_t)n : 0)
            n = read(fd, bytes + *size, (size_t)st.st_size - *size);
        bytes[*size] = '\0';
    }
    close(fd);
    return bytes;
}

CUresult sc_program_load_file(const char *file, unsigned sm, struct load_log *log, struct program **out)
{
    size_t size;
    CUresult r;
    char *bytes = sc_read_file(file, &size, &r);

    log->file = file;
    if (!bytes) {
        sc_load_log_error(log, "cannot be read");
        return r;
    }
    r = size ? sc_program_load(bytes, size, sm, log, out) : CUDA_ERROR_INVALID_IMAGE;
    free(bytes);
    return r;
}

CUresult sc_program_find(const struct program *p, const char *name, uint32_t *out)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < p->nkernels; i++)
        if (!strcmp(p->kernels[i].func->name, name)) {
            *out = i;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult sc_program_count(const struct program *p, unsigned *n)
{
    if (!n)
        return CUDA_ERROR_INVALID_VALUE;
    *n = p->nkernels;
    return CUDA_SUCCESS;
}

CUresult sc_program_list(const struct program *p, const void *handles, void *to, unsigned n)
{
    if (!to || !n)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, handles, (n < p->nkernels ? n : p->nkernels) * sizeof(void *));
    return CUDA_SUCCESS;
}

static struct shape *find_shape(struct program_kernel *k, const uint32_t ntid[3])
{
    for (struct shape *s = atomic_load_explicit(&k->shapes, memory_order_acquire); s; s = s->next)
        if (!memcmp(s->ntid, ntid, sizeof(s->ntid)))
            return s;
    return NULL;
}

static struct shape *make_shape(struct program_kernel *k, const uint32_t ntid[3])
{
    struct shape *s = calloc(1, sizeof(*s));
    uint64_t begin = sc_trace_begin();
    struct jit_error err;

    if (!s)
        return NULL;
    memcpy(s->ntid, ntid, sizeof(s->ntid));
    if (jit_compile(k->program->unit, k->func, ntid, &s->code, &err)) {
        free(s);
        return NULL;
    }
    sc_trace_host(begin, "compile", k->func->name);
    s->next = atomic_load(&k->shapes);
    atomic_store_explicit(&k->shapes, s, memory_order_release);
    return s;
}

CUresult sc_program_code(struct program_kernel *k, const uint32_t ntid[3], struct jit_code *code)
{
    struct shape *s = find_shape(k, ntid);

    if (!s) {
        pthread_mutex_lock(&k->program->lock);
        if (!(s = find_shape(k, ntid)))
            s = make_shape(k, ntid);
        pthread_mutex_unlock(&k->program->lock);
    }
    if (!s)
        return CUDA_ERROR_INVALID_PTX;
    *code = s->code;
    return CUDA_SUCCESS;
}
