#include "checks/global_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <thread>

#include "checks/written_pointers.h"
#include "machine/cta.h"
#include "machine/each_lane.h"
#include "machine/program.h"

namespace tcd::emu {
namespace {

// A word: who touched the unit, kNobody, or kMany and where its entry is.
//   tag 2 | cta 24 | slot 13 | warp 5 | lane 5 | hash of the value 7 | epoch 8      one CTA
//   tag 2 | 0 4 | address of the entry 42 | readers beyond need no look 16          kMany
enum Tag : uint64_t { kNobody, kRead, kWrote, kMany };
constexpr uint32_t kCtaShift = 2, kSlotShift = 26, kWarpShift = 39, kLaneShift = 44,
                   kHashShift = 49, kEpochShift = 56, kBeyondShift = 48, kBeyondStep = 8;
constexpr uint64_t kMostCtas = uint64_t{1} << 24, kSlotNumbers = 1u << 13, kNobodyBeyond = 0xffff;
constexpr uint64_t kVaried = 127;  // in place of a hash: the CTA has written several values
constexpr uint64_t kAtomic = 126;  // or has changed it by atomics
constexpr uint64_t kSecond = 32;   // and of a read's: a warp that read before, in this epoch
constexpr uint64_t kLarge = uint64_t{16} << 20;   // bytes of words
constexpr uint64_t kBlockShift = 6;               // 64 units share a lock
constexpr size_t kMostEntries = size_t{1} << 22;  // 256 MiB; races beyond go unseen

uint64_t tag_of(uint64_t word) { return word & 3; }
uint64_t cta_of(uint64_t word) { return word >> kCtaShift & (kMostCtas - 1); }
uint32_t slot_of(uint64_t word) { return word >> kSlotShift & (kSlotNumbers - 1); }
uint64_t hash_of(uint64_t word) { return word >> kHashShift & 127; }
uint32_t warp_of(uint64_t word) { return word >> kWarpShift & 31; }
uint32_t lane_of(uint64_t word) { return word >> kLaneShift & 31; }
uint32_t epoch_of(uint64_t word) { return static_cast<uint32_t>(word >> kEpochShift); }

uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
void store(uint64_t& word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }

bool is_atomic(uint64_t word) { return tag_of(word) == kWrote && hash_of(word) == kAtomic; }

// 0 to 125. One in about 126 pairs of different values looks equal; a race has many units.
uint64_t hash_of_value(const std::byte* value, uint32_t bytes) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ull;
  uint64_t low = 0, high = 0;
  switch (bytes) {  // of constant size, so that no call is made
    case 4:
      std::memcpy(&low, value, 4);
      break;
    case 2:
      std::memcpy(&low, value, 2);
      break;
    case 1:
      std::memcpy(&low, value, 1);
      break;
    default:
      std::memcpy(&low, value, 8);
      if (bytes == 16) std::memcpy(&high, value + 8, 8);
  }
  return std::min((low ^ high * kFactor) * kFactor >> 57, kAtomic - 1);
}

// Without a lane and a hash.
uint64_t access_of(const Warp& warp, const MicroOp* op, Tag tag) {
  const uint64_t slot = op->slot < kSlotNumbers ? op->slot : 0;
  return tag | warp.cta->index << kCtaShift | slot << kSlotShift | uint64_t{warp.id} << kWarpShift |
         uint64_t{warp.cta->order.epoch} << kEpochShift;
}

// Keeps the two lowest CTAs of a list, the first access of each.
void keep_lowest(uint64_t (&list)[2], uint64_t access) {
  for (uint64_t& at : list) {
    if (at == 0) {
      at = access;
      return;
    }
    if (cta_of(at) == cta_of(access)) return;
    if (cta_of(access) < cta_of(at)) std::swap(at, access);
  }
}

}  // namespace

// One of the locks, kept while units of its block come one after the other.
class GlobalShadow::Lock {
 public:
  explicit Lock(std::array<std::atomic_flag, 256>& locks) : locks_(locks) {}
  ~Lock() { leave(); }
  void enter(uint64_t unit) {
    std::atomic_flag* wanted = &locks_[unit >> kBlockShift & 255];
    if (wanted == held_) return;
    leave();
    for (int tries = 0; wanted->test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > 64) std::this_thread::yield();
    }
    held_ = wanted;
  }

 private:
  void leave() {
    if (held_ != nullptr) held_->clear(std::memory_order_release);
  }
  std::array<std::atomic_flag, 256>& locks_;
  std::atomic_flag* held_ = nullptr;
};

