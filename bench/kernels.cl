/* The nine kernels in OpenCL C, arguments as in the CUDA sources; reduction and scan are trees in local memory, as there are
 * no shuffles. */
#define TILE 16

__kernel void saxpy(int n, float a, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void sgemm(int m, int n, int k, __global const float *a, __global const float *b, __global float *c)
{
    __local float as[TILE][TILE], bs[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1), row = get_group_id(1) * TILE + ty, col = get_group_id(0) * TILE + tx;
    float sum = 0;

    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int ka = t * TILE + tx, kb = t * TILE + ty;
        as[ty][tx] = row < m && ka < k ? a[row * k + ka] : 0.f;
        bs[ty][tx] = kb < k && col < n ? b[kb * n + col] : 0.f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

float normal(float d)
{
    return 0.5f * (1.f + erf(d * 0.70710678f));
}

__kernel void black_scholes(int n, __global const float *spot, __global const float *strike, __global const float *years,
                            __global float *call, __global float *put, float rate, float volatility)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float s = spot[i], k = strike[i], t = years[i], root = sqrt(t);
    float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, now = k * exp(-rate * t);

    call[i] = s * normal(d1) - now * normal(d2);
    put[i] = now * (1.f - normal(d2)) - s * (1.f - normal(d1));
}

__kernel void nbody(__global const float4 *bodies, __global float4 *velocities, float dt, float softening)
{
    __local float4 tile[128];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;

    for (int t = 0; t < (int)get_num_groups(0); t++) {
        tile[l] = bodies[t * get_local_size(0) + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 128; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening), pull = tile[j].w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    velocities[i] += (float4)(dt * ax, dt * ay, dt * az, 0);
}

__kernel void mandelbrot(int width, int height, float x0, float y0, float step, int limit, __global int *iterations)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
    int i = 0;

    while (i < limit && x * x + y * y < 4.f) {
        float next = x * x - y * y + cx;
        y = 2.f * x * y + cy;
        x = next;
        i++;
    }
    iterations[py * width + px] = i;
}

__kernel void stencil(int width, int height, __global const float *restrict in, __global float *restrict out)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1)
        return;
    __global const float *p = in + y * width + x;
    out[y * width + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-width] + p[width]);
}

__kernel void histogram(int n, __global const uchar *bytes, __global uint *counts)
{
    __local uint own[256];
    int l = get_local_id(0), threads = get_local_size(0);

    for (int i = l; i < 256; i += threads)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 256; i += threads)
        atomic_add(&counts[i], own[i]);
}

__kernel void reduce(int n, __global const float *x, __global float *sums)
{
    __local float s[256];
    int l = get_local_id(0);
    float v = 0;

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        v += x[i];
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = get_local_size(0) / 2; d; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = s[0];
}

__kernel void scan(int n, __global const int *in, __global int *out)
{
    __local int s[512];
    int l = get_local_id(0), threads = get_local_size(0), i = get_global_id(0), from = 0;

    s[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < threads; d <<= 1) {
        int v = s[from + l];
        if (l >= d)
            v += s[from + l - d];
        from = threads - from;
        s[from + l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = s[from + l];
}
