// Iterations until a point of the plane escapes, at most limit.
extern "C" __global__ void mandelbrot(int width, int height, float x0, float y0, float step, int limit, int *iterations)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
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