std::unique_ptr<GlobalShadow> GlobalShadow::of(const Launch& launch,
                                               const WrittenPointers& written) {
  if (launch.cta_count > kMostCtas || written.smallest == 0) return nullptr;
  if (launch.cta_count < 2 && (launch.warps_per_cta < 2 || written.orders)) return nullptr;
  DeviceMemory::Impl& memory = *launch.memory;
  std::map<uint64_t, uint64_t> ranges;
  const auto watch = [&](uint64_t address) {
    AccessCache at;
    if (memory.find(address, at) && !memory.is_constant(at.lo)) ranges[at.lo] = at.hi;
  };
  for (const uint32_t offset : written.params) {
    uint64_t pointer = 0;
    if (offset + sizeof pointer > launch.params.size()) continue;
    std::memcpy(&pointer, launch.params.data() + offset, sizeof pointer);
    watch(pointer);
  }
  for (const std::string& name : written.symbols) {
    const Program::Symbol* symbol = launch.kernel->program->symbol(name);
    if (symbol != nullptr) watch(symbol->address);
  }
  if (written.unknown) {
    const std::shared_lock lock(memory.mutex);
    for (const auto& [lo, at] : memory.live) {
      if (!at.constant && at.hi > lo) ranges[lo] = at.hi;
    }
  }
  if (ranges.empty()) return nullptr;
  std::unique_ptr<GlobalShadow> shadow(new GlobalShadow(launch));
  shadow->shift_ = std::min(static_cast<uint32_t>(std::bit_width(written.smallest)) - 1, 4u);
  for (const auto& [lo, hi] : ranges) shadow->ranges_.emplace_back(lo, hi);
  if (written.orders) shadow->order_ = std::make_unique<LaunchOrder>();
  shadow->atomics_ = written.atomics && launch.cta_count > 1;
  if (!shadow->atomics_) return shadow;
  shadow->goes_with_atomics_.resize(kSlotNumbers, true);  // and what stands in other functions
  for (const MicroOp& op : launch.code->ops) {
    if (op.slot == 0 || op.slot >= kSlotNumbers) continue;
    shadow->goes_with_atomics_[op.slot] =
        op.source >= written.goes_with_atomics.size() || written.goes_with_atomics[op.source];
  }
  return shadow;
}

GlobalShadow::~GlobalShadow() {
  for (WatchedRange& range : ranges_) {
    uint64_t* const words = range.words;
    if (words == nullptr) continue;
    munmap(words, (((range.hi - 1) >> shift_) - (range.lo >> shift_) + 1) * sizeof *words);
  }
}

WatchedRange* GlobalShadow::range_of(uint64_t address) {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t v, const WatchedRange& r) { return v < r.lo; });
  if (after == ranges_.begin()) return nullptr;
  WatchedRange& range = *std::prev(after);
  return address < range.hi ? &range : nullptr;
}

// Address space only: pages cost nothing until units in them are touched. null: there is none.
uint64_t* GlobalShadow::words_of(WatchedRange& range) {
  if (uint64_t* words = range.words.load(std::memory_order_acquire)) return words;
  const std::lock_guard lock(mutex_);
  if (uint64_t* words = range.words.load(std::memory_order_relaxed)) return words;
  const uint64_t units = ((range.hi - 1) >> shift_) - (range.lo >> shift_) + 1;
  void* at = mmap(nullptr, units * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (units * sizeof(uint64_t) >= kLarge) {
    madvise(at, units * sizeof(uint64_t), MADV_HUGEPAGE);  // a failure only costs time
  }
  range.words.store(static_cast<uint64_t*>(at), std::memory_order_release);
  return static_cast<uint64_t*>(at);
}

GlobalShadow::Entry* GlobalShadow::new_entry(uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() == kMostEntries) return nullptr;
  Entry& entry = entries_.emplace_back();
  entry.address = address;
  return &entry;
}

