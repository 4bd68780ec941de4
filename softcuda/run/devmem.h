/* devmem.h - a device's memory: one reserved range of addresses, where only what is allocated can be touched. Thread-safe. */
#ifndef SOFTCUDA_RUN_DEVMEM_H
#define SOFTCUDA_RUN_DEVMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_DEVMEM_ALIGN 256u

struct sc_devmem;

/* total: bytes of the device; less where the system does not give so much address space. NULL: none at all. */
struct sc_devmem *sc_devmem_create(uint64_t total);
void sc_devmem_destroy(struct sc_devmem *);     /* accepts NULL */

/* owner and kind are the caller's, for sc_devmem_find and sc_devmem_free_owned. What the memory holds is not defined. 0: none
 * left. */
uint64_t sc_devmem_alloc(struct sc_devmem *, uint64_t size, void *owner, uint32_t kind);

struct sc_devmem_info { uint64_t start, size, id; void *owner; uint32_t kind; };
/* The allocation that holds this address. */
bool sc_devmem_find(struct sc_devmem *, uint64_t address, struct sc_devmem_info *);
/* The allocations that end at or below the address and begin above it, those next to it; size 0: none. */
void sc_devmem_near(struct sc_devmem *, uint64_t address, struct sc_devmem_info *below, struct sc_devmem_info *above);
/* Calls visit for each allocation, in order of addresses. It must not allocate or free. */
void sc_devmem_each(struct sc_devmem *, void (*visit)(const struct sc_devmem_info *, void *arg), void *arg);
/* Frees the allocation that begins at address and is of this kind; false: there is none. */
bool sc_devmem_free(struct sc_devmem *, uint64_t address, uint32_t kind);
/* Frees everything of an owner. */
void sc_devmem_free_owned(struct sc_devmem *, const void *owner);

void sc_devmem_sizes(struct sc_devmem *, uint64_t *free, uint64_t *total);
void sc_devmem_range(const struct sc_devmem *, uint64_t *base, uint64_t *size);     /* the reserved range */
bool sc_devmem_contains(const struct sc_devmem *, uint64_t address);    /* in the range, allocated or not */

#endif
