/* The public header needs no CUDA header, and is strict C11. */
#include <gpudl/gpudl.h>

int main(void)
{
    gpudl_source s = gpudl_source_text("k.cu", "__global__");
    gpudl_launch_config c = gpudl_launch_1d(2, 64);
    const gpudl_source *lent = GPUDL_MEMORY("x", 1);

    return s.nbytes == 10 && c.block[0] == 64 && lent->nbytes == 1 ? 0 : 1;
}
