// How much of each resource a clock of the SM gives at most, for the floors of a report: work
// divided by these is the least a kernel needs. Each figure says where it is from; the kinds do not
// mix.
#pragma once

#include <span>
#include <string_view>

#include "profiles/profile.h"

namespace tcd::emu {

struct Rate {
  double per_clock = 0;  // 0: nobody has said
  std::string_view source;  // "measured: …", "quoted: …", "derived: …" or "from the literature: …"
};

// What the tensor cores multiply: inputs, and the accumulator where it matters.
enum class TensorType : uint8_t {
  kF16F32,
  kF16F16,
  kBf16,
  kTf32,
  kFp8F32,
  kFp8F16,
  kInt8,
  kInt4,
  kF64,
  kCount,
};
const char* name_of(TensorType type);  // "f16 → f32", …

// Floating-point (or integer) operations of one SM, two for a multiplication with its addition.
// `small`: m16n8k8 of 16-bit inputs and m8n8k16 of 8-bit ones, which are slower on some chips.
Rate tensor_rate(const Profile& profile, TensorType type, bool small);
Rate shared_rate(const Profile& profile);  // wavefronts of one SM
Rate l2_rate(const Profile& profile);      // bytes, the whole device
Rate dram_rate(const Profile& profile);  // bytes, the whole device, a clock at the profile's boost

}  // namespace tcd::emu
