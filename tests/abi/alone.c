/* The public header needs no CUDA header, and is strict C11. */
#include <gpudl/gpudl.h>

int main(void)
{
    gpudl_source s = gpudl_source_text("k.cu", "__global__");
    gpudl_launch_config c = gpudl_launch_1d(2, 64);
    const gpudl_source *lent = GPUDL_MEMORY("x", 1);
    gpudl_launch_attribute a[] = { gpudl_launch_cluster(2, 1, 3), gpudl_launch_priority(-1), gpudl_launch_cooperative() };

    c = gpudl_launch_with(c, a, 3);
    return s.nbytes == 10 && c.block[0] == 64 && lent->nbytes == 1 && c.nattributes == 3 && a[0].value.dim[2] == 3 ? 0 : 1;
}
