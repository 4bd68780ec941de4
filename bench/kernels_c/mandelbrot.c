#include "kernels.h"

void KERNEL(mandelbrot)(int width, int height, float x0, float y0, float step, int limit, int *restrict iterations)
{
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
            float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
            int i = 0;

            while (i < limit && x * x + y * y < 4.f) {
                float next = x * x - y * y + cx;

                y = 2.f * x * y + cy;
                x = next;
                i++;
            }
            iterations[py * width + px] = i;
        }
}
