/* versions.c - a driver of another version: what it had not is not there. cuGetProcAddress sees to that by names.h; here symbols are
 * hidden from dlsym and from programs that are linked: they are taken out of this library's symbol table when it is loaded. A
 * program whose symbols are all bound before that (BIND_NOW) has them already, and keeps them. */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "softcuda/api/names.h"
#include "softcuda/api/objects.h"

#define NEWEST 13000

int sc_driver_version(void)
{
    static atomic_int version;
    int known = atomic_load_explicit(&version, memory_order_relaxed);
    const char *wish;
    long n;

    if (known)
        return known;
    wish = secure_getenv("SOFTCUDA_DRIVER_VERSION");
    n = wish ? strtol(wish, NULL, 10) : 0;
    known = n >= 2000 && n < NEWEST ? (int)n : NEWEST;
    atomic_store_explicit(&version, known, memory_order_relaxed);
    return known;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = sc_driver_version();
    return CUDA_SUCCESS;
}

/* The dynamic symbols of a library that is loaded. */
struct symbols { ElfW(Sym) *first; size_t n; const char *names; };

static struct symbols symbols_at(ElfW(Addr) base, const ElfW(Dyn) *d)
{
    struct symbols s = { NULL, 0, NULL };

    for (; d->d_tag != DT_NULL; d++) {
        ElfW(Addr) at = d->d_un.d_ptr < base ? base + d->d_un.d_ptr : d->d_un.d_ptr;     /* glibc has added the base already */

        if (d->d_tag == DT_SYMTAB)
            s.first = (ElfW(Sym) *)at;
        else if (d->d_tag == DT_STRTAB)
            s.names = (const char *)at;
        else if (d->d_tag == DT_HASH)
            s.n = ((const ElfW(Word) *)at)[1];
    }
    return s;
}

/* A symbol without a value is found by nobody. */
static void hide(const struct symbols *s, int version)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->first[i].st_shndx != SHN_UNDEF && sc_symbol_since(s->names + s->first[i].st_name) > version)
            s->first[i].st_value = 0;
}

/* The pages of the table, which the linker has made read-only. */
static int protect(const struct symbols *s, int how)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)s->first / page * page;

    return mprotect((void *)from, (uintptr_t)(s->first + s->n) - from, how);
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
    uintptr_t here = (uintptr_t)sc_names;
    const ElfW(Dyn) *dynamic = NULL;
    bool ours = false;

    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr);
        else if (p->p_type == PT_LOAD)
            ours |= here - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
    }
    if (ours && dynamic) {
        struct symbols s = symbols_at(info->dlpi_addr, dynamic);

        if (s.first && s.names && s.n && !protect(&s, PROT_READ | PROT_WRITE)) {
            hide(&s, sc_driver_version());
            protect(&s, PROT_READ);
        }
    }
    return ours;
}

__attribute__((constructor)) static void hide_newer(void)
{
    if (sc_driver_version() < NEWEST)
        dl_iterate_phdr(visit, NULL);
}
