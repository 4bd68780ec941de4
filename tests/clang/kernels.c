#include "tests/corpus/corpus.h"
const struct corpus_file clang_kernels[] = { { NULL, NULL } };
