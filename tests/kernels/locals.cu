// Arrays of a thread's own.
extern "C" __global__ void local_sort(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[24];

    for (int k = 0; k < 24; k++)
        a[k] = x[i * 24 + k];
    for (int k = 1; k < 24; k++) {
        int v = a[k], at = k;
        for (; at > 0 && a[at - 1] > v; at--)
            a[at] = a[at - 1];
        a[at] = v;
    }
    for (int k = 0; k < 24; k++)
        out[i * 24 + k] = a[(k * 5 + i) % 24];
}

__noinline__ __device__ void rotate(unsigned char *p, int n, int by)
{
    unsigned char first = p[0];
    for (int k = 0; k + 1 < n; k++)
        p[k] = p[k + 1] + by;
    p[n - 1] = first;
}

// Their address goes to a function.
extern "C" __global__ void local_escapes(const unsigned *x, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char bytes[13];
    unsigned long long wide[5];

    for (int k = 0; k < 13; k++)
        bytes[k] = x[i] >> k;
    for (int k = 0; k < 5; k++)
        wide[k] = (unsigned long long)x[i] * (k + 1) << k;
    for (int k = 0; k < 3 + x[i] % 5; k++)
        rotate(k & 1 ? (unsigned char *)&wide[1] : bytes, k & 1 ? 24 : 13, k);
    unsigned sum = 0;
    for (int k = 0; k < 13; k++)
        sum = sum * 31 + bytes[k];
    for (int k = 0; k < 5; k++)
        sum = sum * 31 + (unsigned)(wide[(k + x[i]) % 5] ^ wide[k] >> 32);
    out[i] = sum;
}
