/* listing.c - gpudl inspect for people. */
#include "tools/gpudl/inspect.h"
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <string.h>

static void print_count(unsigned count, int width)
{
    if (count == GPUDL_UNKNOWN)
        printf("%*s", width, "-");
    else
        printf("%*u", width, count);
}

/* -------------------------------------------------------------------------------------------------------------------- entries */

static void print_place(const gpudl_entry_info *e)
{
    if (e->member) {
        printf("in member ");
        words_print(e->member);
    }
    if (e->section && *e->section) {
        printf("%s", e->member ? ", section " : "in section ");
        words_print(e->section);
    }
    printf("%sat byte %llu:\n", e->member || (e->section && *e->section) ? ", " : "", (unsigned long long)e->offset);
}

static void print_made_with(const gpudl_entry_info *e)
{
    char text[32] = "";

    if (e->ptx_version)
        snprintf(text, sizeof(text), "PTX %u.%u", e->ptx_version / 10, e->ptx_version % 10);
    else if (e->toolkit)
        snprintf(text, sizeof(text), "CUDA %u.%u", e->toolkit / 10, e->toolkit % 10);
    printf("  %-9s", text);
}

static void print_remarks(const gpudl_entry_info *e)
{
    printf("%s%s%s", e->relocatable ? "  relocatable" : "", e->debug ? "  debug" : "", e->is_64bit ? "" : "  32-bit");
    if (*e->payload_arch && strcmp(e->payload_arch, e->arch) != 0)
        printf("  its code says %s", e->payload_arch);
    if (e->identifier) {
        printf("  ");
        words_print(e->identifier);
    }
    if (e->options && *e->options) {
        printf("  [");
        words_print(e->options);
        putchar(']');
    }
}

static void print_entry(size_t index, const gpudl_entry_info *e)
{
    printf("%5zu  %-7s %-13s %-11s %10llu", index, e->kind, e->arch, e->compression, (unsigned long long)e->bytes);
    print_made_with(e);
    print_remarks(e);
    putchar('\n');
}

static void print_entries(gpudl_image *image, const gpudl_image_info *info)
{
    bool places = !strcmp(info->format, "elf") || !strcmp(info->format, "archive");
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    size_t container = GPUDL_ALL;

    if (info->entries)
        printf("entry  kind    arch          compression      bytes  made with\n");
    for (size_t i = 0; i < info->entries && gpudl_image_entry(image, i, &e) == GPUDL_OK; i++) {
        if (places && e.container != container)
            print_place(&e);
        container = e.container;
        print_entry(i, &e);
    }
}

/* ------------------------------------------------------------------------------------------------------------------- contents */

static void print_params(gpudl_image *image, size_t entry, size_t kernel, unsigned count)
{
    gpudl_param_info p = { .size_of_struct = sizeof(p) };

    if (count == GPUDL_UNKNOWN)
        printf(": unknown parameters");
    for (unsigned i = 0; count != GPUDL_UNKNOWN && i < count; i++)
        if (gpudl_image_param(image, entry, kernel, i, &p) == GPUDL_OK)
            printf("%s%zu", i ? "+" : ": ", p.size);
}

static void print_extent(const char *what, const unsigned extent[3])
{
    if (extent[0] || extent[1] || extent[2])
        printf(", %s %ux%ux%u", what, extent[0], extent[1], extent[2]);
}

static bool print_kernel(gpudl_image *image, size_t entry, size_t kernel)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };

    if (gpudl_image_kernel(image, entry, kernel, &k) != GPUDL_OK) {
        printf("  damaged: ");
        words_print(gpudl_error_text());
        putchar('\n');
        return false;
    }
    print_count(k.registers, 11);
    print_count(k.shared, 8);
    print_count(k.local, 7);
    printf("  ");
    words_print(inspect_demangle(k.name));
    print_params(image, entry, kernel, k.params);
    print_extent("block at most", k.max_block);
    print_extent("block", k.required_block);
    print_extent("cluster", k.cluster);
    if (*k.problem) {
        printf(", ");
        words_print(k.problem);
    }
    putchar('\n');
    return true;
}

static bool print_kernels(gpudl_image *image, size_t entry, size_t count)
{
    bool whole = true;

    if (count)
        printf("\nkernels of entry %zu:\n  registers  shared  local  name: bytes of its parameters\n", entry);
    for (size_t i = 0; i < count; i++)
        whole = print_kernel(image, entry, i) && whole;
    return whole;
}

