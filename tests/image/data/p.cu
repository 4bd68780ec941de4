struct __align__(64) A64 { int x[16]; };
struct Odd { char c[7]; };
struct Big5k { int x[1250]; };
struct Big32k { int x[8190]; };
struct Empty {};
extern "C" __global__ void p1(char a, short b, int c, long long d, float4 e, A64 f, Odd g, const int *h, double i, bool j)
{ if (h) *(int *)h = a + b + c + d + e.x + f.x[3] + g.c[2] + i + j; }
extern "C" __global__ void p2(const __grid_constant__ Big5k b, int *o) { o[0] = b.x[threadIdx.x]; }
extern "C" __global__ void p4(Big32k b) { ((int *)(size_t)b.x[5])[0] = b.x[7]; }
extern "C" __global__ void p5(Empty e, int *o) { *o = 1; }
extern "C" __global__ void p6() {}
