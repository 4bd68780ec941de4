#include "kernels.h"

/* Inclusive prefix sums within blocks. */
void KERNEL(scan)(int n, int block, const int *restrict in, int *restrict out)
{
    for (int first = 0; first < n; first += block) {
        int s = 0;

        for (int i = first; i < first + block && i < n; i++)
            out[i] = s += in[i];
    }
}
