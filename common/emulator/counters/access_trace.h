// What a CTA asked of global memory, in order: the input of the cache model. Recorded only when a
// report with caches is wanted.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tcd::emu {

inline constexpr uint32_t kCacheLineBytes = 128;  // four sectors of 32 bytes

enum class AccessPath : uint8_t {
  kLoad,    // looks into L1, then L2
  kBypass,  // L2 at once: cp.async.cg, volatile and stronger loads
  kStore,   // written through to L2
  kAtomic,  // done in L2
};

// One line that one warp instruction touches, in 64 bits: line number, sectors, path, and which
// memory instruction of the kernel it is (MicroOp::slot).
struct LineAccess {
  uint64_t line : 41;
  uint64_t sectors : 4;
  uint64_t path : 3;
  uint64_t slot : 16;
};
static_assert(sizeof(LineAccess) == 8);
inline constexpr uint32_t kMostSlots = 1u << 16;  // what is beyond is counted with the last one

class AccessTrace {
 public:
  // Forgets everything. `limit`: how many accesses are kept at most.
  void start(size_t limit) {
    accesses_.clear();
    limit_ = limit;
    overflowed_ = false;
  }
  // `bytes` bytes at addresses[i] + offset for each lane of `mask`.
  void add(uint32_t slot, AccessPath path, uint32_t mask, const uint64_t* addresses,
           uint64_t offset, uint32_t bytes) {
    if (accesses_.size() >= limit_) {
      overflowed_ = true;
      return;
    }
    const size_t first = accesses_.size();
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const uint64_t at = addresses[std::countr_zero(rest)] + offset;
      for (uint64_t sector = at / 32; sector <= (at + bytes - 1) / 32; ++sector) {
        touch(first, slot, path, sector);
      }
    }
  }

  bool overflowed() const { return overflowed_; }
  const std::vector<LineAccess>& accesses() const { return accesses_; }

 private:
  void touch(size_t first, uint32_t slot, AccessPath path, uint64_t sector) {
    const uint64_t bit = uint64_t{1} << (sector & 3);
    for (size_t i = accesses_.size(); i > first; --i) {
      if (accesses_[i - 1].line != sector / 4) continue;
      accesses_[i - 1].sectors |= bit;
      return;
    }
    LineAccess access{};
    access.line = sector / 4;
    access.sectors = bit;
    access.path = static_cast<uint64_t>(path);
    access.slot = slot < kMostSlots ? slot : kMostSlots - 1;
    accesses_.push_back(access);
  }

  std::vector<LineAccess> accesses_;
  size_t limit_ = 0;
  bool overflowed_ = false;
};

}  // namespace tcd::emu
