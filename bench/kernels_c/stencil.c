#include "kernels.h"

void KERNEL(stencil)(int width, int height, const float *restrict in, float *restrict out)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const float *p = in + y * width + x;

            out[y * width + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-width] + p[width]);
        }
}
