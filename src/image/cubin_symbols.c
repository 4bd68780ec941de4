/* cubin_symbols.c - kernels and globals of a cubin.
 *
 * A kernel is a defined function symbol with STO_CUDA_ENTRY, of any binding; its records are the section .nv.info.K whose
 * sh_info is the section of its code. A global is an object in .nv.global, .nv.global.init or .nv.constant3. Names starting with
 * ".nv.merc." are a second copy of everything with section types of their own, which are not looked at.
 *
 * Cubins of 22,500 kernels and 67,512 sections exist: one pass over the sections, one over the symbols, no search. Sections of a
 * sound file do not overlap, so names and records together are no longer than the file; that bound keeps hostile ones linear
 * too. */
#include "src/image/internal.h"

#include <elf.h>

#define SYMBOL 24u
#define SHT_NV_INFO 0x70000000u
#define SHT_NV_GLOBAL 0x70000007u           /* these three in relocatable cubins only */
#define SHT_NV_GLOBAL_INIT 0x70000008u
#define SHT_NV_CONSTANT3 0x70000067u
#define STO_CUDA_ENTRY 0x10u
#define STO_CUDA_MANAGED 0x04u
#define STT_NV_OBJECT 13                    /* objects in relocatable cubins */
#define INFO_RECORD_OF_PARAM 16u
#define SECTIONS_ON_STACK 64

enum storage { NO_STORAGE, ZEROED, INITIALISED, CONSTANT };
struct role {
    uint32_t info;              /* of a section of code: the section of its records, or 0 */
    enum storage storage;
};

struct reading {
    const struct cubin *cubin;
    struct role *roles;         /* one a section */
    struct symbol_table symbols;
    uint64_t info_bytes;
    struct image_param *params; /* what is left of the room for all kernels */
    size_t params_room;
};

static enum storage storage_of(const struct cubin *c, struct section s)
{
    switch (s.type) {
    case SHT_PROGBITS: case SHT_NOBITS: case SHT_NV_GLOBAL: case SHT_NV_GLOBAL_INIT: case SHT_NV_CONSTANT3:
        break;
    default:
        return NO_STORAGE;
    }
    if (cubin_named(c, s, ".nv.global"))
        return ZEROED;
    if (cubin_named(c, s, ".nv.global.init"))
        return INITIALISED;
    return cubin_named(c, s, ".nv.constant3") ? CONSTANT : NO_STORAGE;
}

static enum image_error read_symbol_table(const struct cubin *c, struct section s, struct symbol_table *st, struct text *t)
{
    struct section names = gpudl__cubin_section(c, s.link);

    if (s.entry_size != SYMBOL)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: symbols of %llu bytes, 24 are expected",
            (unsigned long long)s.entry_size);
    if (names.type != SHT_STRTAB)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: the symbols' names are in section %u, which is not a string table",
            s.link);
    if (!span_holds(c->bytes, s.offset, s.size) || !span_holds(c->bytes, names.offset, names.size))
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "cubin: the symbols or their names end outside the file (%zu bytes)",
            c->bytes.size);
    if (s.info > s.size / SYMBOL)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: %u local symbols of %llu", s.info,
            (unsigned long long)(s.size / SYMBOL));
    st->symbols = gpudl__cubin_bytes(c, s);
    st->names = gpudl__cubin_bytes(c, names);
    return IMAGE_OK;
}

static void init_symbols(const struct cubin *c, struct symbol_table *st)
{
    *st = (struct symbol_table){ .nsections = c->nsections, .names_left = 4 * (uint64_t)c->bytes.size };
}

static enum image_error offer_section(const struct cubin *c, struct section s, struct symbol_table *st, struct text *t)
{
    if (s.type == SHT_SYMTAB && !st->symbols.size)
        return read_symbol_table(c, s, st, t);
    if (s.type == SHT_SYMTAB_SHNDX)
        st->wide_indices = gpudl__cubin_bytes(c, s);
    return IMAGE_OK;
}

enum image_error gpudl__symbols_open(const struct cubin *c, struct symbol_table *out, struct text *t)
{
    enum image_error error = IMAGE_OK;

    init_symbols(c, out);
    for (uint32_t i = 1; i < c->nsections && !error; i++)
        error = offer_section(c, gpudl__cubin_section(c, i), out, t);
    return error;
}

size_t gpudl__symbols_count(const struct symbol_table *st)
{
    return st->symbols.size / SYMBOL;
}

struct symbol gpudl__symbols_at(const struct symbol_table *st, uint64_t i)
{
    struct symbol s = { 0 };
    struct span b;
    unsigned info;

    if (!span_cut(st->symbols, i * SYMBOL, SYMBOL, &b))
        return s;
    info = span_u8(b, 4);
    s = (struct symbol){
        .name = span_u32(b, 0), .section = span_u16(b, 6), .type = info & 15, .binding = info >> 4, .other = span_u8(b, 5),
        .value = span_u64(b, 8), .size = span_u64(b, 16),
    };
    if (s.section == SHN_XINDEX)
        s.section = span_u32(st->wide_indices, 4 * i);
    if (s.section >= st->nsections)
        s.section = 0;
    return s;
}

const char *gpudl__symbols_name(struct symbol_table *st, struct symbol s, size_t *length)
{
    size_t most = span_from(st->names, s.name).size;
    const char *name;

    if (most > IMAGE_NAME_MOST)
        most = IMAGE_NAME_MOST;
    if (most > st->names_left)
        return NULL;
    *length = 0;
    name = span_string(st->names, s.name, most, length);
    st->names_left -= name ? *length + 1 : most;
    return name ? name : "";
}

