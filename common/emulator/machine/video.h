// The SIMD video instructions vadd2 … vset4, as decode and exec agree on them (MicroOp::flags).
#pragma once

#include <cstdint>

namespace tcd::emu {

enum class VideoOp : uint8_t { kAdd, kSub, kAverage, kAbsDiff, kMin, kMax, kSet };

inline constexpr uint32_t kVideoOpMask = 7;
inline constexpr uint32_t kVideoHalves = 8;  // two 16-bit elements, else four bytes
inline constexpr uint32_t kVideoSignedD = 16;
inline constexpr uint32_t kVideoSignedA = 32;
inline constexpr uint32_t kVideoSignedB = 64;
inline constexpr uint32_t kVideoSat = 128;
inline constexpr uint32_t kVideoAccumulate = 256;  // .add: c plus the sum of the elements
inline constexpr uint32_t kVideoCompareShift = 9;  // kSet: eq ne lt le gt ge

}  // namespace tcd::emu
