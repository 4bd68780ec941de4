// One step of velocities under gravity, all pairs; w is the mass. Bodies come through shared memory, a tile at a time.
static __device__ void attract(float4 other, float4 me, float softening, float3 &a)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    float pull = other.w * inverse * inverse * inverse;
    a.x += dx * pull;
    a.y += dy * pull;
    a.z += dz * pull;
}

static __device__ void push(float4 *velocity, float dt, float3 a)
{
    float4 v = *velocity;
    *velocity = make_float4(v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, v.w);
}

// Blocks of 128, as many as tiles.
extern "C" __global__ void nbody(const float4 *bodies, float4 *velocities, float dt, float softening)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 a = make_float3(0, 0, 0);

    for (int t = 0; t < gridDim.x; t++) {
        tile[threadIdx.x] = bodies[t * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++)
            attract(tile[j], me, softening, a);
        __syncthreads();
    }
    push(&velocities[i], dt, a);
}

// Any block, any number of bodies; the tile is dynamic shared memory.
extern "C" __global__ void nbody_ragged(int n, const float4 *bodies, float4 *velocities, float dt, float softening)
{
    extern __shared__ float4 part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[min(i, n - 1)];
    float3 a = make_float3(0, 0, 0);

    for (int first = 0; first < n; first += blockDim.x) {
        int count = min((int)blockDim.x, n - first);
        if (threadIdx.x < count)
            part[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < count; j++)
            attract(part[j], me, softening, a);
        __syncthreads();
    }
    if (i < n)
        push(&velocities[i], dt, a);
}
