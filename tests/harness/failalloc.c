/* Preloaded into any program: makes the n-th allocation that gpudl's code makes fail. Which code that is, the caller's address tells.
 *
 * FAILALLOC_N: which one fails, from 1. FAILALLOC_IN: part of the path of the object whose allocations count; "libgpudl.so" if unset.
 * HARNESS_REPORT_FD: a descriptor that is told when one failed. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, under the names that interposing leaves them. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static atomic_uintptr_t first, last; /* addresses of the code that is watched */
static atomic_long until_failure;
static int report_fd = -1;

static int find_code(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    if (!strstr(info->dlpi_name, wanted))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            atomic_store(&last, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
            atomic_store(&first, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    const char *n = getenv("FAILALLOC_N"), *in = getenv("FAILALLOC_IN"), *fd = getenv("HARNESS_REPORT_FD");

    if (fd)
        report_fd = atoi(fd);
    dl_iterate_phdr(find_code, (void *)(in ? in : "libgpudl.so"));
    atomic_store(&until_failure, n ? atol(n) : 0);
}

static int fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    if (at < atomic_load(&first) || at >= atomic_load(&last) || atomic_load(&until_failure) <= 0)
        return 0;
    if (atomic_fetch_sub(&until_failure, 1) != 1)
        return 0;
    return report_fd < 0 || write(report_fd, "an allocation", 13) >= 0;
}

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

VISIBLE void *calloc(size_t n, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, bytes);
}

VISIBLE void *realloc(void *block, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}
