/* coverage.c - which instructions softcuda runs, asked of the JIT itself, one form after the other.
 *
 * usage: coverage FORMS [PAGE]: prints docs/PTX-COVERAGE.md; with PAGE, compares it instead. coverage --compile FORMS: makes machine code
 * of every form that is not refused. FORMS has an instruction a line, sorted by its root: those of 672 public CUDA files come first in
 * each, rarer ones behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/jit.h"

#define HEAD \
    ".version 9.0\n.target sm_100\n.address_size 64\n.const .align 16 .b8 cst[64];\n.func foo() { ret; }\n" \
    ".visible .entry k(.param .align 16 .b8 o[64])\n{\n.reg .pred p<9>; .reg .b16 h<9>; .reg .b32 r<10>; .reg .f32 f<9>; .reg .b64 d<41>;\n" \
    ".reg .f64 q<9>; .reg .b128 o<9>; .shared .align 16 .b8 sh[4096]; .local .align 16 .b8 loc[64];\n"

struct form {
    char root[32], words[200];
    bool runs;
    char why[200];
};

static char page[1 << 17], text[4096];
static size_t length;

#define SAY(...) length += (size_t)snprintf(page + length, sizeof(page) - length, __VA_ARGS__)

/* The kernel's instruction that is neither the ret at its end nor a store of what a test needs: the last but one. */
static const struct ptx_insn *instruction(const struct ptx_module *m)
{
    const struct ptx_func *k = ptx_find_entry(m, "k");

    return k && k->ninsns > 1 ? &k->insns[k->ninsns - 2] : NULL;
}

static bool compiles(const struct ptx_module *m)
{
    static const uint32_t block[3] = { 64, 1, 1 };
    struct jit_unit *unit;
    struct jit_error err;
    struct jit_code code;
    bool ok = !jit_unit_create(m, &unit, &err);

    if (ok) {
        ok = !jit_compile(unit, ptx_find_entry(m, "k"), block, &code, &err);
        jit_unit_destroy(unit);
    }
    if (!ok)
        fprintf(stderr, "%s\n", err.text);
    return ok;
}

static void split_opcode(const char *opcode, struct form *f)
{
    size_t root = strcspn(opcode, ".");

    snprintf(f->root, sizeof(f->root), "%.*s", (int)root, opcode);
    snprintf(f->words, sizeof(f->words), "%s", opcode + root);
}

/* false: it is not even PTX. */
static bool ask(const char *line, bool compile, struct form *f)
{
    struct ptx_error perr;
    struct jit_error err;
    struct ptx_module *m;
    const char *colon;

    snprintf(text, sizeof(text), HEAD "%s\nret;\n}\n", line);
    if (!(m = ptx_parse(text, strlen(text), &perr)) || !instruction(m)) {
        fprintf(stderr, "%s: %s\n", line, m ? "no instruction" : perr.text);
        ptx_module_destroy(m);
        return false;
    }
    split_opcode(instruction(m)->opcode, f);
    f->runs = !jit_check(m, &err);
    if (!f->runs) {
        colon = strstr(err.text, "softcuda: ");
        snprintf(f->why, sizeof(f->why), "%s", colon ? colon + strlen("softcuda: ") : "");
    }
    if (compile && f->runs && !compiles(m)) {
        fprintf(stderr, "does not compile: %s\n", line);
        exit(1);
    }
    ptx_module_destroy(m);
    return true;
}

static void say_root(const struct form *forms, size_t n)
{
    size_t runs = 0;

    for (size_t i = 0; i < n; i++)
        runs += forms[i].runs;
    SAY("| %s | ", forms[0].root);
    for (size_t i = 0; i < n; i++)
        if (forms[i].runs)
            SAY("%s%s", *forms[i].words ? forms[i].words : "plain", --runs ? " " : "");
    SAY(" | ");
    for (size_t i = 0; i < n; i++)
        if (!forms[i].runs)
            SAY("%s%s%s%s ", *forms[i].words ? forms[i].words : "all", *forms[i].why ? " (" : "", forms[i].why,
                *forms[i].why ? ")" : "");
    SAY("|\n");
}

static void say_page(const struct form *forms, size_t n)
{
    size_t runs = 0;

    for (size_t i = 0; i < n; i++)
        runs += forms[i].runs;
    SAY("# Which PTX softcuda runs\n\n");
    SAY("Made by `tests/coverage`, which asks the JIT; a test fails where this page is not current. It lists %zu forms of instructions: all 657\n"
        "that nvcc makes of 672 public CUDA files for compute capability 7.5, and examples of those that newer GPUs add. %zu of them run.\n"
        "Forms that are not here run if their words do elsewhere: instructions are built by root, modifiers and types, not one by one.\n"
        "What softcuda does not know is named, with its line, when a module is loaded.\n\n",
        n, runs);
    SAY("| instruction | runs | refused |\n|---|---|---|\n");
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !strcmp(forms[end].root, forms[i].root); end++) {
        }
        say_root(forms + i, end - i);
    }
}

static int compare(const char *path)
{
    static char there[sizeof(page)];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(there, 1, sizeof(there) - 1, f) : 0;

    if (f)
        fclose(f);
    if (n == length && !memcmp(there, page, n))
        return 0;
    printf("%s is not current: write what this program prints without it\n", path);
    return 1;
}

int main(int argc, char **argv)
{
    bool compile = argc > 2 && !strcmp(argv[1], "--compile");
    static struct form forms[2000];
    FILE *f = argc > 1 ? fopen(argv[1 + compile], "r") : NULL;
    char line[600];
    size_t n = 0;

    if (!f)
        return 2;
    while (fgets(line, sizeof(line), f) && n < sizeof(forms) / sizeof(*forms)) {
        line[strcspn(line, "\n")] = 0;
        if (!ask(line, compile, &forms[n++]))
            return 1;
    }
    fclose(f);
    if (compile)
        return 0;
    say_page(forms, n);
    if (argc > 2)
        return compare(argv[2]);
    fputs(page, stdout);
    return 0;
}
