/* fatbin_write.c - a fatbin as NVIDIA's fatbinary (13.0) lays it out; fatbin.c and fatbin_entry.c say what the fields mean.
 *
 *     16        header: magic, version 1, size of this header, bytes of all entries
 *     for each  64 of header; the identifier; for PTX, LTO-IR and cubins from sm_100 on a record; the payload, padded to 8
 *
 * The record is where options would be, and the length of them: here none are known, so it is {where, 0} with a NUL there. For a cubin from
 * sm_100 on it is followed by a copy of the section .nv.compat. */
#include <lz4.h>

#include "src/image/fatbin_write.h"
#include "src/image/internal.h"
#include "src/util/alloc.h"

enum { HEADER = 16, ENTRY = 64, RECORD = 8, KIND_PTX = 1, KIND_CUBIN = 2, KIND_LTOIR = 8, FIRST_COMPAT = 100 };

#define MAGIC 0xBA55ED50u
#define FLAG_64BIT 0x1u
#define FLAG_LINUX 0x10u
#define FLAG_LZ4 0x2000u
#define FLAG_A 0x100000u
#define FLAG_F 0x200000u
#define FLAG_CAPSULE 0x1000000u

/* An entry, planned: where its pieces lie from its beginning on. */
struct plan {
    struct span payload;
    unsigned char *packed; /* the payload, where it was compressed */
    struct span compat;
    size_t raw_size; /* 0: not compressed */
    size_t name_at, name_size, record_at, payload_at, payload_room;
};

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

static void put_u16(unsigned char *at, unsigned value)
{
    uint16_t little = htole16((uint16_t)value);

    memcpy(at, &little, sizeof(little));
}

static void put_u32(unsigned char *at, size_t value)
{
    uint32_t little = htole32((uint32_t)value);

    memcpy(at, &little, sizeof(little));
}

static void put_u64(unsigned char *at, uint64_t value)
{
    uint64_t little = htole64(value);

    memcpy(at, &little, sizeof(little));
}

static struct span find_compat(struct span bytes)
{
    struct cubin c;
    struct text none = { NULL, 0, 0, false };

    if (gpudl__cubin_open(bytes, &c, &none))
        return (struct span){ NULL, 0 };
    for (uint32_t i = 0; i < c.nsections; i++) {
        struct section s = gpudl__cubin_section(&c, i);
        if (cubin_named(&c, s, ".nv.compat"))
            return gpudl__cubin_bytes(&c, s);
    }
    return (struct span){ NULL, 0 };
}

/* With the NUL behind it, which is part of the payload. */
static enum image_error pack(const struct fatbin_part *part, struct plan *p)
{
    size_t size = part->bytes.size + 1;
    int most, got;

    if (size > LZ4_MAX_INPUT_SIZE)
        return IMAGE_LIMIT;
    most = LZ4_compressBound((int)size);
    p->packed = gpudl__alloc((size_t)most);
    if (!p->packed)
        return IMAGE_NO_MEMORY;
    got = LZ4_compress_default((const char *)part->bytes.data, (char *)p->packed, (int)size, most);
    if (got <= 0)
        return IMAGE_NO_MEMORY;
    p->payload = (struct span){ p->packed, (size_t)got };
    p->raw_size = size;
    return IMAGE_OK;
}

static enum image_error plan_entry(const struct fatbin_part *part, struct plan *p)
{
    enum image_error error = IMAGE_OK;
    size_t at = ENTRY;

    *p = (struct plan){ .payload = part->bytes };
    if (part->format == IMAGE_PTX)
        error = pack(part, p);
    else if (part->format == IMAGE_CUBIN && part->sm >= FIRST_COMPAT)
        p->compat = find_compat(part->bytes);
    else if (part->format != IMAGE_CUBIN && part->format != IMAGE_LTOIR)
        error = IMAGE_NOT_SUPPORTED;
    if (part->identifier) {
        p->name_at = at;
        p->name_size = strlen(part->identifier);
        at += padded(p->name_size + 1);
    }
    if (part->format != IMAGE_CUBIN || p->compat.size) {
        p->record_at = at;
        at += RECORD + padded(1 + p->compat.size);
    }
    p->payload_at = at;
    p->payload_room = padded(p->payload.size);
    return error;
}

