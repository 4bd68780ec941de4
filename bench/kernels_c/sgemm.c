#include "kernels.h"

#define TILE 16

/* C = A * B for n x n matrices, n a multiple of 16; a 16 x 16 tile of C stays in registers. */
void KERNEL(sgemm)(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (int row = 0; row < n; row += TILE)
        for (int col = 0; col < n; col += TILE) {
            float sum[TILE][TILE] = { 0 };

            for (int k = 0; k < n; k++)
                for (int i = 0; i < TILE; i++)
                    for (int j = 0; j < TILE; j++)
                        sum[i][j] += a[(row + i) * n + k] * b[k * n + col + j];
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++)
                    c[(row + i) * n + col + j] = sum[i][j];
        }
}
