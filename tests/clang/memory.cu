// Hinted loads and stores, memory functions, the device's heap, printf and assert.
template <class T> __device__ void passed_on(const T *x, T *o, int i)
{
    T v = __ldca(&x[i]);

    __stwb(&o[i], v);
    __stcg(&o[64 + i], __ldcg(&x[i]));
    __stcs(&o[128 + i], __ldcs(&x[i]));
    __stwt(&o[192 + i], __ldlu(&x[i]));
    o[256 + i] = __ldcv(&x[i]);
    o[320 + i] = __ldg(&x[i]);
}
#define HINTED(T) \
    extern "C" __global__ void hinted_##T(const T *x, T *o) \
    { \
        passed_on(x, o, threadIdx.x); \
    }
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef long long longlong;
HINTED(char)
HINTED(uchar)
HINTED(short)
HINTED(ushort)
HINTED(int)
HINTED(uint)
HINTED(longlong)
HINTED(float)
HINTED(double)
HINTED(char4)
HINTED(short2)
HINTED(int2)
HINTED(uint4)
HINTED(float2)
HINTED(float4)
HINTED(double2)

__constant__ int table[4] = { 2, 3, 5, 7 };
__device__ int global_word = 11;

struct node {
    int value;
    node *next;
    __device__ node(int value, node *next) : value(value), next(next) {}
    __device__ virtual int twice() const
    {
        return 2 * value;
    }
    __device__ virtual ~node() {}
};
struct thrice : node {
    using node::node;
    __device__ int twice() const override
    {
        return 3 * value;
    }
};
extern "C" __global__ void memories(unsigned *o)
{
    __shared__ unsigned shared[64];
    int i = threadIdx.x;
    unsigned local[8], *heap = (unsigned *)malloc(16 * sizeof(*heap));
    node *list = nullptr;
    int sum = 0;

    memset(local, 1, sizeof(local));
    local[i & 7] = i;
    memcpy(heap, local, sizeof(local));
    memcpy(heap + 8, local, sizeof(local));
    shared[i] = heap[8 + (i & 7)];
    o[i] = shared[i] + heap[(i + 1) & 7];
    o[64 + i] = __isShared(shared) | __isGlobal(o) << 1 | __isLocal(local) << 2 | __isShared(o) << 4 |
        (unsigned)(__cvta_shared_to_generic(__cvta_generic_to_shared(shared)) == (void *)shared) << 5 |
        (unsigned)((void *)__cvta_generic_to_global(o) != nullptr) << 6;
    for (int k = 0; k < 3; k++)
        list = k & 1 ? new thrice(i + k, list) : new node(i + k, list);
    for (node *n = list; n; n = list) {
        sum += n->twice();
        list = n->next;
        delete n;
    }
    int *several = new int[5];
    several[4] = sum;
    o[128 + i] = several[4];
    delete[] several;
    free(heap);
    o[192 + i] = table[i & 3] * global_word + 4;
}
extern "C" __global__ void says(int i, double d, const char *not_used)
{
    printf("%d %u %.3f %s %c %lld %x\n", i, 7u, d, "text", 'c', 1ll << 40, 255);
    assert(i > 0 && "this holds");
}
extern "C" __global__ void asserts(int i)
{
    assert(i != 3);
}
extern "C" __global__ void traps(int i)
{
    if (i == 3)
        __trap();
}
