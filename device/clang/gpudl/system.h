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
__device__ static inline void *malloc(size_t size)
{
    return ::malloc(size);
}
__device__ static inline void free(void *p)
{
    ::free(p);
}
} // namespace std

__device__ static inline void __nanosleep(unsigned ns)
{
    __nvvm_nanosleep(ns);
}
