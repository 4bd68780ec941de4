// Integer arithmetic at its edges.
extern "C" __global__ void integer_32(int n, const unsigned *x, const unsigned *y, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = x[i], b = y[i], *o = out + 24 * i;
    int s = (int)a, t = (int)b;

    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = __umulhi(a, b);
    o[4] = __mulhi(s, t);
    asm("div.u32 %0, %1, %2;" : "=r"(o[5]) : "r"(a), "r"(b));
    asm("rem.u32 %0, %1, %2;" : "=r"(o[6]) : "r"(a), "r"(b));
    asm("div.s32 %0, %1, %2;" : "=r"(o[7]) : "r"(s), "r"(t));
    asm("rem.s32 %0, %1, %2;" : "=r"(o[8]) : "r"(s), "r"(t));
    asm("shl.b32 %0, %1, %2;" : "=r"(o[9]) : "r"(a), "r"(b));
    asm("shr.u32 %0, %1, %2;" : "=r"(o[10]) : "r"(a), "r"(b));
    asm("shr.s32 %0, %1, %2;" : "=r"(o[11]) : "r"(a), "r"(b));
    o[12] = __popc(a) * 100 + __clz(b);
    o[13] = __brev(a) ^ __ffs(b);
    asm("bfind.u32 %0, %1;" : "=r"(o[14]) : "r"(a));
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(o[15]) : "r"(a));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(o[16]) : "r"(a), "r"(b & 63), "r"(b >> 6 & 63));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(o[17]) : "r"(a), "r"(b & 63), "r"(b >> 6 & 63));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(o[18]) : "r"(a), "r"(b), "r"(b & 63), "r"(b >> 6 & 63));
    o[19] = __byte_perm(a, b, a ^ b);
    o[20] = __funnelshift_l(a, b, a >> 3) ^ __funnelshift_rc(a, b, b);
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(o[21]) : "r"(a), "r"(b), "r"(a * 77));
    o[22] = min(s, t) ^ max(a, b) ^ abs(s);
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(o[23]) : "r"(s), "r"(t), "r"(a));
}

extern "C" __global__ void integer_64(int n, const unsigned long long *x, const unsigned long long *y, unsigned long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long a = x[i], b = y[i], *o = out + 14 * i;
    unsigned shift = (unsigned)b & 127;

    o[0] = a * b;
    o[1] = __umul64hi(a, b);
    o[2] = __mul64hi(a, b);
    asm("div.u64 %0, %1, %2;" : "=l"(o[3]) : "l"(a), "l"(b));
    asm("rem.u64 %0, %1, %2;" : "=l"(o[4]) : "l"(a), "l"(b));
    asm("div.s64 %0, %1, %2;" : "=l"(o[5]) : "l"(a), "l"(b));
    asm("rem.s64 %0, %1, %2;" : "=l"(o[6]) : "l"(a), "l"(b));
    asm("shl.b64 %0, %1, %2;" : "=l"(o[7]) : "l"(a), "r"(shift));
    asm("shr.u64 %0, %1, %2;" : "=l"(o[8]) : "l"(a), "r"(shift));
    asm("shr.s64 %0, %1, %2;" : "=l"(o[9]) : "l"(a), "r"(shift));
    o[10] = __popcll(a) * 1000 + __clzll(b);
    o[11] = __brevll(a);
    o[12] = (unsigned long long)min((long long)a, (long long)b) ^ max(a, b);
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(o[13]) : "r"((int)a), "r"((int)b));
}

extern "C" __global__ void integer_16(int n, const short *x, const short *y, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    short a = x[i], b = y[i], lo, sum, right;
    unsigned wide;

    asm("mul.lo.s16 %0, %1, %2;" : "=h"(lo) : "h"(a), "h"(b));
    asm("add.s16 %0, %1, %2;" : "=h"(sum) : "h"(a), "h"(b));
    asm("shr.s16 %0, %1, %2;" : "=h"(right) : "h"(a), "r"((unsigned)b & 31));
    asm("mul.wide.u16 %0, %1, %2;" : "=r"(wide) : "h"(a), "h"(b));
    out[2 * i] = wide;
    out[2 * i + 1] = (unsigned)lo ^ (unsigned)sum << 8 ^ (unsigned)right << 16 ^ (a < b);
}
