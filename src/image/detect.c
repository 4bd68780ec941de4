/* detect.c - what are these bytes? Formats that gpudl reads are told by their first bytes (PTX by its first word); everything
 * else is named as well as it can be, because "not an image" helps nobody. */
#include "src/image/internal.h"
#include "src/image/ptx_lex.h"

#include <elf.h>

#define TEXT_SAMPLE 4096
#define PATH_MOST 4096

#define NVCC_FATBIN "give the output of nvcc -fatbin"
#define TAKE_OUT "take one piece of its code out with gpudl extract, or " NVCC_FATBIN

struct magic {
    const char *bytes;
    size_t size;
    enum image_error error;
    const char *what;           /* completes "this is ..." */
};
#define M(bytes) bytes, sizeof(bytes) - 1

static const struct magic magics[] = {
    { M("\xB1\x43\x62\x46"), IMAGE_NOT_SUPPORTED,
        "the wrapper that a host program keeps around a fatbin, which holds an address and no code: "
        "give what its data pointer points to" },
    { M("\x01\x5A\xE5\x1E"), IMAGE_NOT_SUPPORTED, "a fatbin of the kind used before CUDA 4: compile it anew" },
    { M("\x10\xFF\x10\xAD"), IMAGE_NOT_SUPPORTED, "an LLVM offload bundle: take the code out with clang-offload-packager" },
    { M("__CLANG_OFFLOAD_BUNDLE__"), IMAGE_NOT_SUPPORTED,
        "a clang offload bundle: take the code out with clang-offload-bundler" },
    { M("BC\xC0\xDE"), IMAGE_NOT_SUPPORTED, "LLVM bitcode: compile it to PTX (llc -march=nvptx64)" },
    { M("\xDE\xC0\x17\x0B"), IMAGE_NOT_SUPPORTED, "LLVM bitcode: compile it to PTX (llc -march=nvptx64)" },
    { M("\xCF\xFA\xED\xFE"), IMAGE_NOT_SUPPORTED, "a Mach-O file of macOS: " NVCC_FATBIN },
    { M("\xCE\xFA\xED\xFE"), IMAGE_NOT_SUPPORTED, "a Mach-O file of macOS: " NVCC_FATBIN },
    { M("\xCA\xFE\xBA\xBE"), IMAGE_NOT_SUPPORTED, "a universal Mach-O file of macOS: " NVCC_FATBIN },
    { M("MZ"), IMAGE_NOT_SUPPORTED, "a PE file of Windows (.exe, .dll): " NVCC_FATBIN },
    { M("\x1F\x8B"), IMAGE_NOT_AN_IMAGE, "a gzip file: decompress it first" },
    { M("\x28\xB5\x2F\xFD"), IMAGE_NOT_AN_IMAGE, "a zstd file: decompress it first" },
    { M("\xFD" "7zXZ"), IMAGE_NOT_AN_IMAGE, "an xz file: decompress it first" },
    { M("PK\x03\x04"), IMAGE_NOT_AN_IMAGE, "a zip file: unpack it first" },
    { M("version https://git-lfs"), IMAGE_NOT_AN_IMAGE, "a pointer of git-lfs, not the file itself: run git lfs pull" },
    { M("<!DOCTYPE"), IMAGE_NOT_AN_IMAGE, "a web page, perhaps saved in place of a download" },
    { M("<html"), IMAGE_NOT_AN_IMAGE, "a web page, perhaps saved in place of a download" },
    { M("\xEF\xBB\xBF"), IMAGE_NOT_AN_IMAGE, "text with a UTF-8 byte order mark, which PTX compilers refuse: save it without" },
    { M("\xFF\xFE"), IMAGE_NOT_AN_IMAGE, "UTF-16 text: save it as ASCII or UTF-8 without a byte order mark" },
};

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "AArch64";
    case EM_PPC64: return "POWER";
    case EM_RISCV: return "RISC-V";
    default: return NULL;
    }
}

