// Uses what callee.cu has: a function, a variable, a constant, a table of functions; and names that callee.cu has for itself, too.
extern __device__ int twice(int);
extern __device__ int seven;
extern __constant__ int factors[4];
typedef int (*function)(int);
extern __device__ function table[2];

static __device__ int mine = 100;
static __device__ int helper(int x) { return x + mine; }
static __device__ function own_table[1] = { helper };
extern __shared__ int room[];

template <class T> __global__ void one(T *p) { *p = T(1); }
template __global__ void one<float>(float *);

extern "C" __global__ void call(int *p)
{
    room[threadIdx.x] = twice(seven) + helper(3);
    __syncthreads();
    if (threadIdx.x == 0)
        *p = room[0] + factors[1] + table[0](3) + own_table[0](1);
}
