// Warp intrinsics, atomics, cooperative groups, special registers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void shuffle(int* out, unsigned long long* clock) {
  int x = out[threadIdx.x];
  x += __shfl_sync(0xffffffff, x, 3);
  x += __shfl_xor_sync(0xffffffff, x, 16);
  x += __shfl_down_sync(0x0000ffff, x, 8, 16);
  if (__any_sync(0xffffffff, x > 3) && !__all_sync(0xffffffff, x < 100)) x += __ballot_sync(~0u, x);
  x += __match_any_sync(0xffffffff, x);
  int same;
  x += __match_all_sync(0xffffffff, x, &same) + same;
  x += __popc(__activemask()) + __reduce_add_sync(0xffffffff, 3);
  unsigned lane, smid;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
  *clock = clock64();
  out[threadIdx.x] = x + lane + smid + warpSize + gridDim.y;
}

__global__ void atomics(int* i, unsigned* u, float* f, double* d, unsigned long long* l) {
  atomicAdd(i, 1);
  atomicMax(u, 7u);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 1.0);
  atomicCAS(l, 3ull, 4ull);
  atomicExch_block(i, 5);
  __shared__ unsigned s[4];
  atomicXor(&s[threadIdx.x & 3], 9u);
  atomicInc(&s[0], 12u);
  __threadfence_system();
  __nanosleep(20);
}

__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int x = tile.shfl_xor(out[block.thread_rank()], 1);
  x = cg::reduce(tile, x, cg::plus<int>());
  block.sync();
  cg::coalesced_group active = cg::coalesced_threads();
  out[block.thread_rank()] = x + active.size();
  if (active.thread_rank() == 0) out[1] += 1;
}
