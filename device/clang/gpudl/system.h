/* system.h - what a kernel asks of the driver: printf, assert, and memory from the device's heap. */
#pragma once
#pragma clang system_header
extern "C" {
__device__ int vprintf(const char *, const char *); /* clang turns printf into it */
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t char_size);
/* <assert.h> calls this one. Not noreturn, as __assertfail is not. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std {
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
__device__ static inline void free(void *p) { ::free(p); }
}

__device__ static inline void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}
__device__ static inline int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
__device__ static inline size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

__device__ static inline void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
__device__ static inline unsigned long long globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
