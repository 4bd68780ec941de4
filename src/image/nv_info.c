/* nv_info.c - the records of .nv.info, .nv.info.K and .nv.compat:
 *     format:u8 attribute:u8 value:u16 [payload]
 * format 1: no value; 2: a byte; 3: a u16; 4: value is a count of payload bytes that follow. Nothing else exists, and after
 * something else nothing can be found again. */
#include "src/image/internal.h"

enum { PARAM_CBANK = 0x0a, KPARAM = 0x17, CBANK_PARAM_SIZE = 0x19, KPARAM_V2 = 0x45 };

#define NO_OFFSET UINT32_MAX

bool gpudl__info_next(struct span *records, struct info_record *out, bool *damaged)
{
    struct span r = *records;

    *damaged = false;
    if (!r.size)
        return false;
    out->format = span_u8(r, 0);
    out->attribute = span_u8(r, 1);
    out->value = span_u16(r, 2);
    out->payload = (struct span){ 0 };
    *damaged = r.size < 4 || out->format < INFO_NVAL || out->format > INFO_SVAL
        || (out->format == INFO_SVAL && !span_cut(r, 4, out->value, &out->payload));
    if (*damaged)
        return false;
    if (out->format == INFO_BVAL)
        out->value &= 0xff;
    *records = span_from(r, 4 + out->payload.size);
    return true;
}

/* KPARAM:    index:u32 ordinal:u16 offset:u16 pointee_align:8 pointee_space:4 bank:5 0:1 size:14
 * KPARAM_V2: index:u32 ordinal:u16 offset:u16 size:u16 pointee_align:u8 pointee_space:u8; takes the place of the other above
 * 4,352 bytes of parameters. The alignment is a logarithm, and of what is pointed to, not of the parameter. */
static struct image_param read_param(const struct info_record *r)
{
    uint32_t w = span_u32(r->payload, 8);
    bool old = r->attribute == KPARAM;
    unsigned log = old ? w & 0xff : w >> 16 & 0xff, space = old ? w >> 8 & 15 : w >> 24;

    return (struct image_param){
        .offset = span_u16(r->payload, 6), .size = old ? w >> 18 : w & 0xffff,
        .pointee_align = log && log < 16 ? (uint16_t)(1u << log) : 0,
        .pointee_space = space <= IMAGE_GENERIC ? (uint8_t)space : IMAGE_NO_SPACE,
    };
}

static bool add_param(const struct info_record *r, struct image_param *params, size_t room)
{
    unsigned ordinal = span_u16(r->payload, 4);

    if (r->payload.size < 12 || ordinal >= room || params[ordinal].offset != NO_OFFSET)
        return false;
    params[ordinal] = read_param(r);
    return true;
}

/* Ordinals without a gap, in the order of their offsets, none over another, and the last one ends where the parameters end. */
static bool params_agree(const struct image_param *params, size_t n, uint32_t param_bytes)
{
    uint32_t end = 0;

    for (size_t i = 0; i < n; i++) {
        if (params[i].offset == NO_OFFSET || params[i].offset < end || !params[i].size)
            return false;
        end = params[i].offset + params[i].size;
    }
    return end == param_bytes;
}

/* The order of records differs between tools. A kernel without parameters has no record about them at all. */
void gpudl__info_params(struct span records, struct image_param *params, size_t room, struct image_kernel *k)
{
    uint32_t bytes = 0, bytes_again = 0;
    struct info_record r;
    bool damaged, agree = true, said = false, said_again = false;
    size_t n = 0;

    for (size_t i = 0; i < room; i++)
        params[i].offset = NO_OFFSET;
    while (gpudl__info_next(&records, &r, &damaged)) {
        if ((r.attribute == KPARAM || r.attribute == KPARAM_V2) && r.format == INFO_SVAL) {
            agree = add_param(&r, params, room) && agree;
            n++;
        } else if (r.attribute == CBANK_PARAM_SIZE && r.format == INFO_HVAL) {
            bytes = r.value;
            said = true;
        } else if (r.attribute == PARAM_CBANK && r.format == INFO_SVAL && r.payload.size >= 8) {
            bytes_again = span_u16(r.payload, 6);
            said_again = true;
        }
    }
    agree = agree && !damaged && n <= room && n <= IMAGE_KERNEL_PARAMS_MOST && !(said && said_again && bytes != bytes_again);
    k->param_bytes = said ? bytes : bytes_again;
    k->params = params;
    k->params_known = agree && params_agree(params, n, k->param_bytes);
    k->nparams = k->params_known ? (uint32_t)n : 0;
}

/* The parameters once more, by ordinal, in a place of their own. */
static void explain_each(const struct image_param *params, size_t room, uint32_t bytes, struct text *t)
{
    uint32_t end = 0;
    size_t n = 0;

    for (size_t i = 0; i < room; i++) {
        if (params[i].offset == NO_OFFSET)
            continue;
        if (i != n)
            gpudl__text_add(t, "parameter %zu is missing", n);
        else if (i && params[i].offset < end)
            gpudl__text_add(t, "parameter %zu overlaps parameter %zu", i - 1, i);
        else if (!params[i].size)
            gpudl__text_add(t, "parameter %zu has no size", i);
        if (t->used)
            return;
        end = params[i].offset + params[i].size;
        n++;
    }
    if (end != bytes)
        gpudl__text_add(t, "its parameters end at byte %u, but take %u", end, bytes);
}

void gpudl__info_params_explain(struct span records, struct text *t)
{
    size_t room = records.size / 16 < IMAGE_KERNEL_PARAMS_MOST ? records.size / 16 : IMAGE_KERNEL_PARAMS_MOST;
    struct image_param *params = gpudl__alloc((room + 1) * sizeof(*params));
    uint32_t bytes = 0;
    struct info_record r;
    bool damaged;

    gpudl__text_clear(t);
    for (size_t i = 0; params && i < room; i++)
        params[i].offset = NO_OFFSET;
    while (params && gpudl__info_next(&records, &r, &damaged)) {
        if ((r.attribute == KPARAM || r.attribute == KPARAM_V2) && r.format == INFO_SVAL && !add_param(&r, params, room)) {
            gpudl__text_clear(t);
            gpudl__text_add(t, "the record of parameter %u is damaged or there twice", span_u16(r.payload, 4));
        } else if (r.attribute == CBANK_PARAM_SIZE && r.format == INFO_HVAL) {
            bytes = r.value;
        }
    }
    if (params && !t->used)
        explain_each(params, room, bytes, t);
    if (!t->used)
        gpudl__text_add(t, "the records of its parameters contradict each other");
    gpudl__free(params);
}
