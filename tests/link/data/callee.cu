static __device__ int mine = 1000;
__device__ int seven = 7;
__constant__ int factors[4] = { 1, 2, 3, 4 };
__device__ int twice(int x) { return 2 * x + mine; }
__device__ int helper(int x) { return x; }
typedef int (*function)(int);
__device__ function table[2] = { twice, helper };

template <class T> __global__ void one(T *p) { *p = T(1); }
template __global__ void one<float>(float *);
