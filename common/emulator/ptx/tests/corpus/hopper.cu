// Inline assembly of sm_90: tensor copies, mbarriers, wgmma, clusters, cache hints.
#include <cuda.h>
#include <cuda_fp8.h>

#include <cstdint>

#define WAIT(parity)                                              \
  asm volatile(                                                   \
      "{\n .reg .pred P1;\nLAB_WAIT:\n"                           \
      " mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n" \
      " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n}" ::"r"(b),        \
      "r"(parity))

__global__ void __cluster_dims__(2, 1, 1)
    hopper(const __grid_constant__ CUtensorMap map, float* out, __nv_fp8_e4m3* q) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t bar;
  uint32_t b = __cvta_generic_to_shared(&bar), s = __cvta_generic_to_shared(memory);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(1024));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(s),
      "l"(&map), "r"(b), "r"(0), "r"(1)
      : "memory");
  WAIT(0);
  float d[4] = {1, 2, 3, 4};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0,%1,%2,%3}, %4, %5, p, 1, -1, 0, 0x1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(1ull), "l"(2ull), "r"(1));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  WAIT(1);
  q[0] = __nv_fp8_e4m3(d[0]);
  uint32_t m;
  asm volatile("{ .reg .pred P; elect.sync _|P, 0xffffffff; selp.u32 %0, 1, 0, P; }" : "=r"(m));
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.f32 {%0,%1,%2,_}, [%3+-16], %4;"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2])
      : "l"(out), "l"(policy));
  out[0] = d[0] + m + d[1];
}
