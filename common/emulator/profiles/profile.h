// What one GPU model is: its limits, and the numerics of its tensor cores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tcd::emu {

// How a tensor core sums one output element (source: hardware vectors' algorithm, see tensor/).
struct TensorNumerics {
  int chunk_k16;      // products summed in one step by m16n8k16: 8, or 16 on Hopper
  int fraction_bits;  // F: bits kept below the largest exponent
  std::string_view
      evidence;  // "verified by recording", "verified on the H200", "from the literature"
  // Terms are aligned to an exponent at most this far below the result's least normal one, however
  // small they are. 7 on sm_90 (seen on an H200); elsewhere nobody has looked: no limit.
  int alignment_floor = 1000;
};

struct Profile {
  std::string_view name;         // "rtx4060-laptop": what --gpu takes
  std::string_view device_name;  // "NVIDIA GeForce RTX 4060 Laptop GPU"
  int compute_major, compute_minor;
  int sm_count;
  int clock_khz, memory_clock_khz, memory_bus_bits;
  uint64_t memory_bytes;
  uint32_t l2_bytes;
  uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved_per_block;
  uint32_t registers_per_sm, registers_per_block;
  int threads_per_sm, threads_per_block, ctas_per_sm;
  TensorNumerics tensor;

  int compute() const { return compute_major * 10 + compute_minor; }
};

// L1 and shared memory of an SM together (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability").
uint32_t unified_l1_bytes(const Profile& profile);
// How much L2 a line of data has to itself. Half on A100, H100 and H200, whose L2 has two
// partitions: what SMs of both sides read is in both. An H200's DRAM counters fit half, not all
// (the page of Day 06); nobody has measured the others here.
uint32_t effective_l2_bytes(const Profile& profile);

std::span<const Profile> all_profiles();
const Profile* find_profile(std::string_view name);  // nullptr when there is none of that name
// One sentence for a person who asked for a profile that does not exist; lists all names.
std::string unknown_profile_message(std::string_view name);
inline constexpr std::string_view kDefaultProfile = "rtx4060-laptop";

}  // namespace tcd::emu
