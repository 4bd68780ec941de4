#include "kernels.h"

#include <string.h>

/* Four tables, so that equal neighbours do not wait for each other. */
void KERNEL(histogram)(int n, const unsigned char *restrict bytes, unsigned *restrict counts)
{
    unsigned table[4][256];
    int i;

    memset(table, 0, sizeof(table));
    for (i = 0; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            table[k][bytes[i + k]]++;
    for (; i < n; i++)
        table[0][bytes[i]]++;
    for (int v = 0; v < 256; v++)
        counts[v] += table[0][v] + table[1][v] + table[2][v] + table[3][v];
}
