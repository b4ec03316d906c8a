// The 64-bit word of an mbarrier in shared memory. PTX leaves it opaque; this is the emulator's.
#pragma once

#include <cstdint>

namespace tcd::emu {

// An mbarrier counts arrivals down from an expected number and bytes of asynchronous copies up and
// down; when both are zero its phase flips and the count starts over (PTX ISA 9.7.13.15).
struct Mbarrier {
  uint32_t pending = 0;   // arrivals missing in this phase, 20 bits
  uint32_t expected = 0;  // arrivals of a phase, 20 bits
  int32_t bytes = 0;      // of copies on their way, 23 bits
  bool phase = false;     // parity of the current, incomplete phase

  uint64_t pack() const {
    return (uint64_t{pending} & 0xfffff) | (uint64_t{expected} & 0xfffff) << 20 |
           (static_cast<uint64_t>(bytes) & 0x7fffff) << 40 | uint64_t{phase} << 63;
  }
  static Mbarrier unpack(uint64_t word) {
    Mbarrier b;
    b.pending = static_cast<uint32_t>(word & 0xfffff);
    b.expected = static_cast<uint32_t>(word >> 20 & 0xfffff);
    b.bytes = static_cast<int32_t>(static_cast<uint32_t>(word >> 40) << 9) >> 9;
    b.phase = (word >> 63) != 0;
    return b;
  }
  void arrive(uint32_t count) {
    pending -= count;
    settle();
  }
  void settle() {
    if (pending != 0 || bytes != 0) return;
    phase = !phase;
    pending = expected;
  }
};

// Which operation, in MicroOp::flags from bit 16 on.
enum class MbarrierOp : uint8_t {
  kInit,
  kInval,
  kArrive,
  kArriveDrop,
  kArriveExpect,
  kExpectTx,
  kCompleteTx,
  kTestWait,
  kTestParity,
  kPendingCount,
};
inline constexpr uint32_t kMbarrierShift = 16;

}  // namespace tcd::emu
