// Functions that are called: values, structures, recursion.
struct record {
    double a;
    int b[5];
};

__noinline__ __device__ float polynomial(float x, int n)
{
    float r = 0;
    for (int i = 0; i < n; i++)
        r = r * x + i;
    return r;
}

__noinline__ __device__ record change(record r, int k)
{
    r.a *= k;
    r.b[k % 5] += k;
    return r;
}

extern "C" __global__ void call_values(const int *x, float *f, record *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = x[i] & 15;

    f[i] = polynomial(f[i], k);
    if (k > 3)
        r[i] = change(r[i], k);
    else
        f[i] += polynomial(0.5f, k + 2);
}

__noinline__ __device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__noinline__ __device__ int odd(unsigned n);

__noinline__ __device__ int even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1) * 3;
}

__noinline__ __device__ int odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1) + 1;
}

// A frame of its own at every depth.
__noinline__ __device__ int digits(unsigned v, int depth)
{
    int counts[10];
    for (int i = 0; i < 10; i++)
        counts[i] = i * depth;
    if (v == 0)
        return depth;
    counts[v % 10] += digits(v / 10, depth + 1);
    return counts[v % 10] + counts[(v + 1) % 10];
}

extern "C" __global__ void call_recursion(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];

    out[4 * i] = fibonacci(v & 7);
    out[4 * i + 1] = even(v & 15);
    out[4 * i + 2] = odd(v % 11u);
    out[4 * i + 3] = digits(v, 1);
}

// Lanes wait for each other and vote within a function.
__noinline__ __device__ int exchange(int *s, int t, int v)
{
    s[t] = v;
    __syncthreads();
    v = s[blockDim.x - 1 - t];
    __syncthreads();
    return v;
}

extern "C" __global__ void call_barrier(const int *x, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    out[i] = exchange(s, t, x[i]) * 2 + exchange(s, t, t);
}
