// Loads and stores of every width, vectors, dynamic shared memory of two types, constant and global variables.
extern "C" __global__ void memory_widths(int n, const signed char *a, const unsigned char *b, const short *c,
    const unsigned short *d, const long long *e, signed char *oa, unsigned short *od, long long *oe)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long sum = a[i] * 3 + b[i] - c[i] + d[i] * 2 + e[i];
    oa[i] = (signed char)sum;
    od[i] = (unsigned short)(sum >> 3);
    oe[i] = sum ^ __ldg(&e[n - 1 - i]) ^ *(const volatile short *)&c[n - 1 - i];
}

extern "C" __global__ void memory_vectors(int n, const uchar4 *a, const short2 *b, const int2 *c, const uint4 *d,
    const double2 *e, uint4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 va = a[i];
    short2 vb = b[n - 1 - i];
    int2 vc = c[i];
    uint4 vd = d[(i * 3) % n];
    double2 ve = e[i];
    out[i] = make_uint4(va.x + vb.x + vc.x + vd.x, va.y * vb.y + vd.y, va.z - vc.y + vd.z,
        va.w + vd.w + (unsigned)(ve.x + 2 * ve.y));
}

// n floats, then doubles.
extern "C" __global__ void memory_shared(int n, const float *x, double *out)
{
    extern __shared__ double raw[];
    double *d = raw;
    float *f = (float *)(raw + n);
    int t = threadIdx.x, i = blockIdx.x * n + t;

    f[t] = x[i];
    d[t] = x[i] * 2.0;
    __syncthreads();
    out[i] = f[n - 1 - t] + d[(t * 7) % n];
}

__constant__ int weights[9];
__constant__ short2 steps[4] = { { -1, 0 }, { 1, 2 }, { 3, 5 }, { 7, -9 } };
__device__ unsigned counter = 5;
__device__ int table[64];
__device__ int *middle = &table[32];

extern "C" __global__ void memory_variables(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;

    for (int k = 0; k < 9; k++)
        v += weights[k] * (x[i] >> k);
    out[i] = v + steps[x[i] & 3].x * 10 + steps[x[i] & 3].y;
    atomicAdd(&counter, 2u);
    atomicAdd(&middle[(x[i] & 31) - 16], 1);
}
