/* cubin_resources.c - what the kernels of a cubin need, what it refers to.
 *
 * .nv.info holds records of all symbols: {symbol:u32 value:u32}; .nv.info.K those of kernel K. Sections that belong to a kernel
 * name its section of code in sh_info: .nv.shared.K, .nv.constant0.K, .nv.constant2.K, .nv.info.K. */
#include "src/image/internal.h"

#include <elf.h>
#include <stdarg.h>

#define SHT_NV_INFO 0x70000000u
#define SHT_NV_CONSTANT0 0x70000064u
#define SHT_NV_CONSTANT2 0x70000066u
#define SHT_NV_CONSTANT3 0x70000067u
#define STT_NV_OBJECT 13
#define STO_CUDA_SHARED 0x40u       /* undefined: dynamic shared memory, which the launch gives */
#define RESERVED_SHARED 1024u       /* the driver's own part, in executable code for sm_90 and later */
#define REGISTERS_MOST 255u
#define IS_OTHER UINT32_MAX         /* what a symbol is that is no kernel */
#define IS_EXTERN (UINT32_MAX - 1)
#define IS_FUNCTION (UINT32_MAX - 2)
#define NO_REGISTER_LIMIT 255u

enum {
    MAX_THREADS = 0x05, PARAM_CBANK = 0x0a, REQNTID = 0x10, FRAME_SIZE = 0x11, MIN_STACK_SIZE = 0x12, MAXREG_COUNT = 0x1b,
    MAX_STACK_SIZE = 0x23, REGCOUNT = 0x2f, NUM_MBARRIERS = 0x38, CTA_PER_CLUSTER = 0x3d, EXPLICIT_CLUSTER = 0x3e,
    MAX_CLUSTER_RANK = 0x3f, NUM_BARRIERS = 0x4c, BLOCKS_ARE_CLUSTERS = 0x5b,
};

/* Of a section of code: the sections that belong to it, 0: none. */
struct belongings {
    uint32_t info, shared, constant0, constant2;
};

struct reading {
    const struct cubin *cubin;
    struct contents *out;
    struct symbol_table symbols;
    struct belongings *belongings;      /* one a section */
    uint32_t *kernel_of;                /* one a symbol: the number of its kernel, or IS_... */
    struct image_resources *kernels;
    uint32_t info;                      /* the section .nv.info */
    uint64_t work;                      /* bytes of records that may still be read */
    size_t nexterns, nfunctions;
};

static bool begins(const struct cubin *c, struct section s, const char *prefix)
{
    return span_is(c->section_names, s.name, prefix, strlen(prefix));
}

static void sort_section(struct reading *r, uint32_t i, struct section s)
{
    const struct cubin *c = r->cubin;
    struct belongings *b = s.info && s.info < c->nsections ? &r->belongings[s.info] : NULL;

    if (s.type == SHT_NV_INFO && cubin_named(c, s, ".nv.info"))
        r->info = i;
    else if (s.type == SHT_NV_INFO && b && begins(c, s, ".nv.info."))
        b->info = i;
    else if (s.type == SHT_NOBITS && b && begins(c, s, ".nv.shared.") && !begins(c, s, ".nv.shared.reserved."))
        b->shared = i;
    else if ((s.type == SHT_PROGBITS || s.type == SHT_NV_CONSTANT0) && b && begins(c, s, ".nv.constant0."))
        b->constant0 = i;
    else if ((s.type == SHT_PROGBITS || s.type == SHT_NV_CONSTANT2) && b && begins(c, s, ".nv.constant2."))
        b->constant2 = i;
    else if ((s.type == SHT_PROGBITS || s.type == SHT_NV_CONSTANT3) && cubin_named(c, s, ".nv.constant3"))
        r->out->details.constant_bytes = s.size;
}

/* The first thing that is wrong with a kernel is the one that is told. */
__attribute__((format(printf, 3, 4))) static bool problem(struct reading *r, struct image_resources *k, const char *format, ...)
{
    char text[160];
    struct text t = gpudl__text_init(text, sizeof(text));
    va_list args;

    k->complete = false;
    if (k->problem)
        return true;
    va_start(args, format);
    gpudl__text_add_args(&t, format, args);
    va_end(args);
    k->problem = gpudl__arena_string(&r->out->details_arena, text, t.used);
    return k->problem != NULL;
}

static void read_three(struct span payload, uint32_t out[3])
{
    if (payload.size < 12)
        return;
    for (unsigned i = 0; i < 3; i++)
        out[i] = span_u32(payload, 4 * i);
}

static void apply_value(const struct info_record *i, struct image_resources *k)
{
    switch (i->attribute) {
    case MAXREG_COUNT: k->register_limit = i->value == NO_REGISTER_LIMIT ? 0 : i->value; break;
    case NUM_BARRIERS: k->barriers = i->value; break;
    case NUM_MBARRIERS: k->mbarriers = i->value; break;
    case EXPLICIT_CLUSTER: k->explicit_cluster = true; break;
    case BLOCKS_ARE_CLUSTERS: k->blocks_are_clusters = true; break;
    default: break;
    }
}

