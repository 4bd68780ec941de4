// Locks that lanes of one warp, warps and blocks fight for: a lane that waits must not keep the one that holds.
extern "C" __global__ void lock_spin(int *lock, int *count)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    ++*(volatile int *)count;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void lock_try(int *locks, int *counts)
{
    int which = threadIdx.x % 7;
    bool done = false;

    while (!done) {
        if (atomicCAS(&locks[which], 0, 1) == 0) {
            __threadfence();
            volatile int *c = &counts[which];
            *c = *c + blockIdx.x + 1;
            __threadfence();
            atomicExch(&locks[which], 0);
            done = true;
        }
    }
}

// A lock in shared memory.
extern "C" __global__ void lock_shared(int *counts)
{
    __shared__ int lock;
    __shared__ volatile int count;

    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    count = count + threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

// One block: each thread waits for its turn, which the thread before it announces; the last begins.
extern "C" __global__ void lock_turns(volatile int *turn, int *order)
{
    int me = blockDim.x - 1 - threadIdx.x;

    while (*turn != me)
        ;
    order[me] = threadIdx.x;
    __threadfence();
    *turn = me + 1;
}