static enum image_error detect_elf(struct span bytes, enum image_format *format, struct text *t)
{
    unsigned machine = span_u16(bytes, 0x12), type = span_u16(bytes, 0x10);
    const char *name = machine_name(machine);
    const char *kind = type == ET_REL ? "an object (.o)" : "a program or shared object";

    if (bytes.size < 0x14)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "begins like an ELF file and ends after %zu bytes", bytes.size);
    if (machine == EM_CUDA_CUBIN) {
        *format = IMAGE_CUBIN;
        return IMAGE_OK;
    }
    if (machine == EM_AMDGPU)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "this is code for an AMD GPU: compile it for CUDA");
    *format = IMAGE_HOST_ELF;
    gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "this is %s for the host (ELF, ", kind);
    gpudl__text_add(t, name ? "%s" : "machine %s%u", name ? name : "", machine);
    gpudl__text_add(t,
        "), which may carry any number of fatbins and is not loaded as one: " TAKE_OUT);
    return IMAGE_NOT_SUPPORTED;
}

static enum image_error detect_nvvm(struct span bytes, enum image_format *format, struct text *t)
{
    struct image_nvvm nvvm;
    unsigned kind = gpudl__nvvm_open(bytes, &nvvm), sm = nvvm.sm;

    if (!nvvm.known)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "begins like LTO-IR and ends after %zu bytes", bytes.size);
    *format = kind == 1 ? IMAGE_LTOIR : kind == 2 ? IMAGE_OPTIXIR : IMAGE_UNKNOWN;
    if (kind == 1)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "this is LTO-IR for sm_%u, which no driver loads: link it with nvJitLink or "
            "nvcc -dlto, or compile to a cubin or PTX", sm);
    if (kind == 2)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "this is OptiX IR for sm_%u, which only OptiX loads (optixModuleCreate): compile "
            "to a cubin or PTX for a kernel of your own", sm);
    return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "this is an NVVM container of unknown kind %u", kind);
}

static enum image_error detect_archive(struct span bytes, enum image_format *format, struct text *t)
{
    if (span_is(bytes, 0, M("!<arch>\n"))) {
        *format = IMAGE_ARCHIVE;
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "this is an archive of host objects (.a), which may carry any number of fatbins and is not loaded as one: " TAKE_OUT);
    }
    gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
        "this is a thin archive, which names its members and holds no code: give the objects themselves");
    gpudl__archive_thin_names(bytes, t);
    return IMAGE_NOT_SUPPORTED;
}

static bool is_text(struct span s)
{
    for (size_t i = 0; i < s.size && i < TEXT_SAMPLE; i++)
        if (s.data[i] == 0x7f || (s.data[i] < 0x20 && !(s.data[i] >= '\t' && s.data[i] <= '\r')))
            return false;
    return s.size > 0;
}

static bool contains(struct span s, const char *word)
{
    return memmem(s.data, s.size, word, strlen(word)) != NULL;
}

static bool ends_in(struct span s, const char *suffix)
{
    size_t n = strlen(suffix);

    return s.size > n && memcmp(s.data + s.size - n, suffix, n) == 0;
}

/* One line that begins like a path or ends like one. */
static bool is_path(struct span s)
{
    static const char *const suffixes[] = { ".cubin", ".fatbin", ".ptx", ".cu", ".so", ".o", ".a", ".ltoir" };

    if (s.size > PATH_MOST || memchr(s.data, '\n', s.size) || span_is(s, 0, "//", 2) || span_is(s, 0, "/*", 2))
        return false;
    if (span_is(s, 0, "/", 1) || span_is(s, 0, "./", 2) || span_is(s, 0, "../", 3) || span_is(s, 0, "~/", 2))
        return true;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (ends_in(s, suffixes[i]))
            return true;
    return false;
}

