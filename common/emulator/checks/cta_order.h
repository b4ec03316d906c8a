// What CTAs of one launch know of each other: which accesses come before which, through memory.
//
// A CTA counts epochs: its fences (__threadfence(), or the release in an atomic) end one when it
// has touched watched memory since the last. An atomic or a strong store gives away what lies
// before the last fence, by a sequence number of the launch; an atomic or a strong load at that
// address takes it, with all lower numbers. So knowledge is one number a CTA, however many CTAs
// there are, and errs towards order only: no correct program is accused. A fence is asked for on
// the giving side, as the memory model does; on the taking side it is not.
//
// In a kernel without fences an epoch ends where warps of the CTA may meet: at a barrier, an
// atomic, a volatile access, an mbarrier.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tcd::emu {

// One CTA's share.
struct CtaOrder {
  static constexpr uint32_t kLastEpoch = 255;
  uint32_t epoch = 0;
  bool touched = false;  // watched memory, in this epoch
  uint32_t given = 0;    // epochs below this are given away
  uint64_t number = 0;   // of the last time it gave any
  uint64_t known = 0;    // it knows what was given up to this number

  void fence() {
    if (!touched) return;
    touched = false;
    if (epoch < kLastEpoch) ++epoch;
  }
};

class LaunchOrder {
 public:
  // Before the value is there for others to see.
  void release(uint64_t cta, CtaOrder& order, uint64_t address) {
    if (order.given < order.epoch) {
      order.number = numbers_.fetch_add(1, std::memory_order_relaxed) + 1;
      order.given = order.epoch;
      const std::lock_guard lock(mutex_);
      given_[cta].push_back({order.epoch, order.number});
    }
    const uint64_t value = order.number > order.known ? order.number : order.known;
    std::atomic<uint64_t>& at = place(address);
    uint64_t before = at.load(std::memory_order_relaxed);
    while (before < value && !at.compare_exchange_weak(before, value, std::memory_order_release,
                                                       std::memory_order_relaxed)) {
    }
  }
  // After a value has been seen.
  void acquire(CtaOrder& order, uint64_t address) {
    const uint64_t value = place(address).load(std::memory_order_acquire);
    if (value > order.known) order.known = value;
  }
  // Does `order` know of what `cta` did in that epoch?
  bool knows(const CtaOrder& order, uint64_t cta, uint32_t epoch) {
    if (epoch == CtaOrder::kLastEpoch) return true;  // it counts no further: rather no report
    if (order.known == 0) return false;
    const std::lock_guard lock(mutex_);
    const auto found = given_.find(cta);
    if (found == given_.end()) return false;
    for (const Given& given : found->second) {
      if (given.below > epoch) return given.number <= order.known;
    }
    return false;
  }

 private:
  struct Given {
    uint32_t below;  // epochs
    uint64_t number;
  };
  // Addresses that share a place order more than they should, never less.
  std::atomic<uint64_t>& place(uint64_t address) {
    return places_[(address >> 4) * 0x9E3779B97F4A7C15ull >> 52];
  }

  std::atomic<uint64_t> numbers_{0};
  std::array<std::atomic<uint64_t>, 4096> places_{};
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::vector<Given>> given_;  // by CTA
};

}  // namespace tcd::emu