// f(lane, word, address of the unit)
template <class F>
void GlobalShadow::each_unit(Warp& warp, uint32_t mask, const uint64_t* addresses, uint32_t bytes,
                             WatchedRange* range, const F& f) {
  uint64_t* words = range != nullptr ? words_of(*range) : nullptr;
  each_lane(mask, [&](uint32_t lane) {
    const uint64_t address = addresses[lane];
    if (range == nullptr || address < range->lo || address >= range->hi) {
      range = range_of(address);
      words = range != nullptr ? words_of(*range) : nullptr;
    }
    if (words == nullptr) return;
    const uint64_t base = range->lo >> shift_, last = (address + bytes - 1) >> shift_;
    for (uint64_t unit = address >> shift_; unit <= last; ++unit) {
      f(lane, words[unit - base], unit);
    }
  });
  warp.cta->order.touched = true;
}

// Mostly four neighbouring units come at once, and only this CTA has touched them, if anybody: of
// four lanes, or of one. Takes the lanes out of `mask` that are done; access_by(lane, first byte of
// its unit) is what to leave, is_quick(word) whether it may be left just so.
template <class Access, class Quick>
uint32_t GlobalShadow::note_runs(Lock& lock, uint32_t mask, const uint64_t* addresses,
                                 uint32_t bytes, WatchedRange* range, const Access& access_by,
                                 const Quick& is_quick) {
  uint64_t* const words = range != nullptr ? words_of(*range) : nullptr;
  const uint32_t unit = 1u << shift_, lanes = bytes == unit ? 4 : 1;
  if (words == nullptr || (bytes != unit && bytes != 4 * unit)) return mask;
  for (uint32_t first = 0; first < kLanes; first += lanes) {
    const uint64_t* const at = addresses + first;
    const uint32_t these = ((1u << lanes) - 1) << first;
    bool run = (mask & these) == these && at[0] >= range->lo && at[0] + 4 * unit <= range->hi;
    for (uint32_t k = 1; k < lanes; ++k) run = run && at[k] == at[0] + k * unit;
    const uint64_t number = at[0] >> shift_;
    if (!run || (at[0] & (unit - 1)) != 0 || (number & 63) > 60) continue;
    uint64_t* const word = words + (number - (range->lo >> shift_));
    lock.enter(number);
    uint64_t now[4];
    bool quick = true;
    for (uint32_t k = 0; k < 4; ++k) {
      now[k] = load(word[k]);
      quick = quick && is_quick(now[k]);
    }
    if (!quick) continue;
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t lane = first + (lanes == 4 ? k : 0);
      const uint64_t left = access_by(lane, lanes == 4 ? 0 : k * unit, now[k]);
      if (left != now[k]) store(word[k], left);
    }
    mask &= ~these;
  }
  return mask;
}

void GlobalShadow::note_read(Warp& warp, const MicroOp* op, uint32_t mask,
                             const uint64_t* addresses, uint32_t bytes, WatchedRange* range) {
  const uint64_t access = access_of(warp, op, kRead), cta = cta_of(access);
  const bool ordered = order_ != nullptr;
  const bool may_clash = atomics_ && !ordered && !goes_with_atomics(access);
  const auto has_it = [&](uint64_t now) {
    const uint64_t tag = tag_of(now);
    if (tag == kMany) return cta >> kBeyondStep > now >> kBeyondShift;
    if (tag == kNobody || cta_of(now) != cta) return false;
    const bool together = epoch_of(now) == epoch_of(access);
    if (tag == kWrote && may_clash && hash_of(now) >= kAtomic) return false;
    if (tag == kWrote) return ordered || !together || warp_of(now) == warp.id;
    return together && (ordered || warp_of(now) == warp.id || hash_of(now) != 0);
  };
  Lock lock(locks_);
  mask = note_runs(
      lock, mask, addresses, bytes, range,
      [&](uint32_t lane, uint32_t, uint64_t now) {
        return now == 0 ? access | uint64_t{lane} << kLaneShift : now;
      },
      [&](uint64_t now) { return now == 0 || has_it(now); });
  each_unit(warp, mask, addresses, bytes, range,
            [&](uint32_t lane, uint64_t& word, uint64_t number) {
              if (has_it(load(word))) return;
              lock.enter(number);
              note(warp, op, word, number << shift_, access | uint64_t{lane} << kLaneShift, false);
            });
}

