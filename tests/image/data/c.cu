#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) cl(int *p)
{
    __shared__ int s[100];
    auto c = cg::this_cluster();
    s[threadIdx.x] = *p;
    c.sync();
    *p = *c.map_shared_rank(&s[threadIdx.x ^ 1], c.block_rank() ^ 1);
    c.sync();
}
extern "C" __global__ void __cluster_dims__(4, 2, 1) __launch_bounds__(128, 1) clnos(int *p) { *p = 1; }
extern "C" __global__ void __launch_bounds__(128, 1, 8) clmax(int *p) { *p = 1; }
