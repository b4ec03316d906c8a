// The shadow of global memory for one launch: which CTAs read and wrote each unit of the
// allocations that its kernel may write (written_pointers.h).
//
// A unit is what one lane stores at least, so that a store covers whole units. Its word says who
// touched it while that is one CTA alone, which is nearly always; a second one makes an entry.
// What is kept are the lowest CTAs, whoever came first, so the threads change no report. Where a
// kernel has fences, CTAs may be ordered (cta_order.h), and accesses are judged when they happen.
// Where it has none, the warps of a CTA are looked at too: two that touch a unit with no barrier,
// atomic or flag of the CTA in between are not ordered.
//
// Writers that agree on the value race with nobody: `found = true` by many CTAs. Atomics agree with
// each other, and with the plain accesses that belong to them (written_pointers.h); with others
// they race.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "checks/cta_order.h"
#include "checks/report.h"

namespace tcd::emu {

struct Launch;
struct MicroOp;
struct Warp;
struct WrittenPointers;

// Units of one allocation.
struct WatchedRange {
  uint64_t lo = 0, hi = 0;
  std::atomic<uint64_t*> words{nullptr};  // made when first touched; zero: nobody
  WatchedRange(uint64_t from, uint64_t to) : lo(from), hi(to) {}
};

class GlobalShadow {
 public:
  // null: nothing in this launch can race.
  static std::unique_ptr<GlobalShadow> of(const Launch& launch, const WrittenPointers& written);
  ~GlobalShadow();

  WatchedRange* range_of(uint64_t address);  // null: not watched

  // Plain accesses, lanes that lie in the range or, without one, anywhere.
  void note_read(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                 uint32_t bytes, WatchedRange* range);
  // values: `bytes` a lane, every 32.
  void note_write(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                  uint32_t bytes, const std::byte* values, WatchedRange* range);

  bool notes_atomics() const { return atomics_; }
  void note_atomic(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                   uint32_t bytes, WatchedRange* range);

  bool may_order() const { return order_ != nullptr; }
  void fence(Warp& warp);
  void release(Warp& warp, uint32_t mask, const uint64_t* addresses, bool fences);
  void acquire(Warp& warp, uint32_t mask, const uint64_t* addresses);

  // After the launch: the races, by address.
  std::vector<CheckReport> races() const;

 private:
  // A unit that several CTAs touched.
  struct alignas(64) Entry {
    uint64_t address = 0;
    uint64_t writers[2] = {}, readers[2] = {};  // of different CTAs, the lower first
    // Where CTAs may be ordered: two that were not. Otherwise the lowest CTAs that write: plainly,
    // and by an atomic.
    uint64_t first = 0, second = 0;
    bool has_hash = false;
    uint8_t hash = 0;     // of what the first plain writer wrote
    bool varied = false;  // not all writers wrote the same
    bool agreed = false;  // two that were not ordered did
    uint8_t found = 0;    // kRead: a reader and a writer; kWrote: two writers
  };
  class Lock;
  explicit GlobalShadow(const Launch& launch) : launch_(launch) {}
  uint64_t* words_of(WatchedRange& range);
  template <class F>
  void each_unit(Warp& warp, uint32_t mask, const uint64_t* addresses, uint32_t bytes,
                 WatchedRange* range, const F& f);
  template <class Access, class Quick>
  uint32_t note_runs(Lock& lock, uint32_t mask, const uint64_t* addresses, uint32_t bytes,
                     WatchedRange* range, const Access& access_by, const Quick& is_quick);
  void note(Warp& warp, const MicroOp* op, uint64_t& word, uint64_t address, uint64_t access,
            bool writes);
  void note_again(Warp& warp, const MicroOp* op, uint64_t& word, uint64_t address, uint64_t access,
                  bool writes);
  void judge(Warp& warp, Entry& entry, uint64_t access, bool writes);
  void add_writer(Entry& entry, uint64_t access);
  bool is_known(const Warp& warp, uint64_t access);
  bool goes_with_atomics(uint64_t access) const;
  bool clash(uint64_t a, uint64_t b) const;
  Entry* new_entry(uint64_t address);  // null: there are too many

  const Launch& launch_;
  uint32_t shift_ = 0;                  // address to unit
  std::deque<WatchedRange> ranges_;     // by address
  std::unique_ptr<LaunchOrder> order_;  // null: this kernel cannot order its CTAs
  bool atomics_ = false;
  std::vector<bool> goes_with_atomics_;  // by slot
  std::array<std::atomic_flag, 256> locks_{};
  std::mutex mutex_;  // ranges' words, entries
  std::deque<Entry> entries_;
};

}  // namespace tcd::emu
