/* An image inside the program: the source of last resort. Part of <gpudl/gpudl.h>, which includes it.
 *
 *     GPUDL_EMBED(fallback, "build/k.fatbin");             once, at file scope; with CMake gpudl_embed(target fallback k.fatbin)
 *
 *     const gpudl_source sources[] = { gpudl_source_file("/etc/app/k.fatbin"), GPUDL_EMBEDDED(fallback) };
 *     gpudl_library_load_first(NULL, sources, 2, NULL, &which, &library);
 *
 * For gcc and clang with an ELF assembler. The build must know of the file: an object that embeds it is made anew when it changes
 * (OBJECT_DEPENDS in CMake; gpudl_embed() does that). */
#include <gpudl/gpudl.h>
#ifndef GPUDL_EMBED_H
#define GPUDL_EMBED_H

/* The file's bytes from symbol to symbol_end, and a NUL, as PTX wants one; aligned to 64 bytes. The path is a literal, taken from
 * the folder that the compiler runs in. */
#define GPUDL_EMBED(symbol, path) \
    __asm__(".pushsection .rodata, \"a\", %progbits\n" \
            ".balign 64\n.global " #symbol "\n.hidden " #symbol "\n" #symbol ":\n.incbin \"" path "\"\n" \
            ".global " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_end:\n.byte 0\n.popsection\n"); \
    GPUDL_EMBEDDED_DECLARE(symbol)

/* In files that use what another one embeds. */
#ifdef __cplusplus
#define GPUDL_EMBEDDED_DECLARE(symbol) \
    extern "C" __attribute__((visibility("hidden"))) const unsigned char symbol[], symbol##_end[]
#else
#define GPUDL_EMBEDDED_DECLARE(symbol) extern __attribute__((visibility("hidden"))) const unsigned char symbol[], symbol##_end[]
#endif

/* A gpudl_source of it, named after its symbol in messages. */
#define GPUDL_EMBEDDED(symbol) gpudl_source_named(#symbol, symbol, (size_t)(symbol##_end - symbol))

static inline gpudl_source gpudl_source_named(const char *name, const void *bytes, size_t nbytes)
{
    gpudl_source s = gpudl_source_memory(bytes, nbytes);
    s.name = name;
    return s;
}

#endif
