// A network of one hidden layer learns a function of x from samples. activation.h is no file: the program generates it, and
// swaps this code whenever it generates another one.
#include "activation.h"

enum { UNITS = 32 }; // and as many samples; a block of so many threads does all

struct network { float w[UNITS], b[UNITS], v[UNITS]; }; // y = sum of v * activation(w * x + b)

// y[i] = activation(x[i])
extern "C" __global__ void plot(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float slope;
    activation(x[i], &y[i], &slope);
}

// So many steps down the slope of the mean square error, which loss gets as it was before the last of them. Thread i is unit i,
// and sample i.
extern "C" __global__ void train(network *net, const float *x, const float *y, int steps, float rate, float *loss)
{
    __shared__ float value[UNITS][UNITS + 1], out[UNITS], off[UNITS]; // a column more: no bank conflicts
    float w = net->w[threadIdx.x], b = net->b[threadIdx.x], v = net->v[threadIdx.x], sum;
    int i = threadIdx.x;

    while (steps-- > 0) {
        float slope[UNITS], dw = 0, db = 0, dv = 0;
        out[i] = v;
        for (int s = 0; s < UNITS; s++)
            activation(w * x[s] + b, &value[i][s], &slope[s]);
        __syncthreads();
        sum = -y[i];
        for (int u = 0; u < UNITS; u++)
            sum += out[u] * value[u][i];
        off[i] = sum;
        __syncthreads();
        for (int s = 0; s < UNITS; s++) {
            dw += off[s] * v * slope[s] * x[s];
            db += off[s] * v * slope[s];
            dv += off[s] * value[i][s];
        }
        w -= rate * dw / UNITS, b -= rate * db / UNITS, v -= rate * dv / UNITS;
        __syncthreads(); // all have read off
    }
    net->w[i] = w, net->b[i] = b, net->v[i] = v;
    if (i == 0) {
        *loss = 0;
        for (int s = 0; s < UNITS; s++)
            *loss += off[s] * off[s] / UNITS;
    }
}
