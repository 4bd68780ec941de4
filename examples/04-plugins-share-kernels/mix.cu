// A kernel with much code and little to do: 2048 steps, each written out with a number of its own.
extern "C" __global__ void mix(unsigned *x)
{
    unsigned v = *x;
#pragma unroll
    for (unsigned i = 0; i < 2048; i++)
        v = (v ^ i) * 1664525u;
    *x = v;
}