static void apply(const struct info_record *i, struct image_resources *k)
{
    if (i->format != INFO_SVAL) {
        apply_value(i, k);
        return;
    }
    switch (i->attribute) {
    case MAX_THREADS: read_three(i->payload, k->max_block); break;
    case REQNTID: read_three(i->payload, k->required_block); break;
    case CTA_PER_CLUSTER: read_three(i->payload, k->cluster); break;
    case MAX_CLUSTER_RANK: k->max_cluster_rank = span_u32(i->payload, 0); break;
    case PARAM_CBANK: k->param_base = i->payload.size >= 8 ? span_u16(i->payload, 4) : k->param_base; break;
    default: break;
    }
}

static bool read_records(struct reading *r, struct belongings *b, const char *name, struct image_resources *k)
{
    const struct cubin *c = r->cubin;
    struct section s = gpudl__cubin_section(c, b->info);
    struct span all = gpudl__cubin_bytes(c, s), records = all;
    struct info_record i;
    bool damaged;

    if (!all.size || !span_is(c->section_names, (uint64_t)s.name + 9, name, strlen(name) + 1))
        return problem(r, k, "its records are missing");
    if (all.size > r->work)
        return problem(r, k, "its records lie over those of others");
    r->work -= all.size;
    b->info = 0;
    while (gpudl__info_next(&records, &i, &damaged))
        apply(&i, k);
    return !damaged || problem(r, k, ".nv.info is damaged at +0x%zx", all.size - records.size);
}

static bool explain_params(struct reading *r, struct span records, struct image_resources *k)
{
    char text[120];
    struct text t = gpudl__text_init(text, sizeof(text));

    gpudl__info_params_explain(records, &t);
    return problem(r, k, "%s", text);
}

static bool read_shared(struct reading *r, const struct belongings *b, struct image_resources *k)
{
    const struct cubin *c = r->cubin;
    uint64_t size = b->shared ? gpudl__cubin_section(c, b->shared).size : 0;

    k->shared = size > IMAGE_NOT_KNOWN ? IMAGE_NOT_KNOWN : (uint32_t)size;
    if (!b->shared || c->sm < 90 || c->relocatable)
        return true;
    if (size < RESERVED_SHARED)
        return problem(r, k, "its shared memory of %u bytes is less than the 1024 that are reserved", k->shared);
    k->shared -= RESERVED_SHARED;
    return true;
}

static void read_sizes(struct reading *r, struct symbol s, const struct belongings *b, struct image_resources *k)
{
    const struct cubin *c = r->cubin;
    struct section code = gpudl__cubin_section(c, s.section);
    uint64_t constant0 = b->constant0 ? gpudl__cubin_section(c, b->constant0).size : 0;
    uint64_t constant2 = b->constant2 ? gpudl__cubin_section(c, b->constant2).size : 0;

    if (c->sm < 90 && code.info >> 24)
        k->registers = code.info >> 24;
    if (c->abi == 7)
        k->barriers = span_u64(gpudl__cubin_header(c, s.section), 8) >> 20 & 0x1f;
    if (k->param_base == IMAGE_NOT_KNOWN && constant0 && constant0 <= UINT16_MAX)
        k->param_base = (uint32_t)constant0;        /* without parameters it ends where they would begin */
    k->constants = constant2 > IMAGE_NOT_KNOWN ? IMAGE_NOT_KNOWN : (uint32_t)constant2;
}

static bool read_kernel(struct reading *r, struct symbol s, size_t n)
{
    const struct image_kernel *known = &r->out->kernels[n];
    struct image_resources *k = &r->kernels[n];
    struct belongings *b = &r->belongings[s.section];
    struct span records = gpudl__cubin_bytes(r->cubin, gpudl__cubin_section(r->cubin, b->info));

    *k = (struct image_resources){
        .complete = true, .binding = (uint8_t)gpudl__symbol_binding(s), .registers = IMAGE_NOT_KNOWN, .frame = IMAGE_NOT_KNOWN,
        .stack = IMAGE_NOT_KNOWN, .stack_most = IMAGE_NOT_KNOWN, .param_base = IMAGE_NOT_KNOWN, .barriers = 0,
    };
    if (!read_records(r, b, known->name, k) || !read_shared(r, b, k))
        return false;
    read_sizes(r, s, b, k);
    return known->params_known || k->problem || explain_params(r, records, k);
}

/* Made by the compiler, or left for the linker: tables of functions and the space that the driver reserves. */
static bool is_internal(const char *name)
{
    return name[0] == '$' || name[0] == '.' || strncmp(name, "__nv_reserved", 13) == 0 || strncmp(name, "__UFT", 5) == 0
        || strncmp(name, "__UDT", 5) == 0;
}

