// Calls through pointers: a table, virtual functions, a pointer that the lanes of a warp disagree on.
typedef int function(int);

__noinline__ __device__ int twice(int v) { return v * 2; }
__noinline__ __device__ int next(int v) { return v + 1; }
__noinline__ __device__ int square(int v) { return v * v; }
__device__ function *const operations[] = { twice, next, square };

extern "C" __global__ void call_table(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i] & 0x7fff;

    out[i] = operations[blockIdx.x % 3](v);
    out[i] += operations[v % 3](v);
}

struct shape {
    int size;
    __device__ virtual int area() const { return 0; }
};

struct box : shape {
    __device__ int area() const override { return size * size; }
};

struct bar : shape {
    __device__ int area() const override { return size * 3; }
};

extern "C" __global__ void call_virtual(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    box a;
    bar b;
    shape s;

    a.size = b.size = s.size = x[i] & 0xff;
    const shape *p = x[i] % 3 == 0 ? &a : x[i] % 3 == 1 ? static_cast<const shape *>(&b) : &s;
    out[i] = p->area();
}
