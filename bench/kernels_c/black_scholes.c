#include "kernels.h"

#include <math.h>

static inline float normal(float d)
{
    return 0.5f * (1.f + erff(d * 0.70710678f));
}

void KERNEL(black_scholes)(int n, const float *restrict spot, const float *restrict strike, const float *restrict years,
    float *restrict call, float *restrict put, float rate, float volatility)
{
    for (int i = 0; i < n; i++) {
        float s = spot[i], k = strike[i], t = years[i];
        float root = sqrtf(t);
        float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float now = k * expf(-rate * t);
        float n1 = normal(d1), n2 = normal(d2);

        call[i] = s * n1 - now * n2;
        put[i] = now * (1.f - n2) - s * (1.f - n1);
    }
}