bool gpudl__symbol_is_kernel(struct symbol s)
{
    return s.type == STT_FUNC && s.other & STO_CUDA_ENTRY && s.section;
}

enum image_binding gpudl__symbol_binding(struct symbol s)
{
    switch (s.binding) {
    case STB_LOCAL: return IMAGE_BIND_LOCAL;
    case STB_WEAK: return IMAGE_BIND_WEAK;
    default: return IMAGE_BIND_GLOBAL;
    }
}

static enum image_error read_sections(struct reading *r, struct text *t)
{
    const struct cubin *c = r->cubin;
    enum image_error error = IMAGE_OK;

    for (uint32_t i = 1; i < c->nsections && !error; i++) {
        struct section s = gpudl__cubin_section(c, i);

        if (s.type == SHT_NV_INFO && s.info && s.info < c->nsections && span_is(c->section_names, s.name, ".nv.info.", 9)) {
            r->roles[s.info].info = i;
            r->info_bytes += gpudl__cubin_bytes(c, s).size;
        } else if (s.type == SHT_SYMTAB || s.type == SHT_SYMTAB_SHNDX) {
            error = offer_section(c, s, &r->symbols, t);
        } else {
            r->roles[i].storage = storage_of(c, s);
        }
        if (r->info_bytes > c->bytes.size)
            return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: its sections lie over each other");
    }
    return error;
}

static bool is_global(const struct reading *r, struct symbol s)
{
    return (s.type == STT_OBJECT || s.type == STT_NV_OBJECT) && r->roles[s.section].storage != NO_STORAGE;
}

/* The records of a kernel; each are given out once only. */
static struct span take_records(struct reading *r, uint32_t code, const char *name, size_t length)
{
    const struct cubin *c = r->cubin;
    struct section s = gpudl__cubin_section(c, r->roles[code].info);

    if (!s.type || !length || !span_is(c->section_names, (uint64_t)s.name + 9, name, length + 1))
        return (struct span){ 0 };
    r->roles[code].info = 0;
    return gpudl__cubin_bytes(c, s);
}

static void read_kernel(struct reading *r, struct symbol s, const char *name, size_t length, struct image_kernel *k)
{
    struct span records = take_records(r, s.section, name, length);
    size_t room = records.size / INFO_RECORD_OF_PARAM;

    *k = (struct image_kernel){ .name = name, .params = r->params };
    if (!records.size || room > r->params_room)
        return;
    gpudl__info_params(records, r->params, room, k);
    r->params += k->nparams;
    r->params_room -= k->nparams;
}

static struct image_global read_global(const struct reading *r, struct symbol s, const char *name)
{
    enum storage storage = r->roles[s.section].storage;

    return (struct image_global){
        .name = name, .size = s.size, .constant = storage == CONSTANT, .managed = (s.other & STO_CUDA_MANAGED) != 0,
        .initialised = storage != ZEROED, .binding = (uint8_t)gpudl__symbol_binding(s),
    };
}

static enum image_error allocate(struct reading *r, struct contents *out, struct text *t)
{
    size_t kernels = 0, globals = 0, at_kernels, at_globals;
    unsigned char *block;

    for (uint64_t i = 1; i < gpudl__symbols_count(&r->symbols); i++) {
        struct symbol s = gpudl__symbols_at(&r->symbols, i);

        kernels += gpudl__symbol_is_kernel(s);
        globals += is_global(r, s);
    }
    r->params_room = (size_t)(r->info_bytes / INFO_RECORD_OF_PARAM);
    at_kernels = r->params_room * sizeof(struct image_param);
    at_globals = at_kernels + kernels * sizeof(struct image_kernel);
    block = gpudl__arena_alloc(&out->arena, at_globals + globals * sizeof(struct image_global) + 1);
    if (!block)
        return gpudl__image_no_memory(t);
    r->params = (struct image_param *)block;
    out->kernels = (struct image_kernel *)(block + at_kernels);
    out->globals = (struct image_global *)(block + at_globals);
    return IMAGE_OK;
}

static enum image_error read_symbols(struct reading *r, struct contents *out, struct text *t)
{
    for (uint64_t i = 1; i < gpudl__symbols_count(&r->symbols); i++) {
        struct symbol s = gpudl__symbols_at(&r->symbols, i);
        bool kernel = gpudl__symbol_is_kernel(s);
        const char *name;
        size_t length;

        if (!kernel && !is_global(r, s))
            continue;
        name = gpudl__symbols_name(&r->symbols, s, &length);
        if (!name)
            return gpudl__image_fail(t, IMAGE_DAMAGED, "cubin: the names of its symbols lie over each other");
        if (kernel)
            read_kernel(r, s, name, length, &out->kernels[out->nkernels++]);
        else if (name[0] != '$')
            out->globals[out->nglobals++] = read_global(r, s, name);
    }
    return IMAGE_OK;
}

enum image_error gpudl__cubin_contents(const struct cubin *c, struct contents *out, struct text *t)
{
    struct role few[SECTIONS_ON_STACK];
    struct reading r = { .cubin = c, .roles = few };
    enum image_error error;

    if (c->nsections > SECTIONS_ON_STACK)
        r.roles = gpudl__alloc(c->nsections * sizeof(*r.roles));
    if (!r.roles)
        return gpudl__image_no_memory(t);
    init_symbols(c, &r.symbols);
    memset(r.roles, 0, c->nsections * sizeof(*r.roles));
    error = read_sections(&r, t);
    if (!error)
        error = allocate(&r, out, t);
    if (!error)
        error = read_symbols(&r, out, t);
    if (r.roles != few)
        gpudl__free(r.roles);
    return error;
}
