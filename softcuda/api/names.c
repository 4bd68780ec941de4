/* names.c - see names.h. Functions that are defined nowhere else answer here that they are not supported: a program that only
 * mentions them can be linked and started. */
#include "softcuda/api/names.h"

#include <stddef.h>
#include <string.h>

enum { NOT_SUPPORTED = 801 };

/* Weak: a definition elsewhere takes the place of this one. */
#define ANSWER(symbol) \
    __attribute__((weak, visibility("default"))) int symbol(void); \
    int symbol(void) \
    { \
        return NOT_SUPPORTED; \
    }
#define ANSWER_F(name, since, suffix)         ANSWER(name##suffix)
#define ANSWER_T(name, since, suffix, thread) ANSWER(name##suffix) ANSWER(name##suffix##thread)
#define ANSWER_O(name, since)                 ANSWER(name)
#define NOTHING(...)
SC_NAMES(ANSWER_F, ANSWER_T, NOTHING, ANSWER_O, NOTHING)

static int no_symbol(void)
{
    return NOT_SUPPORTED;
}

#define ROW(name, since, symbol, plain, per_thread) \
    { name, symbol, since, (sc_function_pointer *)(plain), (sc_function_pointer *)(per_thread) },
#define ROW_F(name, since, suffix)         ROW(#name, since, #name #suffix, name##suffix, NULL)
#define ROW_T(name, since, suffix, thread) ROW(#name, since, #name #suffix, name##suffix, name##suffix##thread)
#define ROW_A(name, since, suffix)         ROW(#name, since, NULL, name##suffix, NULL)
#define ROW_O(name, since)                 ROW(#name, since, #name, NULL, NULL)
#define ROW_N(name, since)                 ROW(#name, since, NULL, no_symbol, NULL)

const struct sc_name sc_names[] = {
    SC_NAMES(ROW_F, ROW_T, ROW_A, ROW_O, ROW_N)
    { NULL, NULL, 0, NULL, NULL }
};

/* Is it the form's symbol, or that of its per-thread form? */
static int is_of(const char *symbol, const struct sc_name *n)
{
    size_t size = n->symbol ? strlen(n->symbol) : 0;

    if (!size || strncmp(symbol, n->symbol, size))
        return 0;
    return !symbol[size] || (n->per_thread && (!strcmp(symbol + size, "_ptsz") || !strcmp(symbol + size, "_ptds")));
}

int sc_symbol_since(const char *symbol)
{
    for (const struct sc_name *n = sc_names; n->name; n++)
        if (is_of(symbol, n))
            return n->since;
    return 0;
}