void GlobalShadow::note_write(Warp& warp, const MicroOp* op, uint32_t mask,
                              const uint64_t* addresses, uint32_t bytes, const std::byte* values,
                              WatchedRange* range) {
  const uint32_t unit = 1u << shift_;
  if (bytes < unit) return;  // only to memory that no other CTA sees
  const uint64_t access = access_of(warp, op, kWrote);
  const uint64_t mine = kRead | cta_of(access) << kCtaShift;
  const uint64_t whose = 3 | (kMostCtas - 1) << kCtaShift;
  const auto is_alone = [&](uint64_t now) {  // no other warp has read since they last met
    return order_ != nullptr || epoch_of(now) != epoch_of(access) ||
           (warp_of(now) == warp.id && hash_of(now) == 0);
  };
  const auto by = [&](uint32_t lane, uint64_t offset) {
    const uint64_t hash = hash_of_value(values + size_t{lane} * 32 + offset, unit);
    return access | uint64_t{lane} << kLaneShift | hash << kHashShift;
  };
  Lock lock(locks_);
  mask = note_runs(
      lock, mask, addresses, bytes, range,
      [&](uint32_t lane, uint32_t offset, uint64_t) { return by(lane, offset); },
      [&](uint64_t now) { return now == 0 || ((now & whose) == mine && is_alone(now)); });
  each_unit(warp, mask, addresses, bytes, range,
            [&](uint32_t lane, uint64_t& word, uint64_t number) {
              const uint64_t wrote = by(lane, (number << shift_) - addresses[lane]);
              const uint64_t now = load(word);
              if ((now & whose) == (access & whose) &&
                  (hash_of(now) == hash_of(wrote) || hash_of(now) == kVaried) &&
                  epoch_of(now) == epoch_of(wrote)) {
                return;
              }
              lock.enter(number);
              note(warp, op, word, number << shift_, wrote, true);
            });
}

// In functions that the kernel calls nobody has looked for what belongs to them.
void GlobalShadow::note_atomic(Warp& warp, const MicroOp* op, uint32_t mask,
                               const uint64_t* addresses, uint32_t bytes, WatchedRange* range) {
  if (warp.frame->parent != nullptr) return;
  const uint64_t access = access_of(warp, op, kWrote) | kAtomic << kHashShift;
  Lock lock(locks_);
  each_unit(warp, mask, addresses, bytes, range,
            [&](uint32_t lane, uint64_t& word, uint64_t number) {
              lock.enter(number);
              note(warp, op, word, number << shift_, access | uint64_t{lane} << kLaneShift, true);
            });
}

bool GlobalShadow::goes_with_atomics(uint64_t access) const {
  return is_atomic(access) || (atomics_ && goes_with_atomics_[slot_of(access)]);
}

bool GlobalShadow::clash(uint64_t a, uint64_t b) const {
  return !(is_atomic(a) && goes_with_atomics(b)) && !(is_atomic(b) && goes_with_atomics(a));
}

// Under the unit's lock.
void GlobalShadow::note(Warp& warp, const MicroOp* op, uint64_t& word, uint64_t address,
                        uint64_t access, bool writes) {
  const uint64_t now = load(word), tag = tag_of(now);
  if (tag == kNobody) return store(word, access);
  if (tag != kMany && cta_of(now) == cta_of(access)) {
    if (order_ == nullptr) return note_again(warp, op, word, address, access, writes);
    if (writes || tag == kRead) store(word, access);
    return;
  }
  Entry* entry = nullptr;
  if (tag == kMany) {
    entry = reinterpret_cast<Entry*>(now & ((uint64_t{1} << kBeyondShift) - 1) & ~uint64_t{3});
  } else {
    // An atomic comes after all earlier ones at its place.
    const bool comes_after = is_atomic(access) && tag == kWrote && goes_with_atomics(now);
    if (order_ != nullptr && (comes_after || ((writes || tag == kRead) && is_known(warp, now)))) {
      return store(word, access);
    }
    entry = new_entry(address);
    if (entry == nullptr) return;
    if (tag == kRead) {
      entry->readers[0] = now;
    } else if (order_ != nullptr) {
      entry->writers[0] = now;
    } else {
      add_writer(*entry, now);
    }
  }
  judge(warp, *entry, access, writes);
  const bool beyond = entry->readers[1] != 0 && (order_ == nullptr || entry->writers[0] == 0);
  const uint64_t from = beyond ? cta_of(entry->readers[1]) >> kBeyondStep : kNobodyBeyond;
  store(word, kMany | reinterpret_cast<uint64_t>(entry) | from << kBeyondShift);
}

