/* nvvm.c - the container of LTO-IR and OptiX IR, of which the header alone can be read:
 *     magic:u32 container:u8,u8 ir:u8,u8 debug:u8,u8 generation:u8,u8 header_size:u16 kind:u16 blob:u32 blob_end:u32
 *     {tag:u16 value:u16} from 0x18 on: tag 1 is ten times the architecture, 0x20 the suffix 'a', 0x63 the end */
#include "src/image/internal.h"

#define MAGIC 0x7f4e43edu
#define TAGS_AT 0x18u
#define TAGS_MOST 64u

enum { TAG_ARCH = 1, TAG_SUFFIX = 0x20, TAG_END = 0x63 };

static void read_pair(struct span b, size_t at, unsigned out[2])
{
    out[0] = span_u8(b, at);
    out[1] = span_u8(b, at + 1);
}

unsigned gpudl__nvvm_open(struct span bytes, struct image_nvvm *out)
{
    unsigned tag, value;

    *out = (struct image_nvvm){ 0 };
    if (bytes.size < TAGS_AT + 4 || span_u32(bytes, 0) != MAGIC)
        return 0;
    out->known = true;
    read_pair(bytes, 4, out->container);
    read_pair(bytes, 6, out->ir);
    read_pair(bytes, 8, out->debug);
    read_pair(bytes, 10, out->generation);
    for (unsigned i = 0; i < TAGS_MOST; i++) {
        tag = span_u16(bytes, TAGS_AT + 4 * i);
        value = span_u16(bytes, TAGS_AT + 4 * i + 2);
        if (tag == TAG_ARCH)
            out->sm = value / 10;
        else if (tag == TAG_SUFFIX && value == 1)
            out->suffix = 'a';
        else if (tag == TAG_END || tag == 0)
            break;
    }
    return span_u16(bytes, 0x0e);
}
