// What is ordered before what within a CTA: one vector clock a warp.
//
// Time counts synchronisations of the CTA, not accesses. An access gets the time it happened at;
// limits[c] of a warp says up to which time the accesses of party c are ordered before everything
// that this warp does from now on. Parties are the warps, and for each warp its asynchronous
// copies: those are ordered before other lanes of their own warp only by a barrier too.
//
// An access is kept as one positive number, so that "is it ordered?" is one comparison:
//   time << 12 | party << 5 | lane            a write
//   time << 12 | slot of the instruction      a read
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace tcd::emu {

inline constexpr int kMaxWarps = 32;
inline constexpr int kParties = 2 * kMaxWarps;
inline constexpr uint32_t kTimeShift = 12;
inline constexpr int32_t kRestMask = (1 << kTimeShift) - 1;
inline constexpr uint32_t kPartyShift = 5;
inline constexpr int32_t kPartyMask = 127 << kPartyShift;
inline constexpr int32_t kLastTime = 0x7fff0;
// No write yet, and a copy that has not landed: later than any limit, so every fast check fails.
inline constexpr int32_t kNeverWritten = 0x7fffffff;
inline constexpr int32_t kPendingTime = 0x7fffe;
inline constexpr int32_t kUnlimited = 0x7fffffff;

inline int32_t time_of(int32_t record) { return record >> kTimeShift; }
inline uint32_t party_of(int32_t record) {
  return static_cast<uint32_t>(record >> kPartyShift) & 127;
}
inline bool is_pending(int32_t record) { return time_of(record) == kPendingTime; }

using Limits = std::array<int32_t, kParties>;

class SyncClocks {
 public:
  void start(uint32_t warps);  // a new CTA: all that was before is ordered before it
  int32_t now() const { return time_; }
  const Limits& limits(uint32_t warp) const { return limits_[warp]; }
  int32_t floor(uint32_t warp) const;  // the least limit: what is ordered whoever did it

  // CTA barriers (PTX ISA 9.7.13.1). bar.arrive gives its accesses away and takes none.
  void arrive(uint32_t warp, uint32_t barrier, bool arrive_only);
  // Will this barrier have everybody? Then all that was is ordered before all that comes.
  bool is_full(uint32_t barrier, uint32_t ended) const {
    return (barriers_[barrier].waiting | ended) == everybody();
  }
  // ended: warps that count as arrived because they have ended. Returns the warps whose limits
  // rose.
  uint32_t complete(uint32_t barrier, uint32_t ended);
  void advance() { ++time_; }
  void sync_warp(uint32_t warp);  // bar.warp.sync: the warp's landed copies are now all lanes'

  // Atomics, mbarriers, volatile and stronger accesses order too. Whether a program's fences are
  // enough is not judged: whatever could be a synchronisation counts as one, so that no correct
  // program is accused. kMixed: lanes used different addresses.
  static constexpr uint32_t kMixed = 0xffffffffu;
  void release(uint32_t warp, uint32_t address);
  void acquire(uint32_t warp, uint32_t address);

  bool nearly_full() const { return time_ >= kLastTime; }
  void restart();  // time starts over; everything so far counts as ordered

 private:
  struct Barrier {
    uint32_t waiting = 0;  // warps, by bit
    bool has_given = false;
    Limits given{};  // by those that only arrived
  };
  uint32_t everybody() const { return warps_ == 32 ? ~0u : (1u << warps_) - 1; }
  int32_t stamp() const { return time_ << kTimeShift | kRestMask; }
  void raise(uint32_t warp, const Limits& to);
  void give(uint32_t warp, Limits& to) const;

  int32_t time_ = 1;
  uint32_t warps_ = 0;
  std::array<Limits, kMaxWarps> limits_;
  std::array<Barrier, 16> barriers_;
  std::unordered_map<uint32_t, Limits> objects_;  // by address
  Limits mixed_{}, everything_{};
};

}  // namespace tcd::emu