// A unit that only this CTA has touched, in a kernel without fences: its warps are ordered by what
// they all come to, and an epoch ends there.
void GlobalShadow::note_again(Warp& warp, const MicroOp* op, uint64_t& word, uint64_t address,
                              uint64_t access, bool writes) {
  const uint64_t now = load(word);
  const bool wrote = tag_of(now) == kWrote;
  const bool together = epoch_of(now) == epoch_of(access) && epoch_of(now) != CtaOrder::kLastEpoch;
  const bool is_other = warp_of(now) != warp.id;
  const auto tell = [&](Finding finding, Party other) {
    CheckReport r;
    r.finding = finding;
    r.op = op;
    r.code = warp.frame->code;
    r.cta = warp.cta->index;
    r.warp = warp.id;
    r.lane = lane_of(access);
    r.address = address;
    r.bytes = 1u << shift_;
    r.other = other;
    found(warp, r);
  };
  // An atomic, and a read that does not go with it: another CTA's atomic will race with the read.
  const uint64_t read = writes ? now : access, wrote_last = writes ? access : now;
  if (atomics_ && writes != wrote && hash_of(wrote_last) >= kAtomic && !goes_with_atomics(read)) {
    Entry* const entry = new_entry(address);
    if (entry == nullptr) return;
    add_writer(*entry, wrote_last);
    entry->readers[0] = read;
    return store(word, kMany | reinterpret_cast<uint64_t>(entry) | kNobodyBeyond << kBeyondShift);
  }
  const Party last = {static_cast<int>(warp_of(now)), static_cast<int>(lane_of(now)), slot_of(now)};
  if (!writes) {
    if (wrote && together && is_other) tell(Finding::kGlobalReadAfterWrite, last);
    if (wrote) return;
    const uint64_t second = together && is_other ? kSecond | warp_of(now) : 0;
    return store(word, access | second << kHashShift);
  }
  if (!wrote) {
    if (together && is_other) {
      tell(Finding::kGlobalWriteAfterRead, last);
    } else if (together && hash_of(now) != 0) {
      tell(Finding::kGlobalWriteAfterRead, {static_cast<int>(hash_of(now) & 31)});
    }
    return store(word, access);
  }
  if (is_atomic(now) && goes_with_atomics(access)) return;
  if (is_atomic(access) && !goes_with_atomics(now)) return store(word, now | kVaried << kHashShift);
  const bool differs = hash_of(now) != hash_of(access) && !is_atomic(access);
  if (differs && hash_of(now) != kVaried && together && is_other) {
    tell(Finding::kGlobalWriteAfterWrite, last);
  }
  store(word, differs ? access | kVaried << kHashShift : access);
}

bool GlobalShadow::is_known(const Warp& warp, uint64_t access) {
  return cta_of(access) == warp.cta->index ||
         order_->knows(warp.cta->order, cta_of(access), epoch_of(access));
}

// Judged in the end, from what is in the lists.
void GlobalShadow::add_writer(Entry& entry, uint64_t access) {
  const bool atomic = is_atomic(access);
  if (!atomic) {
    if (!entry.has_hash) entry.hash = static_cast<uint8_t>(hash_of(access));
    entry.has_hash = true;
    entry.varied |= hash_of(access) != entry.hash || hash_of(access) == kVaried;
  }
  uint64_t& lowest = atomic ? entry.second : entry.first;
  if ((atomic || !goes_with_atomics(access)) && (lowest == 0 || cta_of(access) < cta_of(lowest))) {
    lowest = access;
  }
  keep_lowest(entry.writers, access);
}

