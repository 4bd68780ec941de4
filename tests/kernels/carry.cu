// Carry chains: 128-bit sums and differences, a 256-bit product.
extern "C" __global__ void carry_128(int n, const uint4 *x, const uint4 *y, uint4 *sum, uint4 *difference, unsigned *carries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 a = x[i], b = y[i], s, d;
    unsigned carry, borrow;

    asm("add.cc.u32 %0, %5, %9;\n\t"
        "addc.cc.u32 %1, %6, %10;\n\t"
        "addc.cc.u32 %2, %7, %11;\n\t"
        "addc.cc.u32 %3, %8, %12;\n\t"
        "addc.u32 %4, 0, 0;"
        : "=&r"(s.x), "=&r"(s.y), "=&r"(s.z), "=&r"(s.w), "=&r"(carry)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    asm("sub.cc.u32 %0, %5, %9;\n\t"
        "subc.cc.u32 %1, %6, %10;\n\t"
        "subc.cc.u32 %2, %7, %11;\n\t"
        "subc.cc.u32 %3, %8, %12;\n\t"
        "subc.u32 %4, 0, 0;"
        : "=&r"(d.x), "=&r"(d.y), "=&r"(d.z), "=&r"(d.w), "=&r"(borrow)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    sum[i] = s;
    difference[i] = d;
    carries[i] = carry * 10 + (borrow & 1);
}

// 64 x 64 bits through mad.lo.cc and madc.hi, and 128-bit arithmetic in 64-bit chains.
extern "C" __global__ void carry_product(int n, const uint2 *x, const uint2 *y, uint4 *product, ulonglong2 *chain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint2 a = x[i], b = y[i];
    uint4 p;

    asm("mul.lo.u32 %0, %4, %6;\n\t"
        "mul.hi.u32 %1, %4, %6;\n\t"
        "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
        "madc.hi.u32 %2, %4, %7, 0;\n\t"
        "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
        "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
        "addc.u32 %3, 0, 0;\n\t"
        "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
        "madc.hi.u32 %3, %5, %7, %3;"
        : "=&r"(p.x), "=&r"(p.y), "=&r"(p.z), "=&r"(p.w)
        : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
    product[i] = p;

    unsigned long long u = (unsigned long long)a.y << 32 | a.x, v = (unsigned long long)b.y << 32 | b.x, lo, hi;
    asm("add.cc.u64 %0, %2, %3;\n\t"
        "addc.u64 %1, %2, %4;"
        : "=&l"(lo), "=&l"(hi)
        : "l"(u), "l"(v), "l"(~v));
    chain[i] = make_ulonglong2(lo, hi);
}
