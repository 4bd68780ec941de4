// Control flow that lanes take differently.
extern "C" __global__ void flow_loops(int n, const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n)
        return;

    for (int a = 0; a < x[i] % 13; a++) {
        if (a == 9)
            break;
        for (int b = a; b < 12; b++) {
            if ((b + x[i]) % 4 == 0)
                continue;
            sum += a * b;
            if (sum % 11 == 10)
                goto out;
        }
        do {
            sum++;
        } while (sum % 3);
    }
out:
    out[i] = sum;
}

extern "C" __global__ void flow_collatz(int n, const unsigned *x, unsigned *steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = x[i] % 10000 + 1, k = 0;
    for (; v != 1; k++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    steps[i] = k;
}

extern "C" __global__ void flow_switch(int n, const int *ops, int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = x[i];
    switch (ops[i]) {
    case 0: v += 7; break;
    case 1: v *= v; break;
    case 2: v = -v;     // and on
    case 3: v ^= 0x5a5a; break;
    case 4:
        for (int k = 0; k < i % 20; k++)
            v = v * 3 + k;
        break;
    case 5: v = v < 0 ? ~v : v >> 3; break;
    case 6: x[i] = 1; return;
    case 9: v %= 10; break;
    default: v = 0;
    }
    x[i] = v;
}

// A loop with two entries.
extern "C" __global__ void flow_irreducible(int n, const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = x[i] & 0xff, k = 0;
    asm volatile("{\n"
                 "  .reg .pred p, q;\n"
                 "  and.b32 %1, %0, 1;\n"
                 "  setp.ne.s32 p, %1, 0;\n"
                 "  mov.s32 %1, 0;\n"
                 "  @p bra SECOND;\n"
                 "FIRST:\n"
                 "  add.s32 %0, %0, 5;\n"
                 "  add.s32 %1, %1, 1;\n"
                 "SECOND:\n"
                 "  add.s32 %1, %1, 100;\n"
                 "  sub.s32 %0, %0, 7;\n"
                 "  setp.gt.s32 q, %0, 20;\n"
                 "  @q bra FIRST;\n"
                 "}"
                 : "+r"(v), "+r"(k));
    out[i] = v * 100000 + k;
}