static bool is_cuda_source(struct span s)
{
    static const char *const words[] = { "__global__", "__device__", "#include", "#define", "#pragma", "extern \"C\"" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (contains(s, words[i]))
            return true;
    return false;
}

static bool begins_with_directive(struct span text)
{
    struct ptx_lexer l = { .text = text };

    return gpudl__ptx_next(&l) == PTX_DIRECTIVE;
}

static bool is_ptx(struct span text)
{
    struct ptx_lexer l = { .text = text };

    gpudl__ptx_next(&l);
    return gpudl__ptx_is(&l, PTX_DIRECTIVE, "version");
}

static enum image_error describe_text(struct span s, struct text *t)
{
    while (s.size && strchr(" \t\r\n", s.data[s.size - 1]) && s.data[s.size - 1])
        s.size--;
    if (!s.size)
        return gpudl__image_fail(t, IMAGE_EMPTY, "holds blanks only");
    if (is_path(s)) {
        gpudl__image_fail(t, IMAGE_NOT_AN_IMAGE, "these bytes are a path, ");
        gpudl__text_quote(t, s.data, s.size);
        gpudl__text_add(t, ", not what is in that file: give it as a file, not as bytes");
        return IMAGE_NOT_AN_IMAGE;
    }
    if (is_cuda_source(s))
        return gpudl__image_fail(t, IMAGE_NOT_AN_IMAGE,
            "this is CUDA C++ source, not compiled code: give it as text, or in a file whose name "
            "ends in .cu, or compile it with nvcc -fatbin");
    if (begins_with_directive(s) && (contains(s, ".entry") || contains(s, ".target")))
        return gpudl__image_fail(t, IMAGE_DAMAGED,
            "this looks like PTX, but PTX begins with a line such as .version 9.0: its beginning is missing");
    gpudl__image_fail(t, IMAGE_NOT_AN_IMAGE,
        "this is text, but neither PTX (which begins with .version) nor CUDA C++: it begins ");
    gpudl__text_quote(t, s.data, s.size < 40 ? s.size : 40);
    return IMAGE_NOT_AN_IMAGE;
}

static enum image_error describe_bytes(struct span bytes, struct text *t)
{
    gpudl__image_fail(t, IMAGE_NOT_AN_IMAGE, "not a CUDA image: first bytes");
    for (size_t i = 0; i < bytes.size && i < 8; i++)
        gpudl__text_add(t, " %02x", bytes.data[i]);
    gpudl__text_add(t, " (a fatbin begins 50 ed 55 ba, a cubin 7f 45 4c 46, PTX with .version)");
    return IMAGE_NOT_AN_IMAGE;
}

static struct span up_to_nul(struct span s)
{
    const unsigned char *nul = s.size ? memchr(s.data, 0, s.size) : NULL;

    return (struct span){ s.data, nul ? (size_t)(nul - s.data) : s.size };
}

static bool begins(struct span bytes, const char *magic, size_t size)
{
    return span_is(bytes, 0, magic, size);
}

enum image_error gpudl__image_detect(struct span bytes, enum image_format *format, struct text *t)
{
    struct span text;

    if (!bytes.size)
        return gpudl__image_fail(t, IMAGE_EMPTY, "is empty (0 bytes)");
    if (begins(bytes, M("\x50\xED\x55\xBA"))) {
        *format = IMAGE_FATBIN;
        return IMAGE_OK;
    }
    if (begins(bytes, M("\x7F" "ELF")))
        return detect_elf(bytes, format, t);
    if (bytes.size == 2 || bytes.size == 3) {
        if (begins(bytes, "\x50\xED\x55", bytes.size) || begins(bytes, "\x7F" "EL", bytes.size))
            return gpudl__image_fail(t, IMAGE_TRUNCATED, "begins like a CUDA image and ends after %zu bytes", bytes.size);
    }
    if (begins(bytes, M("\xED\x43\x4E\x7F")))
        return detect_nvvm(bytes, format, t);
    if (begins(bytes, M("!<arch>\n")) || begins(bytes, M("!<thin>\n")))
        return detect_archive(bytes, format, t);
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if (begins(bytes, magics[i].bytes, magics[i].size))
            return gpudl__image_fail(t, magics[i].error, "this is %s", magics[i].what);
    text = up_to_nul(bytes);
    if (is_ptx(text)) {
        *format = IMAGE_PTX;
        return IMAGE_OK;
    }
    return is_text(text) ? describe_text(text, t) : describe_bytes(bytes, t);
}
