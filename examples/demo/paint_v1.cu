// The first version: a disc. One thread a point.
__global__ void paint(int width, int height, unsigned char *picture)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int right = 2 * x - (width - 1), down = 4 * y - 2 * (height - 1), radius = 2 * height - 4;

    if (x < width && y < height)
        picture[y * width + x] = right * right + down * down <= radius * radius ? 9 : 0;
}