static unsigned kind_of(enum image_format format)
{
    return format == IMAGE_PTX ? KIND_PTX : format == IMAGE_CUBIN ? KIND_CUBIN : KIND_LTOIR;
}

static void write_version(const struct fatbin_part *part, unsigned char *at)
{
    unsigned minor = 0, major = 1, number = 0;

    if (part->format == IMAGE_CUBIN) {
        minor = span_u8(part->bytes, 8); /* the ELF file's ABI version */
    } else if (part->format == IMAGE_LTOIR) {
        major = span_u8(part->bytes, 4);
        minor = span_u8(part->bytes, 5);
    } else {
        struct ptx_header h;
        struct text none = { NULL, 0, 0, false };
        if (!gpudl__ptx_header(part->bytes, &h, &none))
            number = h.version;
        major = number / 10;
        minor = number % 10;
    }
    put_u16(at + 0x18, minor);
    put_u16(at + 0x1a, major);
}

static uint64_t flags_of(const struct fatbin_part *part)
{
    return FLAG_64BIT | FLAG_LINUX | (part->format == IMAGE_PTX ? FLAG_LZ4 : 0) | (part->suffix == 'a' ? FLAG_A : 0) |
        (part->suffix == 'f' ? FLAG_F : 0) | (part->format == IMAGE_CUBIN && part->sm >= FIRST_COMPAT ? FLAG_CAPSULE : 0);
}

static void write_entry(const struct fatbin_part *part, const struct plan *p, unsigned char *at)
{
    put_u16(at, kind_of(part->format));
    put_u16(at + 0x02, 0x0101);
    put_u32(at + 0x04, p->payload_at);
    put_u64(at + 0x08, p->payload_room);
    put_u32(at + 0x10, p->raw_size ? p->payload.size : 0);
    put_u32(at + 0x14, p->record_at);
    write_version(part, at);
    put_u32(at + 0x1c, part->sm);
    put_u32(at + 0x20, p->name_at);
    put_u32(at + 0x24, p->name_size);
    put_u64(at + 0x28, flags_of(part));
    put_u64(at + 0x38, p->raw_size);
    if (p->name_at)
        memcpy(at + p->name_at, part->identifier, p->name_size);
    if (p->record_at) {
        put_u32(at + p->record_at, p->record_at + RECORD);
        put_u32(at + p->record_at + 4, p->compat.size);
        if (p->compat.size)
            memcpy(at + p->record_at + RECORD + 1, p->compat.data, p->compat.size);
    }
    memcpy(at + p->payload_at, p->payload.data, p->payload.size);
}

static enum image_error write_all(const struct fatbin_part *parts, const struct plan *plans, size_t n, struct span *out)
{
    size_t size = 0;
    unsigned char *bytes, *at;

    for (size_t i = 0; i < n; i++)
        size += plans[i].payload_at + plans[i].payload_room;
    bytes = at = gpudl__alloc_zero(HEADER + size);
    if (!bytes)
        return IMAGE_NO_MEMORY;
    put_u32(at, MAGIC);
    put_u16(at + 4, 1);
    put_u16(at + 6, HEADER);
    put_u64(at + 8, size);
    at += HEADER;
    for (size_t i = 0; i < n; i++) {
        write_entry(&parts[i], &plans[i], at);
        at += plans[i].payload_at + plans[i].payload_room;
    }
    *out = (struct span){ bytes, HEADER + size };
    return IMAGE_OK;
}

enum image_error gpudl__fatbin_write(const struct fatbin_part *parts, size_t n, struct span *out)
{
    struct plan *plans = gpudl__alloc_zero((n + 1) * sizeof(*plans));
    enum image_error error = plans ? IMAGE_OK : IMAGE_NO_MEMORY;

    for (size_t i = 0; i < n && !error; i++)
        error = plan_entry(&parts[i], &plans[i]);
    if (!error)
        error = write_all(parts, plans, n, out);
    for (size_t i = 0; plans && i < n; i++)
        gpudl__free(plans[i].packed);
    gpudl__free(plans);
    return error;
}
