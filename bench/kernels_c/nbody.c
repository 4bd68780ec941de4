#include "kernels.h"

#include <math.h>

void KERNEL(nbody)(int n, const struct float4 *restrict bodies, struct float4 *restrict velocities, float dt, float softening)
{
    for (int i = 0; i < n; i++) {
        struct float4 me = bodies[i];
        float ax = 0, ay = 0, az = 0;

        for (int j = 0; j < n; j++) {
            float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
            float inverse = 1.f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = bodies[j].w * inverse * inverse * inverse;

            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        velocities[i].x += dt * ax;
        velocities[i].y += dt * ay;
        velocities[i].z += dt * az;
    }
}
