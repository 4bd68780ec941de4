/* pricing.cu - option prices by Monte Carlo and on a binomial tree. NVRTC, nvcc and clang with gpudl's device header take it.
 *
 * With -DGENERIC: monte_carlo_generic and tree_generic, which are told payoff, steps and precision when they run. They hold numbers
 * in double, which is wide enough for all that they may be asked for, and round to float where the precision says so.
 * Without: the templates monte_carlo<Path, Sum, PAYOFF, STEPS> and tree<...>, of which each name expression makes one.
 * Both take the same draws, so that their results differ by rounding only. */

enum payoff { EUROPEAN, AMERICAN, ASIAN };      /* a call; a put; a call on the mean of the prices after each step */
enum precision { SINGLE, MIXED, DOUBLE };       /* MIXED: paths in float, sums in double */
enum { THREADS = 128 };                         /* in a block */

/* ---------------------------------------------------------------------------------------------------------------- draws */

struct four { unsigned word[4]; };

/* Philox 4x32-7 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011): four words of a counter. Seven
 * rounds are the fewest that pass its authors' tests. */
inline __device__ four philox(unsigned c0, unsigned c1, unsigned c2, unsigned c3, unsigned k0, unsigned k1)
{
    four out;

#pragma unroll
    for (int round = 0; round < 7; round++) {
        unsigned high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        unsigned high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;

        c0 = high1 ^ c1 ^ k0, c1 = low1;
        c2 = high0 ^ c3 ^ k1, c3 = low0;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    out.word[0] = c0, out.word[1] = c1, out.word[2] = c2, out.word[3] = c3;
    return out;
}

/* The draws of four steps of a path. */
inline __device__ four draws_of(unsigned path, unsigned four_steps)
{
    return philox(path, four_steps, 0, 0, 0x6770, 0x75646C);
}

inline __device__ float exponential(float x) { return __expf(x); }
inline __device__ double exponential(double x) { return exp(x); }

/* Two words to two normals (Box and Muller). The words' upper 24 bits are used in either precision. */
inline __device__ void normals(unsigned a, unsigned b, float *z)
{
    float r = sqrtf(fmaxf(-2.0f * __logf(((float)(a >> 8) + 0.5f) * 0x1p-24f), 0.0f)), s, c;

    __sincosf(((float)(b >> 8) + 0.5f) * (0x1p-23f * 3.14159265f), &s, &c);
    z[0] = r * c, z[1] = r * s;
}
inline __device__ void normals(unsigned a, unsigned b, double *z)
{
    double r = sqrt(-2.0 * log(((double)(a >> 8) + 0.5) * 0x1p-24)), s, c;

    sincospi(((double)(b >> 8) + 0.5) * 0x1p-23, &s, &c);
    z[0] = r * c, z[1] = r * s;
}

/* The sums of a block's threads, of values and of their squares, to out[0] and out[1]. */
inline __device__ void block_sums(double sum, double squares, double *out)
{
    __shared__ double sums[2][THREADS];

    sums[0][threadIdx.x] = sum, sums[1][threadIdx.x] = squares;
    __syncthreads();
    for (unsigned half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) {
            sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
            sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = sums[0][0], out[1] = sums[1][0];
}

#ifdef GENERIC
/* -------------------------------------------------------------------------------------------------- told when they run */

/* For the host to check philox with. */
extern "C" __global__ void philox_words(unsigned counter, unsigned key, unsigned *out)
{
    four words = philox(counter, counter, counter, counter, key, key);

    for (int i = 0; i < 4; i++)
        out[i] = words.word[i];
}

inline __device__ double narrow(int precision, double x) { return precision == DOUBLE ? x : (double)(float)x; }
inline __device__ double narrow_sum(int precision, double x) { return precision == SINGLE ? (double)(float)x : x; }
inline __device__ double any_exponential(int precision, double x)
{
    return precision == DOUBLE ? exponential(x) : exponential((float)x);
}

inline __device__ void any_normals(int precision, unsigned a, unsigned b, double *z)
{
    float narrow_z[2];

    if (precision == DOUBLE) {
        normals(a, b, z);
    } else {
        normals(a, b, narrow_z);
        z[0] = narrow_z[0], z[1] = narrow_z[1];
    }
}

inline __device__ double any_exercise(int payoff, double strike, double spot)
{
    switch (payoff) {
    case AMERICAN:
        return fmax(strike - spot, 0.0);
    default:
        return fmax(spot - strike, 0.0);
    }
}

extern "C" __global__ void monte_carlo_generic(int precision, int payoff, int steps, unsigned paths, double spot, double strike,
                                               double drift, double spread, double *out)
{
    double sum = 0, squares = 0;

    for (unsigned path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += gridDim.x * blockDim.x) {
        double x = 0, total = 0, value, z[4];

        for (int step = 0; step < steps; step += 4) {
            four words = draws_of(path, step / 4);

            any_normals(precision, words.word[0], words.word[1], z);
            any_normals(precision, words.word[2], words.word[3], z + 2);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (step + i < steps) {
                    x = narrow(precision, x + narrow(precision, drift + spread * z[i]));
                    if (payoff == ASIAN)
                        total = narrow_sum(precision, total + any_exponential(precision, x));
                }
            }
        }
        value = spot * (payoff == ASIAN ? total / steps : any_exponential(precision, x));
        value = narrow_sum(precision, any_exercise(payoff, strike, value));
        sum = narrow_sum(precision, sum + value), squares = narrow_sum(precision, squares + value * value);
    }
    block_sums(sum, squares, out + 2 * blockIdx.x);
}

/* A block for each option; its nodes, those of the next level and the 2 steps + 1 prices of the tree are in shared memory. The
 * options' strikes are equally far from each other. up: the chance to go up; back: what a payment is worth a step before. */
extern "C" __global__ void tree_generic(int precision, int payoff, int steps, unsigned options, double spot, double strike,
                                        double strike_step, double log_up, double up, double back, double *out)
{
    extern __shared__ double shared[];
    double *here = shared, *next = here + steps + 1, *prices = next + steps + 1, *swap;
    double mine = strike + strike_step * blockIdx.x;

    for (int i = threadIdx.x; i <= 2 * steps; i += blockDim.x)
        prices[i] = narrow(precision, spot * any_exponential(precision, (i - steps) * log_up));
    __syncthreads();
    for (int node = threadIdx.x; node <= steps; node += blockDim.x)
        here[node] = narrow_sum(precision, any_exercise(payoff, mine, prices[2 * node]));
    __syncthreads();
    for (int level = steps - 1; level >= 0; level--) {
        for (int node = threadIdx.x; node <= level; node += blockDim.x) {
            double value = narrow_sum(precision, back * (1 - up) * here[node] + back * up * here[node + 1]);

            if (payoff == AMERICAN)
                value = fmax(value, any_exercise(payoff, mine, prices[2 * node - level + steps]));
            next[node] = value;
        }
        swap = here, here = next, next = swap;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = here[0];
}

#else
/* ------------------------------------------------------------------------------------------------ told when they are compiled */

template <class T, int PAYOFF> inline __device__ T exercise(T strike, T spot)
{
    T value = PAYOFF == AMERICAN ? strike - spot : spot - strike;

    return value > 0 ? value : 0;
}

template <class Path, class Sum, int PAYOFF, int STEPS>
__global__ void monte_carlo(unsigned paths, double spot, double strike, double drift, double spread, double *out)
{
    const Path narrow_drift = (Path)drift, narrow_spread = (Path)spread;
    Sum sum = 0, squares = 0;

    for (unsigned path = blockIdx.x * THREADS + threadIdx.x; path < paths; path += gridDim.x * THREADS) {
        Path x = 0, z[4];
        Sum total = 0, value;

        for (int step = 0; step < STEPS; step += 4) {
            four words = draws_of(path, step / 4);

            normals(words.word[0], words.word[1], z);
            normals(words.word[2], words.word[3], z + 2);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (STEPS % 4 == 0 || step + i < STEPS) {
                    x += PAYOFF == ASIAN ? narrow_drift + narrow_spread * z[i] : z[i];
                    if (PAYOFF == ASIAN)
                        total += exponential(x);
                }
            }
        }
        if (PAYOFF != ASIAN) /* only the end counts */
            x = STEPS * narrow_drift + narrow_spread * x;
        value = exercise<Sum, PAYOFF>((Sum)strike, (Sum)spot * (PAYOFF == ASIAN ? total / STEPS : (Sum)exponential(x)));
        sum += value, squares += value * value;
    }
    block_sums(sum, squares, out + 2 * blockIdx.x);
}

/* A warp for each option. As the number of steps is known, a thread has its nodes, which are neighbours, in registers; what it
 * needs of the next thread comes by a shuffle, and nothing waits. Nodes beyond the level are computed too, and never used. */
template <class Path, class Sum, int PAYOFF, int STEPS>
__global__ void tree(unsigned options, double spot, double strike, double strike_step, double log_up, double up, double back,
                     double *out)
{
    enum { NODES = (STEPS + 32) / 32 };
    const unsigned lane = threadIdx.x % 32, option = (blockIdx.x * THREADS + threadIdx.x) / 32;
    const Path rise = (Path)expm1(log_up), mine = (Path)(strike + strike_step * option);
    const Sum stay = (Sum)(back * (1 - up)), climb = (Sum)(back * up);
    Path price[NODES];
    Sum value[NODES];

    if (option >= options)
        return;
#pragma unroll
    for (int i = 0; i < NODES; i++) {
        price[i] = (Path)spot * exponential((Path)((2 * (int)(lane * NODES + i) - STEPS) * log_up));
        value[i] = exercise<Path, PAYOFF>(mine, price[i]);
    }
    for (int level = STEPS - 1; level >= 0; level--) {
        Sum after = __shfl_down_sync(0xffffffffu, value[0], 1);

#pragma unroll
        for (int i = 0; i < NODES; i++) {
            value[i] = stay * value[i] + climb * (i + 1 < NODES ? value[i + 1] : after);
            if (PAYOFF == AMERICAN) {
                price[i] += price[i] * rise;
                Sum now = mine - price[i];

                value[i] = now > value[i] ? now : value[i];
            }
        }
    }
    if (lane == 0)
        out[option] = value[0];
}
#endif
