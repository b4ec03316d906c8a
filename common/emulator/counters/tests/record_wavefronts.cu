// Runs one warp instruction on an address pattern, one kernel launch a pattern, so that a profiler
// attached to this program (record_wavefronts.sh) shows what the hardware counts for each.
//
//   record_wavefronts patterns.txt
//
// A line of patterns.txt: name operation mask, then 32 shared offsets and 32 global offsets.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "wavefront_patterns.h"

namespace {

constexpr uint32_t kSharedBytes = 32768;
constexpr uint32_t kGlobalBytes = 1 << 20;
constexpr int kRepeats = 16;

struct Pattern {
  uint32_t mask;
  uint32_t shared[32];
  uint32_t global[32];
};

template <Operation kOperation>
__global__ void one_instruction(Pattern p, unsigned char* global, uint32_t* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  const uint32_t lane = threadIdx.x;
  const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) + p.shared[lane];
  unsigned char* const g = global + p.global[lane];
  uint32_t sink = 0;
  if ((p.mask >> lane & 1) != 0) {
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      uint32_t a = 0, b = 0, c = 0, d = 0;
      if constexpr (kOperation == Operation::kLoad1) {
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(s) : "memory");
      } else if constexpr (kOperation == Operation::kLoad2) {
        uint16_t h;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(s) : "memory");
        a = h;
      } else if constexpr (kOperation == Operation::kLoad4) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(s) : "memory");
      } else if constexpr (kOperation == Operation::kLoad8) {
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(s) : "memory");
      } else if constexpr (kOperation == Operation::kLoad16) {
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(s)
                     : "memory");
      } else if constexpr (kOperation == Operation::kStore1) {
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(s), "r"(lane) : "memory");
      } else if constexpr (kOperation == Operation::kStore2) {
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(s), "h"(static_cast<uint16_t>(lane))
                     : "memory");
      } else if constexpr (kOperation == Operation::kStore4) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(s), "r"(lane) : "memory");
      } else if constexpr (kOperation == Operation::kStore8) {
        asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(s), "r"(lane) : "memory");
      } else if constexpr (kOperation == Operation::kStore16) {
        asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(s), "r"(lane) : "memory");
      } else if constexpr (kOperation == Operation::kLdmatrix1) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(a)
                     : "r"(s)
                     : "memory");
      } else if constexpr (kOperation == Operation::kLdmatrix2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(a), "=r"(b)
                     : "r"(s)
                     : "memory");
      } else if constexpr (kOperation == Operation::kLdmatrix4) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(s)
                     : "memory");
      } else if constexpr (kOperation == Operation::kCopy4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(g) : "memory");
      } else if constexpr (kOperation == Operation::kCopy8) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(s), "l"(g) : "memory");
      } else if constexpr (kOperation == Operation::kCopy16) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
      } else if constexpr (kOperation == Operation::kCopyCg16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
      } else if constexpr (kOperation == Operation::kGlobalLoad4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(g) : "memory");
      } else if constexpr (kOperation == Operation::kGlobalLoad16) {
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(g)
                     : "memory");
      } else if constexpr (kOperation == Operation::kGlobalStore4) {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(g), "r"(lane) : "memory");
      } else {
        asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(g), "r"(lane) : "memory");
      }
      asm volatile("cp.async.wait_all;" ::: "memory");
      sink += a + b + c + d;
    }
  }
  if (sink == 0x12345678u) *out = sink;  // never: keeps the loads
}

template <int kFirst = 0>
void launch(int operation, const Pattern& p, unsigned char* global) {
  if constexpr (kFirst < kOperations) {
    if (operation != kFirst) return launch<kFirst + 1>(operation, p, global);
    one_instruction<static_cast<Operation>(kFirst)>
        <<<1, 32, kSharedBytes>>>(p, global, reinterpret_cast<uint32_t*>(global));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  unsigned char* global = nullptr;
  if (!in || cudaMalloc(&global, kGlobalBytes) != cudaSuccess) {
    std::cerr << "usage: record_wavefronts patterns.txt (on a machine with a GPU)\n";
    return 2;
  }
  cudaMemset(global, 0, kGlobalBytes);
  std::string name, operation;
  while (in >> name >> operation) {
    Pattern p;
    in >> std::hex >> p.mask >> std::dec;
    for (uint32_t& v : p.shared) in >> v;
    for (uint32_t& v : p.global) in >> v;
    launch(operation_of(operation), p, global);
    if (const cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) {
      std::cerr << name << ": " << cudaGetErrorString(e) << '\n';
      return 1;
    }
  }
  return 0;
}
