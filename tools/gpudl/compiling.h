/* compiling.h - how CUDA C++ is to be compiled, as the command lines of several commands say it. */
#ifndef GPUDL_TOOL_COMPILING_H
#define GPUDL_TOOL_COMPILING_H

#include <stdbool.h>

#include "tools/gpudl/command.h"

/* Rows for a command's table of options. */
#define COMPILING_OPTIONS \
    { "-I", "DIR", "CUDA C++: look for headers in DIR" }, { "-D", "NAME[=VALUE]", "CUDA C++: define a macro" }, \
        { "--fmad", "true|false", "CUDA C++: may a multiplication and an addition become one operation (true)" }, \
        { "--std", "STD", "CUDA C++: the language's version, such as c++20" }, \
        { "--option", "WORD", "CUDA C++: pass WORD on to the compiler" }, \
        { "--name", "EXPRESSION", "CUDA C++: instantiate it, such as 'scale<float, 4>'" }, \
        { "--compiler", "NAME", "CUDA C++: nvrtc, nvcc, clang, or the path of one" }, \
        { "--process", NULL, "CUDA C++: run NVRTC in a process of its own" }, \
    { \
        "--no-cache", NULL, "CUDA C++: take nothing from disk, keep nothing" \
    }

struct compiling {
    const char **words, **names;
    size_t nwords, nnames;
    const char *compiler;
    unsigned flags;
};

/* Room for a command line of so many words; false: no memory. */
bool compiling_begin(struct compiling *, size_t most);
void compiling_end(struct compiling *);
/* Is it one of the rows? Then it is taken. value is lent. */
bool compiling_take(struct compiling *, const char *name, const char *value);
/* Lent by it; target may be NULL. */
gpudl_compile_options compiling_options(const struct compiling *, const char *target, gpudl_format format);

#endif
