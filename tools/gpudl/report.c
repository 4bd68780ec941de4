/* report.c - gpudl inspect --json. */
#include "tools/gpudl/inspect.h"
#include "tools/gpudl/json.h"

#include <stdio.h>
#include <string.h>

static void write_version(struct json *j, const char *key, unsigned tens)
{
    char text[32];

    snprintf(text, sizeof(text), "%u.%u", tens / 10, tens % 10);
    if (tens)
        json_string(j, key, text);
}

static void write_optional(struct json *j, const char *key, const char *value)
{
    if (value && *value)
        json_string(j, key, value);
}

static void write_extent(struct json *j, const char *key, const unsigned extent[3])
{
    if (!extent[0] && !extent[1] && !extent[2])
        return;
    json_open(j, key, '[');
    for (int i = 0; i < 3; i++)
        json_number(j, NULL, extent[i]);
    json_close(j, ']');
}

/* ------------------------------------------------------------------------------------------------------------------- contents */

static void write_params(struct json *j, gpudl_image *image, size_t entry, size_t kernel, unsigned count)
{
    gpudl_param_info p = { .size_of_struct = sizeof(p) };

    if (count == GPUDL_UNKNOWN) {
        json_string(j, "params", NULL);
        return;
    }
    json_open(j, "params", '[');
    for (unsigned i = 0; i < count && gpudl_image_param(image, entry, kernel, i, &p) == GPUDL_OK; i++) {
        json_open(j, NULL, '{');
        json_number(j, "offset", p.offset);
        json_number(j, "size", p.size);
        write_optional(j, "type", p.type);
        write_optional(j, "pointee", p.pointee);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static bool write_kernel(struct json *j, gpudl_image *image, size_t entry, size_t kernel)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };

    if (gpudl_image_kernel(image, entry, kernel, &k) != GPUDL_OK)
        return false;
    json_open(j, NULL, '{');
    json_string(j, "name", k.name);
    json_string(j, "demangled", inspect_demangle(k.name));
    write_params(j, image, entry, kernel, k.params);
    json_count(j, "registers", k.registers);
    json_count(j, "shared", k.shared);
    json_count(j, "local", k.local);
    json_count(j, "constant", k.constants);
    json_count(j, "barriers", k.barriers);
    json_number(j, "max_threads", k.max_threads);
    write_extent(j, "max_block", k.max_block);
    write_extent(j, "required_block", k.required_block);
    if (k.min_blocks)
        json_number(j, "min_blocks", k.min_blocks);
    write_extent(j, "cluster", k.cluster);
    if (k.max_cluster)
        json_number(j, "max_cluster", k.max_cluster);
    write_optional(j, "problem", k.problem);
    json_close(j, '}');
    return true;
}

static bool write_kernels(struct json *j, gpudl_image *image, size_t entry, size_t count)
{
    bool whole = true;

    json_open(j, "kernels", '[');
    for (size_t i = 0; i < count; i++)
        whole = write_kernel(j, image, entry, i) && whole;
    json_close(j, ']');
    return whole;
}

