// L1, L2 and DRAM traffic of a launch, by a model.
//
// Each SM has an L1 of lines of 128 bytes, the device one L2; both keep the lines used last (LRU,
// any line anywhere) and know which of a line's four sectors are there. As many CTAs run at once as
// the device holds (occupancy), handed out by number; each that ends makes room for the next. Those
// that run advance in turn, kAccessesATurn line accesses each: a CTA's accesses are in its
// program's order, and the order among CTAs is this assumption. Caches are empty when a kernel
// starts, as under Nsight Compute, which flushes them.
//
// Loads look into L1 and then L2; cp.async.cg and volatile loads go to L2 at once; stores are
// written through L1 to L2 and reach DRAM when L2 makes room; atomics are done in L2. Not modelled:
// what is in flight, sets and hashing, sectors fetched ahead, several requests of neighbouring SMs
// that an H200 merges on their way to L2, local memory, instructions, and what the host does.
//
// How well it does is on the page (README.md).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "counters/access_trace.h"

namespace tcd::emu {

// All in sectors of 32 bytes.
struct CacheTraffic {
  uint64_t l1_lookups = 0, l1_hits = 0;
  uint64_t l2_reads = 0, l2_writes = 0, l2_atomics = 0;  // that reach L2
  uint64_t l2_hits = 0;                                  // of reads and atomics
  uint64_t dram_reads = 0, dram_writes = 0;
  uint64_t l2_dirty = 0;  // still to be written when the kernel has ended

  void add(const CacheTraffic& other);
  uint64_t l2() const { return l2_reads + l2_writes + l2_atomics; }
  bool operator==(const CacheTraffic&) const = default;
};

struct CacheShape {
  uint32_t sms = 1;
  uint64_t resident = 1;  // CTAs at once on the device
  uint64_t l1_bytes = 0;  // of an SM; 0: no L1
  uint64_t l2_bytes = 0;
};

// Lines used last, with the sectors that are there and those that DRAM does not have yet.
class SectorCache {
 public:
  explicit SectorCache(uint64_t bytes);
  // Makes `sectors` of the line present, the line the latest, and returns which were missing.
  uint32_t touch(uint64_t line, uint32_t sectors, bool dirty);
  uint64_t evicted_dirty() const { return evicted_dirty_; }
  uint64_t dirty() const;

 private:
  struct Entry {
    uint64_t line = 0;
    uint32_t newer = 0, older = 0;  // 0: none; entries are numbered from 1
    uint8_t present = 0, dirty = 0;
  };
  uint32_t find(uint64_t line) const;
  void insert(uint32_t entry);
  void erase(uint64_t line);
  void unlink(uint32_t entry);
  void push(uint32_t entry);
  size_t home(uint64_t line) const { return (line * 0x9e3779b97f4a7c15u) >> shift_; }

  uint32_t capacity_ = 0;
  uint32_t newest_ = 0, oldest_ = 0;
  uint64_t evicted_dirty_ = 0;
  int shift_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> table_;  // open addressing; 0: empty
};

class CacheModel {
 public:
  CacheModel(const CacheShape& shape, uint64_t ctas, uint32_t slots);

  // How many accesses a CTA may record, so that all that run fit into about a GiB.
  size_t trace_limit() const { return trace_limit_; }
  // From any thread, in any order; the result does not depend on it.
  void deliver(uint64_t cta, AccessTrace& trace);

  // After all CTAs. False: a CTA recorded more than the model keeps, so there is no result.
  bool is_complete() const { return complete_ && next_ == ctas_ && running_ == 0; }
  const CacheTraffic& traffic() const { return traffic_; }
  const std::vector<CacheTraffic>& by_slot() const { return by_slot_; }

 private:
  struct Running {
    std::vector<LineAccess> accesses;
    size_t at = 0;
    bool is_idle = true;
  };
  void advance();
  void replay(size_t place, Running& cta);
  void access(uint32_t sm, const LineAccess& a);

  CacheShape shape_;
  uint64_t ctas_;
  size_t trace_limit_;
  std::mutex mutex_;
  std::map<uint64_t, std::vector<LineAccess>> delivered_;
  size_t waiting_ = 0;  // accesses in delivered_
  std::vector<Running> places_;
  size_t turn_ = 0;
  uint64_t next_ = 0;     // CTA to be started
  uint64_t running_ = 0;  // places that are not idle
  bool complete_ = true;
  std::vector<SectorCache> l1_;
  SectorCache l2_;
  CacheTraffic traffic_;
  std::vector<CacheTraffic> by_slot_;
};

}  // namespace tcd::emu