void GlobalShadow::judge(Warp& warp, Entry& entry, uint64_t access, bool writes) {
  if (order_ == nullptr) {
    if (writes) return add_writer(entry, access);
    for (uint64_t& other : entry.readers) {  // one that clashes with atomics, rather
      if (other == 0 || cta_of(other) != cta_of(access)) continue;
      if (goes_with_atomics(other)) other = access;
    }
    return keep_lowest(entry.readers, access);
  }
  const auto meets = [&](uint64_t other, Tag kind) {
    if (entry.found >= kind) return;
    entry.found = kind;
    entry.first = writes && kind == kRead ? other : access;
    entry.second = writes && kind == kRead ? access : other;
  };
  for (uint64_t& other : entry.writers) {
    if (other == 0) continue;
    if (is_known(warp, other)) {
      if (writes) other = 0;
    } else if (!clash(other, access)) {
      if (is_atomic(access)) other = 0;
    } else if (!writes) {
      meets(other, kRead);
    } else if (hash_of(other) == hash_of(access)) {
      entry.agreed = true;
    } else {
      meets(other, kWrote);
    }
  }
  for (uint64_t& other : entry.readers) {
    if (other == 0) continue;
    if (is_known(warp, other)) {
      other = 0;
    } else if (writes && clash(other, access)) {
      meets(other, kRead);
    }
  }
  auto& list = writes ? entry.writers : entry.readers;
  if (list[0] == 0) std::swap(list[0], list[1]);
  keep_lowest(list, access);
}

void GlobalShadow::fence(Warp& warp) {
  if (order_ != nullptr) warp.cta->order.fence();
}

void GlobalShadow::release(Warp& warp, uint32_t mask, const uint64_t* addresses, bool fences) {
  CtaOrder& order = warp.cta->order;
  if (fences) order.fence();
  each_lane(mask, [&](uint32_t i) { order_->release(warp.cta->index, order, addresses[i]); });
}

void GlobalShadow::acquire(Warp& warp, uint32_t mask, const uint64_t* addresses) {
  each_lane(mask, [&](uint32_t i) { order_->acquire(warp.cta->order, addresses[i]); });
}

std::vector<CheckReport> GlobalShadow::races() const {
  struct Place {
    const Code* code = nullptr;
    const MicroOp* op = nullptr;
  };
  std::map<uint32_t, Place> places;
  for (const auto& code : launch_.kernel->codes) {
    if (code == nullptr) continue;
    for (const MicroOp& op : code->ops) {
      if (op.slot != 0) places[op.slot] = {code.get(), &op};
    }
  }
  std::vector<CheckReport> reports;
  const auto tell = [&](const Entry& entry, Finding finding, uint64_t first, uint64_t second) {
    const Place at = places[slot_of(first)], other = places[slot_of(second)];
    if (at.op == nullptr) return;  // more memory instructions than a word can number
    CheckReport r;
    r.finding = finding;
    r.op = at.op;
    r.code = at.code;
    r.cta = cta_of(first);
    r.warp = first >> kWarpShift & 31;
    r.lane = first >> kLaneShift & 31;
    r.address = entry.address;
    r.bytes = 1u << shift_;
    r.other = {static_cast<int>(second >> kWarpShift & 31),
               static_cast<int>(second >> kLaneShift & 31), 0,
               static_cast<int64_t>(cta_of(second))};
    r.other_op = other.op;
    r.other_code = other.code;
    reports.push_back(r);
  };
  for (const Entry& entry : entries_) {
    if (order_ != nullptr) {
      if (entry.found == kWrote) {
        tell(entry, Finding::kGlobalWrites, entry.first, entry.second);
      } else if (entry.found == kRead && !entry.agreed) {
        tell(entry, Finding::kGlobalReadAndWrite, entry.first, entry.second);
      }
      continue;
    }
    const auto& [writer, second] = entry.writers;
    const bool agree = second != 0 && !entry.varied && (entry.first == 0 || entry.second == 0);
    if (second != 0 && !agree) {
      const uint64_t plain = entry.first != 0 ? entry.first : writer;
      tell(entry, Finding::kGlobalWrites, plain, cta_of(plain) == cta_of(writer) ? second : writer);
      continue;
    }
    // Those who agree on a value race with nobody, those who agree by atomics with readers.
    bool told = writer == 0 || (second != 0 && entry.second == 0);
    for (const uint64_t reader : entry.readers) {
      for (const uint64_t other : entry.writers) {
        if (told || reader == 0 || other == 0 || cta_of(reader) == cta_of(other)) continue;
        if (!clash(reader, other)) continue;
        tell(entry, Finding::kGlobalReadAndWrite, reader, other);
        told = true;
      }
    }
  }
  std::sort(reports.begin(), reports.end(),
            [](const CheckReport& a, const CheckReport& b) { return a.address < b.address; });
  return reports;
}

}  // namespace tcd::emu