static void write_globals(struct json *j, gpudl_image *image, size_t entry, size_t count)
{
    gpudl_global_info g = { .size_of_struct = sizeof(g) };

    json_open(j, "globals", '[');
    for (size_t i = 0; i < count && gpudl_image_global(image, entry, i, &g) == GPUDL_OK; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", g.name);
        json_string(j, "demangled", inspect_demangle(g.name));
        json_number(j, "size", g.size);
        json_truth(j, "constant", g.constant);
        json_truth(j, "managed", g.managed);
        json_truth(j, "initialised", g.initialised);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_externs(struct json *j, gpudl_image *image, size_t entry)
{
    const char *name;

    json_open(j, "externs", '[');
    for (size_t i = 0; (name = gpudl_image_extern(image, entry, i)) != NULL; i++)
        json_string(j, NULL, name);
    json_close(j, ']');
}

/* --------------------------------------------------------------------------------------------------------------------- tables */

static int write_section(void *user, const gpudl_section_info *s)
{
    struct json *j = user;

    json_open(j, NULL, '{');
    json_number(j, "index", s->index);
    json_string(j, "name", s->name);
    json_number(j, "type", s->type);
    write_optional(j, "type_name", inspect_section_type(s->type));
    json_number(j, "flags", s->flags);
    json_number(j, "address", s->address);
    json_number(j, "offset", s->offset);
    json_number(j, "size", s->size);
    json_number(j, "align", s->align);
    json_number(j, "entry_size", s->entry_size);
    json_number(j, "link", s->link);
    json_number(j, "info", s->info);
    json_close(j, '}');
    return 1;
}

static int write_symbol(void *user, const gpudl_symbol_info *s)
{
    struct json *j = user;

    json_open(j, NULL, '{');
    json_number(j, "index", s->index);
    json_string(j, "name", s->name);
    json_number(j, "value", s->value);
    json_number(j, "size", s->size);
    json_number(j, "type", s->type);
    json_number(j, "binding", s->binding);
    json_number(j, "other", s->other);
    json_number(j, "section", s->section);
    json_close(j, '}');
    return 1;
}

static bool write_tables(struct json *j, gpudl_image *image, size_t entry)
{
    bool whole;

    json_open(j, "sections", '[');
    whole = gpudl_image_sections(image, entry, write_section, j) == GPUDL_OK;
    json_close(j, ']');
    json_open(j, "symbols", '[');
    whole = gpudl_image_symbols(image, entry, write_symbol, j) == GPUDL_OK && whole;
    json_close(j, ']');
    return whole;
}

/* -------------------------------------------------------------------------------------------------------------------- entries */

static void write_header(struct json *j, const gpudl_entry_info *e)
{
    json_string(j, "kind", e->kind);
    json_string(j, "arch", e->arch);
    if (*e->payload_arch && strcmp(e->payload_arch, e->arch) != 0)
        json_string(j, "payload_arch", e->payload_arch);
    json_string(j, "compression", e->compression);
    json_number(j, "size", e->bytes);
    json_number(j, "stored_size", e->stored_bytes);
    json_number(j, "offset", e->offset);
    json_number(j, "container", e->container);
    write_optional(j, "member", e->member);
    write_optional(j, "section", e->section);
    write_optional(j, "identifier", e->identifier);
    write_optional(j, "options", e->options);
    write_version(j, "ptx_version", e->ptx_version);
    write_version(j, "toolkit", e->toolkit);
    json_truth(j, "relocatable", e->relocatable);
    json_truth(j, "debug", e->debug);
    json_truth(j, "is_64bit", e->is_64bit);
}

/* Read first, as the header says more then. */
static bool write_entry(struct json *j, gpudl_image *image, const char *file, size_t entry, bool symbols)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };
    struct reading r = inspect_read(image, file, entry);
    bool whole = !r.damaged;

    if (gpudl_image_entry(image, entry, &e) != GPUDL_OK)
        return false;
    json_open(j, NULL, '{');
    write_header(j, &e);
    write_optional(j, r.damaged ? "damage" : "unreadable", r.text);
    whole = write_kernels(j, image, entry, r.nkernels) && whole;
    write_globals(j, image, entry, r.nglobals);
    write_externs(j, image, entry);
    if (symbols && !strcmp(e.kind, "elf"))
        whole = write_tables(j, image, entry) && whole;
    json_close(j, '}');
    gpudl_image_forget(image, entry);
    return whole;
}

bool inspect_report(gpudl_image *image, const char *file, bool symbols)
{
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    struct json j = { stdout, false };
    bool whole;

    if (gpudl_image_describe(image, &info) != GPUDL_OK)
        return false;
    whole = info.damage == GPUDL_OK;
    json_open(&j, NULL, '{');
    json_string(&j, "file", file);
    json_string(&j, "format", info.format);
    json_number(&j, "size", info.bytes);
    json_open(&j, "entries", '[');
    for (size_t i = 0; i < info.entries; i++)
        whole = write_entry(&j, image, file, i, symbols) && whole;
    json_close(&j, ']');
    write_optional(&j, "damage", info.damage_text);
    gpudl_image_describe(image, &info); /* reading has added to them */
    write_optional(&j, "notes", info.notes);
    json_truth(&j, "whole", whole);
    json_close(&j, '}');
    putchar('\n');
    return whole;
}