static void print_globals(gpudl_image *image, size_t entry, size_t count)
{
    gpudl_global_info g = { .size_of_struct = sizeof(g) };

    if (count)
        printf("\nglobals of entry %zu:\n      bytes  name\n", entry);
    for (size_t i = 0; i < count && gpudl_image_global(image, entry, i, &g) == GPUDL_OK; i++) {
        printf("%11llu  ", (unsigned long long)g.size);
        words_print(inspect_demangle(g.name));
        printf("%s%s\n", g.constant ? ", constant" : "", g.managed ? ", managed" : "");
    }
}

static void print_externs(gpudl_image *image, size_t entry)
{
    const char *name;
    size_t i;

    for (i = 0; (name = gpudl_image_extern(image, entry, i)) != NULL; i++) {
        if (i == 0)
            printf("\nentry %zu uses, and does not hold:", entry);
        putchar(' ');
        words_print(name);
    }
    if (i)
        putchar('\n');
}

/* --------------------------------------------------------------------------------------------------------------------- tables */

static int print_section(void *user, const gpudl_section_info *s)
{
    const char *type = inspect_section_type(s->type);
    char number[16];

    (void)user;
    snprintf(number, sizeof(number), "0x%x", s->type);
    printf("%5u %8llx %8llx %4llx %5llx %20s %8llx %4u %8x  ", s->index, (unsigned long long)s->offset,
        (unsigned long long)s->size, (unsigned long long)s->entry_size, (unsigned long long)s->align, type ? type : number,
        (unsigned long long)s->flags, s->link, s->info);
    words_print(s->name);
    putchar('\n');
    return 1;
}

static int print_symbol(void *user, const gpudl_symbol_info *s)
{
    static const char *const types[] = { "NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE", "COMMON", "TLS" };
    static const char *const bindings[] = { "LOCAL", "GLOBAL", "WEAK" };
    char type[16], binding[16];

    (void)user;
    snprintf(type, sizeof(type), "%u", s->type);
    snprintf(binding, sizeof(binding), "%u", s->binding);
    printf("%5u %16llx %8llx %8s %7s %5x %6x  ", s->index, (unsigned long long)s->value, (unsigned long long)s->size,
        s->type < sizeof(types) / sizeof(*types) ? types[s->type] : type,
        s->binding < sizeof(bindings) / sizeof(*bindings) ? bindings[s->binding] : binding, s->other, s->section);
    words_print(s->name);
    putchar('\n');
    return 1;
}

static bool print_tables(gpudl_image *image, size_t entry)
{
    bool whole;

    printf("\nsections of entry %zu:\nindex   offset     size   es align                 type    flags link     info  name\n", entry);
    whole = gpudl_image_sections(image, entry, print_section, NULL) == GPUDL_OK;
    printf("\nsymbols of entry %zu:\nindex            value     size     type binding other  shndx  name\n", entry);
    return gpudl_image_symbols(image, entry, print_symbol, NULL) == GPUDL_OK && whole;
}

static bool print_contents(gpudl_image *image, const char *file, size_t entry, bool symbols)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    struct reading r = inspect_read(image, file, entry);
    bool whole = !r.damaged;

    if (r.text) {
        printf("\nentry %zu: %s", entry, r.damaged ? "damaged: " : "");
        words_print(r.text);
        putchar('\n');
    }
    whole = print_kernels(image, entry, r.nkernels) && whole;
    print_globals(image, entry, r.nglobals);
    print_externs(image, entry);
    if (symbols && gpudl_image_entry(image, entry, &e) == GPUDL_OK && !strcmp(e.kind, "elf"))
        whole = print_tables(image, entry) && whole;
    gpudl_image_forget(image, entry);
    return whole;
}

bool inspect_list(gpudl_image *image, const char *file, bool symbols)
{
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    bool whole;

    if (gpudl_image_describe(image, &info) != GPUDL_OK)
        return false;
    whole = info.damage == GPUDL_OK;
    words_print(file);
    printf(": %s, %llu bytes, entries: %zu\n", info.format, (unsigned long long)info.bytes, info.entries);
    print_entries(image, &info);
    for (size_t i = 0; i < info.entries; i++)
        whole = print_contents(image, file, i, symbols) && whole;
    gpudl_image_describe(image, &info); /* reading has added to its notes */
    if (*info.notes)
        printf("\n%s\n", info.notes);
    if (*info.damage_text) {
        printf("\ndamaged: ");
        words_print(info.damage_text);
        putchar('\n');
    }
    return whole;
}
