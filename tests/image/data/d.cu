#include <cstdio>
__device__ __noinline__ int helper(int a, int *b) { b[a] = 3; return a * b[1]; }
static __device__ int svar;
__constant__ float kc[4];
extern __shared__ int dyn[];
extern "C" __global__ void ka(int *p) { int l[10]; for (int i = 0; i < 10; i++) l[i] = p[i]; p[0] = helper(p[1], p) + svar + kc[p[2]] + l[p[3] % 10]; dyn[threadIdx.x] = p[4]; __syncthreads(); p[5] = dyn[threadIdx.x ^ 1]; }
template <class T> __global__ void tk(T *p) { *p = T(1); }
template __global__ void tk<float>(float *);
extern "C" __global__ void kp(int *p) { printf("%d\n", *p); }