/* Both kinds of names are lent by the file. */
static bool keep_names(struct reading *r)
{
    struct image_details *d = &r->out->details;
    const char **externs = gpudl__arena_alloc(&r->out->details_arena, (r->nexterns + r->nfunctions + 1) * sizeof(*externs));
    const char **functions = externs ? externs + r->nexterns : NULL;
    uint8_t *bindings = gpudl__arena_alloc(&r->out->details_arena, r->nfunctions + 1);
    size_t length;

    if (!externs || !bindings)
        return false;
    d->externs = externs;
    d->functions = functions;
    d->function_bindings = bindings;
    for (size_t i = 1; i < gpudl__symbols_count(&r->symbols); i++) {
        struct symbol s = gpudl__symbols_at(&r->symbols, i);
        const char *name;

        if (r->kernel_of[i] != IS_EXTERN && r->kernel_of[i] != IS_FUNCTION)
            continue;
        name = gpudl__symbols_name(&r->symbols, s, &length);
        if (!name || !length || is_internal(name))
            continue;
        if (s.section) {
            bindings[d->nfunctions] = (uint8_t)gpudl__symbol_binding(s);
            functions[d->nfunctions++] = name;
        } else {
            externs[d->nexterns++] = name;
        }
    }
    return true;
}

/* Kernels come in the order of the contents; of the rest what is worth a name is marked. */
static bool read_symbols(struct reading *r)
{
    size_t kernels = 0;

    for (size_t i = 1; i < gpudl__symbols_count(&r->symbols); i++) {
        struct symbol s = gpudl__symbols_at(&r->symbols, i);
        bool object = s.type == STT_OBJECT || s.type == STT_NV_OBJECT;

        r->kernel_of[i] = IS_OTHER;
        if (gpudl__symbol_is_kernel(s)) {
            if (kernels == r->out->nkernels)
                continue;
            if (!read_kernel(r, s, kernels))
                return false;
            r->kernel_of[i] = (uint32_t)kernels++;
        } else if (!s.section && (s.type == STT_FUNC || (object && !(s.other & STO_CUDA_SHARED)))) {
            r->kernel_of[i] = IS_EXTERN;
            r->nexterns++;
        } else if (s.type == STT_FUNC && r->cubin->relocatable) {
            r->kernel_of[i] = IS_FUNCTION;
            r->nfunctions++;
        }
    }
    r->out->details.nkernels = kernels;
    return keep_names(r);
}

static void read_common(struct reading *r)
{
    struct span records = gpudl__cubin_bytes(r->cubin, gpudl__cubin_section(r->cubin, r->info));
    size_t nsymbols = gpudl__symbols_count(&r->symbols);
    struct info_record i;
    uint32_t symbol, value;
    struct image_resources *k;
    bool damaged;

    while (gpudl__info_next(&records, &i, &damaged)) {
        symbol = span_u32(i.payload, 0);
        value = span_u32(i.payload, 4);
        if (i.format != INFO_SVAL || i.payload.size < 8 || symbol >= nsymbols || r->kernel_of[symbol] >= r->out->details.nkernels)
            continue;
        k = &r->kernels[r->kernel_of[symbol]];
        switch (i.attribute) {
        case REGCOUNT: k->registers = value; break;
        case FRAME_SIZE: k->frame = value; break;
        case MIN_STACK_SIZE: k->stack = value; break;
        case MAX_STACK_SIZE: k->stack_most = value; break;
        default: break;
        }
    }
}

static bool finish_kernel(struct reading *r, struct image_resources *k)
{
    if (k->registers == IMAGE_NOT_KNOWN && !problem(r, k, "the number of its registers is missing"))
        return false;
    if (k->registers != IMAGE_NOT_KNOWN && k->registers > REGISTERS_MOST) {
        if (!problem(r, k, "%u registers are more than a thread can have", k->registers))
            return false;
        k->registers = REGISTERS_MOST;
    }
    k->max_threads = gpudl__threads_of(k);
    return true;
}

static enum image_error read_all(struct reading *r, struct text *t)
{
    const struct cubin *c = r->cubin;
    enum image_error error = gpudl__symbols_open(c, &r->symbols, t);
    bool ok;

    if (error)
        return error;
    r->kernels = gpudl__arena_alloc(&r->out->details_arena, (r->out->nkernels + 1) * sizeof(*r->kernels));
    r->belongings = gpudl__alloc_zero(c->nsections * sizeof(*r->belongings));
    r->kernel_of = gpudl__alloc_zero((gpudl__symbols_count(&r->symbols) + 1) * sizeof(*r->kernel_of));
    if (!r->kernels || !r->belongings || !r->kernel_of)
        return gpudl__image_no_memory(t);
    for (uint32_t i = 1; i < c->nsections; i++)
        sort_section(r, i, gpudl__cubin_section(c, i));
    ok = read_symbols(r);
    if (ok)
        read_common(r);
    for (size_t i = 0; ok && i < r->out->details.nkernels; i++)
        ok = finish_kernel(r, &r->kernels[i]);
    return ok ? IMAGE_OK : gpudl__image_no_memory(t);
}

enum image_error gpudl__cubin_details(const struct cubin *c, struct contents *out, struct text *t)
{
    struct reading r = { .cubin = c, .out = out, .work = c->bytes.size };
    enum image_error error = read_all(&r, t);

    out->details.kernels = r.kernels;
    out->details.needs_linking = c->relocatable;
    gpudl__free(r.belongings);
    gpudl__free(r.kernel_of);
    return error;
}
