// The mean of a point and its four neighbours; the border is left alone.
extern "C" __global__ void stencil(int width, int height, const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1)
        return;
    const float *p = in + y * width + x;
    out[y * width + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-width] + p[width]);
}

// The same over a volume with six neighbours, clamped at the border.
extern "C" __global__ void stencil3d(int nx, int ny, int nz, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int left = max(x - 1, 0), right = min(x + 1, nx - 1), up = max(y - 1, 0), down = min(y + 1, ny - 1);
    int front = max(z - 1, 0), back = min(z + 1, nz - 1);
#define AT(i, j, k) in[((k) * ny + (j)) * nx + (i)]
    out[(z * ny + y) * nx + x] = AT(x, y, z) + AT(left, y, z) + AT(right, y, z) + AT(x, up, z) + AT(x, down, z) +
        AT(x, y, front) + AT(x, y, back);
}
