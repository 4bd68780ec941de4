/* element.c - see element.h. Every value passes through one of three carriers: int64_t, uint64_t or double. f16 is converted
 * here, as compilers differ in what they offer for it. */
#include "tools/gpudl/element.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct element_type types[] = {
    { "i8", 'i', 1 },  { "i16", 'i', 2 }, { "i32", 'i', 4 }, { "i64", 'i', 8 }, { "u8", 'u', 1 },  { "u16", 'u', 2 },
    { "u32", 'u', 4 }, { "u64", 'u', 8 }, { "f16", 'f', 2 }, { "f32", 'f', 4 }, { "f64", 'f', 8 },
};
enum { NTYPES = sizeof(types) / sizeof(types[0]) };

const struct element_type *element_find(const char *name, size_t length)
{
    for (size_t i = 0; i < NTYPES; i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
            return &types[i];
    return NULL;
}

const struct element_type *element_find_kind(char kind, size_t size)
{
    for (size_t i = 0; i < NTYPES; i++)
        if (types[i].kind == kind && types[i].size == size)
            return &types[i];
    return NULL;
}

const char *element_names(void)
{
    return "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64";
}

/* ----------------------------------------------------------------------------------------------------------- values in memory */

static double half_to_double(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double value;

    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h & 0x8000 ? -value : value;
}

/* To the nearest, ties to even. A fraction that rounds up to the next power of two carries into the exponent. */
static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value), fraction;
    int exponent;

    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint16_t)rint(size * 0x1p24);
    fraction = frexp(size, &exponent);
    return sign | (uint16_t)(((exponent + 14) << 10) + (int)rint(fraction * 2048) - 1024);
}

static void store_integer(const struct element_type *type, void *out, uint64_t bits)
{
    memcpy(out, &bits, type->size);     /* little-endian, as every host of CUDA is */
}

static void store_float(const struct element_type *type, void *out, double value)
{
    if (type->size == 8)
        memcpy(out, &value, 8);
    else if (type->size == 4)
        memcpy(out, &(float){ (float)value }, 4);
    else
        memcpy(out, &(uint16_t){ half_from_double(value) }, 2);
}

double element_real(const struct element_type *type, const void *in)
{
    double wide;
    float single;
    uint16_t half;

    if (type->size == 8)
        return memcpy(&wide, in, 8), wide;
    if (type->size == 4)
        return memcpy(&single, in, 4), single;
    return memcpy(&half, in, 2), half_to_double(half);
}

/* ------------------------------------------------------------------------------------------------------------------ from text */

static const char out_of_range[] = "does not fit in this type", not_a_number[] = "is not a number";

static int parse_float(const struct element_type *type, const char *text, void *out, const char **why)
{
    bool said_infinite;
    char *end;
    double value;
    const char *digits = text + (*text == '-' || *text == '+');

    said_infinite = tolower((unsigned char)*digits) == 'i';
    /* A float is read as a float: by way of double it would be rounded twice. */
    value = type->size == 4 ? strtof(text, &end) : strtod(text, &end);
    *why = not_a_number;
    if (end == text || *end)
        return -1;
    *why = out_of_range;
    if (type->size == 2)
        value = half_to_double(half_from_double(value));
    if (isinf(value) && !said_infinite)
        return -1;
    store_float(type, out, value);
    return 0;
}

static int parse_signed(const struct element_type *type, const char *text, void *out, const char **why)
{
    int64_t limit = (int64_t)(UINT64_MAX >> (65 - 8 * type->size));
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, strncasecmp(digits, "0x", 2) ? 10 : 16);
    *why = not_a_number;
    if (end == text || *end)
        return -1;
    *why = out_of_range;
    if (errno || value > limit || value < -limit - 1)
        return -1;
    store_integer(type, out, (uint64_t)value);
    return 0;
}

static int parse_unsigned(const struct element_type *type, const char *text, void *out, const char **why)
{
    uint64_t limit = UINT64_MAX >> (64 - 8 * type->size);
    const char *digits = text + (*text == '+');
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, strncasecmp(digits, "0x", 2) ? 10 : 16);
    *why = not_a_number;
    if (end == text || *end)
        return -1;
    *why = out_of_range;
    if (errno || *text == '-' || value > limit)
        return -1;
    store_integer(type, out, value);
    return 0;
}

int element_parse(const struct element_type *type, const char *text, void *out, const char **why)
{
    *why = not_a_number;
    if (isspace((unsigned char)*text))
        return -1;
    if (type->kind == 'f')
        return parse_float(type, text, out, why);
    return type->kind == 'i' ? parse_signed(type, text, out, why) : parse_unsigned(type, text, out, why);
}

/* -------------------------------------------------------------------------------------------------------------------- to text */

static bool reads_back(const struct element_type *type, const char *text, const void *value)
{
    const char *why;
    uint64_t bits = 0;

    return !element_parse(type, text, &bits, &why) && !memcmp(&bits, value, type->size);
}

static void print_float(const struct element_type *type, const void *value, FILE *out)
{
    char text[64];
    double wide = element_real(type, value);
    int digits = 1, whole = 1;      /* significant ones; ones before the point */

    if (isnan(wide)) {
        fputs("nan", out);
        return;
    }
    do
        snprintf(text, sizeof(text), "%.*g", digits, wide);
    while (!reads_back(type, text, value) && ++digits <= 17);
    /* 1000, not 1e+03. */
    for (double power = 10; fabs(wide) < 1e9 && power <= fabs(wide); power *= 10)
        whole++;
    fprintf(out, "%.*g", whole > digits ? whole : digits, wide);
}

void element_print(const struct element_type *type, const void *value, FILE *out)
{
    int unused = 64 - 8 * type->size;
    uint64_t bits = 0;

    if (type->kind == 'f') {
        print_float(type, value, out);
        return;
    }
    memcpy(&bits, value, type->size);
    if (type->kind == 'i')
        fprintf(out, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    else
        fprintf(out, "%llu", (unsigned long long)bits);
}

/* --------------------------------------------------------------------------------------------------------------------- arrays */

void element_fill(const struct element_type *type, void *data, size_t count, const void *value)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)data + i * type->size, value, type->size);
}

void element_fill_iota(const struct element_type *type, void *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *out = (char *)data + i * type->size;

        if (type->kind == 'f')
            store_float(type, out, (double)i);
        else
            store_integer(type, out, i);
    }
}

/* SplitMix64: a counter, mixed. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void element_fill_random(const struct element_type *type, void *data, size_t count, uint64_t seed)
{
    int digits = type->size == 8 ? 53 : type->size == 4 ? 24 : 11;     /* of a significand, so that nothing is rounded up to 1 */

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = next_random(&seed);
        void *out = (char *)data + i * type->size;

        if (type->kind == 'f')
            store_float(type, out, ldexp((double)(bits >> (64 - digits)), -digits));
        else
            store_integer(type, out, bits);
    }
}
