#include "runtime/occupancy_model.h"

#include <algorithm>

namespace tcd::emu {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kRegisterUnit = 256;  // per warp
constexpr uint32_t kSchedulers = 4;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint64_t shared_unit(const Profile& gpu) { return gpu.compute_major >= 8 ? 128 : 256; }

// Warps an SM can hold as far as registers go: whole warps in each scheduler's bank.
uint32_t warps_by_registers(const Profile& gpu, uint32_t registers) {
  if (registers == 0) return ~0u;
  const uint32_t per_warp = static_cast<uint32_t>(round_up(registers * kWarp, kRegisterUnit));
  return gpu.registers_per_sm / kSchedulers / per_warp * kSchedulers;
}

}  // namespace

int ctas_per_sm(const Profile& gpu, const KernelFootprint& kernel, uint32_t threads,
                uint64_t dynamic_shared) {
  if (threads == 0 || threads > static_cast<uint32_t>(gpu.threads_per_block)) return 0;
  const uint64_t shared = uint64_t{kernel.static_shared} + dynamic_shared;
  if (dynamic_shared > kernel.dynamic_shared_limit || shared > gpu.shared_per_block_optin) return 0;

  // A CTA takes its warps from all four schedulers alike.
  const auto warps = static_cast<uint32_t>(round_up(threads, kWarp) / kWarp);
  const uint32_t by_registers =
      warps_by_registers(gpu, kernel.registers) / static_cast<uint32_t>(warps);
  const uint32_t by_warps = static_cast<uint32_t>(gpu.threads_per_sm) / kWarp / warps;
  uint64_t by_shared = static_cast<uint64_t>(gpu.ctas_per_sm);
  const uint64_t taken = round_up(shared + gpu.shared_reserved_per_block, shared_unit(gpu));
  if (taken != 0) by_shared = gpu.shared_per_sm / taken;
  return static_cast<int>(std::min<uint64_t>(
      {by_registers, by_warps, by_shared, static_cast<uint64_t>(gpu.ctas_per_sm)}));
}

int max_threads_per_cta(const Profile& gpu, const KernelFootprint& kernel) {
  const uint64_t by_registers = uint64_t{warps_by_registers(gpu, kernel.registers)} * kWarp;
  uint64_t threads = std::min<uint64_t>(by_registers, gpu.threads_per_block);
  if (kernel.max_threads != 0) threads = std::min<uint64_t>(threads, kernel.max_threads);
  return static_cast<int>(threads);
}

int64_t available_dynamic_shared(const Profile& gpu, const KernelFootprint& kernel, int ctas,
                                 uint32_t threads) {
  if (ctas <= 0 || ctas_per_sm(gpu, kernel, threads, 0) < ctas) return -1;
  const uint64_t unit = shared_unit(gpu);
  const uint64_t each = gpu.shared_per_sm / static_cast<uint64_t>(ctas) / unit * unit;
  if (each < kernel.static_shared) return -1;
  return static_cast<int64_t>(std::min<uint64_t>({each - kernel.static_shared,
                                                  gpu.shared_per_block_optin - kernel.static_shared,
                                                  kernel.dynamic_shared_limit}));
}

}  // namespace tcd::emu
