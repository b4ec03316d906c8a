// Day 01's probes: one warp, one tile, one mma.sync, and every register handed back by lane.
//
// The fragments are loaded by hand-written formulas. The gates judge them by the tables in
// common/ptx/fragments.h, which share no code with these.
#include <cuda_fp16.h>

#include "harness/device_buffer.h"
#include "probe.h"
#include "ptx/mma.cuh"

// The k16 instruction needs sm_80, and ptxas assembles code whether it can run or not: this guard,
// not the host's check, is what lets the file build for sm_75. A test defines the macro to see
// ptxas refuse.
#if __CUDA_ARCH__ >= 800 || defined(DAY01_FORCE_K16)
#define DAY01_HAS_M16N8K16 1
#else
#define DAY01_HAS_M16N8K16 0
#endif

namespace day {

namespace {

constexpr int kM = tcd::fragment::kTileM, kN = tcd::fragment::kTileN;

__device__ uint32_t pack(half low, half high) {
  return uint32_t{__half_as_ushort(low)} | uint32_t{__half_as_ushort(high)} << 16;
}

// Element 0 is the low half, element 1 the high half.
__device__ void unpack(float* to, uint32_t from) {
  to[0] = __half2float(__ushort_as_half(from & 0xffff));
  to[1] = __half2float(__ushort_as_half(from >> 16));
}

// Tiles lie one after the other: CTA i probes tile i. a: 16×8 row-major, b: 8×8 row-major.
__global__ void probe_k8(const half* a_tiles, const half* b_tiles, WarpRegisters<8>* out) {
  const half* a = a_tiles + blockIdx.x * kM * 8;
  const half* b = b_tiles + blockIdx.x * 8 * kN;
  const int lane = threadIdx.x, group = lane >> 2, pair = lane % 4 * 2;
  const uint32_t fragment_a[2] = {pack(a[group * 8 + pair], a[group * 8 + pair + 1]),
                                  pack(a[(group + 8) * 8 + pair], a[(group + 8) * 8 + pair + 1])};
  const uint32_t fragment_b[1] = {pack(b[pair * kN + group], b[(pair + 1) * kN + group])};
  float d[4] = {};
  tcd::ptx::mma_m16n8k8(d, fragment_a, fragment_b);

  WarpRegisters<8>& registers = out[blockIdx.x];
  unpack(&registers.a[lane][0], fragment_a[0]);
  unpack(&registers.a[lane][2], fragment_a[1]);
  unpack(&registers.b[lane][0], fragment_b[0]);
  for (int i = 0; i < 4; ++i) registers.d[lane][i] = d[i];
}

// a: 16×16 row-major, b: 16×8 row-major. Two k8 fragments side by side: k 0–7, then k 8–15.
__global__ void probe_k16(const half* a_tiles, const half* b_tiles, WarpRegisters<16>* out) {
#if DAY01_HAS_M16N8K16
  const half* a = a_tiles + blockIdx.x * kM * 16;
  const half* b = b_tiles + blockIdx.x * 16 * kN;
  const int lane = threadIdx.x, group = lane >> 2, pair = lane % 4 * 2;
  uint32_t fragment_a[4], fragment_b[2];
  for (int k_half = 0; k_half < 2; ++k_half) {
    const half* top = a + group * 16 + k_half * 8 + pair;
    const half* bottom = top + 8 * 16;
    const half* first = b + (k_half * 8 + pair) * kN + group;
    fragment_a[k_half * 2 + 0] = pack(top[0], top[1]);
    fragment_a[k_half * 2 + 1] = pack(bottom[0], bottom[1]);
    fragment_b[k_half] = pack(first[0], first[kN]);
  }
  float d[4] = {};
  tcd::ptx::mma_m16n8k16(d, fragment_a, fragment_b);

  WarpRegisters<16>& registers = out[blockIdx.x];
  for (int i = 0; i < 4; ++i) unpack(&registers.a[lane][i * 2], fragment_a[i]);
  for (int i = 0; i < 2; ++i) unpack(&registers.b[lane][i * 2], fragment_b[i]);
  for (int i = 0; i < 4; ++i) registers.d[lane][i] = d[i];
#endif
}

std::vector<uint16_t> concatenate(const std::vector<tcd::HalfMatrix>& tiles) {
  std::vector<uint16_t> bits;
  for (const auto& tile : tiles) bits.insert(bits.end(), tile.bits.begin(), tile.bits.end());
  return bits;
}

}  // namespace

template <int K>
std::vector<WarpRegisters<K>> run_probe(const std::vector<tcd::HalfMatrix>& a,
                                        const std::vector<tcd::HalfMatrix>& b) {
  tcd::harness::DeviceBuffer<uint16_t> device_a(concatenate(a)), device_b(concatenate(b));
  tcd::harness::DeviceBuffer<WarpRegisters<K>> registers(a.size());
  const auto* half_a = device_a.as<half>();
  const auto* half_b = device_b.as<half>();
  const int tiles = static_cast<int>(a.size());
  if constexpr (K == 8) {
    probe_k8<<<tiles, 32>>>(half_a, half_b, registers.data());
  } else {
    probe_k16<<<tiles, 32>>>(half_a, half_b, registers.data());
  }
  tcd::harness::check_launch("the fragment probe");
  return registers.download();
}

template std::vector<WarpRegisters<8>> run_probe(const std::vector<tcd::HalfMatrix>&,
                                                 const std::vector<tcd::HalfMatrix>&);
template std::vector<WarpRegisters<16>> run_probe(const std::vector<tcd::HalfMatrix>&,
                                                  const std::vector<tcd::HalfMatrix>&);

}  // namespace day
