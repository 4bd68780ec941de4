// The second version: the same disc as a ball, lit from the upper left.
__global__ void paint(int width, int height, unsigned char *picture)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int right = 2 * x - (width - 1), down = 4 * y - 2 * (height - 1), radius = 2 * height - 4;
    int from_light_x = right + radius / 2, from_light_y = down + radius / 2;
    int shade = 9 - 3 * (from_light_x * from_light_x + from_light_y * from_light_y) / (radius * radius);

    if (x < width && y < height)
        picture[y * width + x] = right * right + down * down > radius * radius ? 0 : shade > 1 ? shade : 1;
}
