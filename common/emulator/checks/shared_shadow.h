// The shadow of a CTA's shared memory: who wrote each word last, and when each warp read it.
//
// The unit is 16 bytes until the first access to less: a word, then perhaps halves or bytes, for
// they may belong to different threads. Handlers check and record through shared_access.h; what
// does not pass there comes here to be judged exactly.
//
// Three things keep it cheap. Regions of 1 KiB remember that all their units were written before
// the last barrier of the whole CTA, so that reads need not look at units. Where rows are padded,
// some units are never written: there an instruction remembers which addresses it has found
// written. And a read only goes to its warp's log; logs are thrown away at such a barrier, and
// spread over the units when another warp writes to a region that has been read since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checks/report.h"
#include "checks/settings.h"
#include "checks/sync_clocks.h"

namespace tcd::emu {

struct AsyncCopy;
struct Cta;
enum class AccessKind : uint8_t;
class SharedShadow;

inline constexpr uint32_t kRegionShift = 10;

enum class Region : uint8_t {
  kUnknown,
  kWithHoles,  // ordered, but for units that nobody has written
  kOrdered,    // every unit has been written, and that is ordered before everybody
};

// Addresses of an access, shifted so that 16 bits hold the largest (SharedShadow::log_shift).
struct PackedAddresses {
  alignas(64) uint16_t lane[32];
};

// Reads of a warp since it last gave anything away.
struct ReadLog {
  static constexpr uint32_t kCapacity = 64;
  PackedAddresses addresses[kCapacity];
  uint32_t masks[kCapacity];
  uint16_t slots[kCapacity];
  uint16_t bytes[kCapacity];
};

// Addresses that an instruction of a warp found to hold no hole. What is written stays written, so
// this holds until the CTA ends.
struct WrittenBefore {
  PackedAddresses addresses;
  uint64_t cta_run = 0;
  uint32_t mask = 0;
};

// What an access of one warp needs at once.
struct WarpShadow {
  SharedShadow* cta = nullptr;
  int32_t* reads = nullptr;  // by unit: this warp's last read
  int32_t floor = 0;         // records up to here are ordered before the warp, whoever made them
  int32_t self = 0;          // its party, shifted as in a record
  int32_t lane_floor = 0;    // its own records up to here are ordered before all its lanes
  int32_t last_read = 0;     // the latest of `reads`
  ReadLog* log = nullptr;
  uint32_t logged = 0;  // entries of the log
  bool landed = false;  // copies have landed since lanes were last ordered among each other
  bool wrote = false;   // it has stored since then
};

class SharedShadow {
 public:
  SharedShadow(Cta& cta, const CheckSettings& settings, uint32_t shared_bytes, uint32_t warps);

  WarpShadow& warp(uint32_t id) { return views_[id]; }
  void start();  // a new CTA runs

  // --- Synchronisation
  void barrier_arrived(uint32_t warp, uint32_t barrier, bool arrive_only);
  void barrier_completed(uint32_t barrier, uint32_t ended_warps);
  void warp_synchronised(uint32_t warp);
  // An atomic or a volatile access to global memory may order shared memory too.
  void global_synchronisation(uint32_t warp, bool acquires, bool releases);

  // --- Accesses. Addresses are those of check_shared: inside, aligned to `bytes`.
  // Exact judgement of what the fast checks did not let pass; records nothing.
  void judge_read(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                  uint32_t bytes, bool strong);
  void judge_write(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                   uint32_t bytes, AccessKind kind);
  void atomic(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
              uint32_t bytes);
  void strong_load(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                   uint32_t bytes);
  void strong_store(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                    uint32_t bytes);
  // Makes units no larger than an access.
  void refine(uint32_t bytes);
  WrittenBefore& written_before(uint32_t warp, uint32_t slot);
  void flush(uint32_t warp);  // spreads the warp's log over its units
  void flush_all();
  // Several lanes have written there together: no one of them is the writer among the warp's lanes.
  void mark_shared_place(uint32_t mask, const uint32_t* addresses, uint32_t bytes);
  // A store that judge_write found suspicious, or whose lanes may have met in one place, is done:
  // the memory tells whether a value changed, or whose stayed. values: `bytes` a lane, every 32.
  bool is_store_suspicious() const { return !suspects_.empty() || lanes_meet; }
  void forget_suspects() {
    if (!is_store_suspicious()) return;
    suspects_.clear();
    lanes_meet = false;
  }
  void judge_stored(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                    uint32_t bytes, const std::byte* values);

  // Read and written by shared_access.h.
  std::vector<int32_t> writes;    // by unit
  std::vector<uint16_t> writers;  // by unit: slot of the instruction, kStrongWriter
  std::vector<Region> regions;
  std::vector<uint32_t> readers;  // by region: warps that have read since the last full barrier
  uint32_t shift = 4;             // address to unit
  uint32_t log_shift = 0;         // reads of smaller units are not logged
  uint64_t cta_run = 0;           // CTAs that have run with this shadow
  uint32_t stride = 0;            // units; reads of warp r start at r * stride
  bool lanes_meet = false;        // lanes of the last store may have written one place
  int32_t* reads() { return reads_.data(); }
  uint32_t warps() const { return warps_; }
  int32_t now() const { return clocks_.now(); }
  int32_t ordered() const { return ordered_; }  // records up to here are, before everybody
  const Limits& limits(uint32_t warp) const { return clocks_.limits(warp); }
  static constexpr uint16_t kStrongWriter = 0x8000;  // or lanes together
  static constexpr uint32_t kMostSlots = 0x7fff;

 private:
  struct Suspect {
    CheckReport report;
    std::byte before[32];
  };
  bool find_conflict(uint32_t warp, uint32_t unit, bool strong, CheckReport& report) const;
  bool is_partly_written(uint32_t address, uint32_t bytes) const;
  bool is_padding(const Warp& warp, const MicroOp* op, uint32_t unit, uint32_t bytes);
  CheckReport about(Warp& warp, const MicroOp* op, uint32_t lane, uint32_t address,
                    uint32_t bytes) const;
  Party writer_of(uint32_t unit) const;
  void describe_copy(uint32_t unit, CheckReport& report) const;
  void record_strong_write(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                           uint32_t bytes);
  void order_lanes(uint32_t warp);
  void order_own_writes(uint32_t warp);
  void forget_reads();           // all are ordered now
  void refresh(uint32_t warps);  // views of these warps, after their limits rose

  Cta& cta_;
  CheckSettings settings_;
  uint32_t warps_;
  int32_t ordered_ = 0;
  SyncClocks clocks_;
  std::vector<WarpShadow> views_;
  std::vector<int32_t> reads_;
  std::vector<ReadLog> logs_;
  std::vector<WrittenBefore> written_before_;  // by warp and slot; empty while there are no holes
  std::vector<Suspect> suspects_;
  std::unordered_map<const MicroOp*, bool> copies_;  // loads: is_only_copied()
};

}  // namespace tcd::emu
