/* tables.c - the checks of test_clang. */
#include "tests/corpus/corpus.h"

extern const struct corpus_file clang_math[], clang_lists[], clang_kernels[];
const struct corpus_file *const corpus_tables[] = { clang_lists, clang_kernels, clang_math, NULL };
