__device__ int hg;
__global__ void hk(int *p) { *p = hg; }
int main() { hk<<<1, 1>>>(0); return 0; }
