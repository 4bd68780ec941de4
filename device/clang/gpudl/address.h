/* address.h - what memory a pointer points to, and pointers as numbers of one memory. */
#pragma once
#pragma clang system_header
#define GPUDL_MEMORY(Name, name, space) \
    GPUDL_DEVICE unsigned __is##Name(const void *p) \
    { \
        return __nvvm_isspacep_##space(p); \
    } \
    GPUDL_DEVICE size_t __cvta_generic_to_##name(const void *p) \
    { \
        return (size_t)(GPUDL_SPACE_##Name void *)p; \
    } \
    GPUDL_DEVICE void *__cvta_##name##_to_generic(size_t p) \
    { \
        return (void *)(GPUDL_SPACE_##Name void *)p; \
    }
#define GPUDL_SPACE_Global __attribute__((address_space(1)))
#define GPUDL_SPACE_Shared __attribute__((address_space(3)))
#define GPUDL_SPACE_Constant __attribute__((address_space(4)))
#define GPUDL_SPACE_Local __attribute__((address_space(5)))
GPUDL_MEMORY(Global, global, global)
GPUDL_MEMORY(Shared, shared, shared)
GPUDL_MEMORY(Constant, constant, const)
GPUDL_MEMORY(Local, local, local)
#undef GPUDL_MEMORY
