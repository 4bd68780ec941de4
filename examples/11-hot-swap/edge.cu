// How much a pixel differs from its neighbours; pixels of the border are black.
extern "C" __global__ void filter(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = y * width + x, sum = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        sum = abs(in[i + 1] - in[i - 1]) + abs(in[i + width] - in[i - width]);
    out[i] = sum < 255 ? sum : 255;
}
