#include "checks/global_writes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checks/copied_values.h"
#include "machine/cta.h"
#include "machine/each_lane.h"

namespace tcd::emu {
namespace {

constexpr uint8_t kFull = 0x0f;

// Bits of the bytes [from, to) among four.
uint8_t bits_of(uint64_t from, uint64_t to) {
  return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
}

// CTAs run on several host threads, and two may write bytes of one word.
uint8_t load(const uint8_t* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
void fill(uint8_t* at) { __atomic_store_n(at, kFull, __ATOMIC_RELAXED); }

template <class F>
void each_word(uint64_t offset, uint64_t bytes, F&& f) {
  const uint64_t end = offset + bytes;
  for (uint64_t at = offset; at < end;) {
    const uint64_t word = at / WrittenBits::kBytesEach;
    const uint64_t next = std::min((word + 1) * WrittenBits::kBytesEach, end);
    f(word, bits_of(at % WrittenBits::kBytesEach, next - word * WrittenBits::kBytesEach));
    at = next;
  }
}

}  // namespace

void WrittenBits::mark(uint64_t offset, uint32_t bytes) {
  each_word(offset, bytes, [&](uint64_t word, uint8_t bits) {
    if (bits == kFull) {
      fill(at_ + word);
    } else if ((load(at_ + word) & bits) != bits) {
      __atomic_fetch_or(at_ + word, bits, __ATOMIC_RELAXED);
    }
  });
}

bool WrittenBits::any(uint64_t offset, uint32_t bytes) const {
  bool result = false;
  each_word(offset, bytes,
            [&](uint64_t word, uint8_t bits) { result |= (load(at_ + word) & bits) != 0; });
  return result;
}

void WrittenBits::mark_range(uint64_t offset, uint64_t bytes) {
  const uint64_t first = (offset + kBytesEach - 1) / kBytesEach;  // words that are filled
  const uint64_t end = (offset + bytes) / kBytesEach;
  if (first >= end) return mark(offset, static_cast<uint32_t>(bytes));
  mark(offset, static_cast<uint32_t>(first * kBytesEach - offset));
  std::memset(at_ + first, kFull, end - first);
  mark(end * kBytesEach, static_cast<uint32_t>(offset + bytes - end * kBytesEach));
}

bool WrittenBits::all(uint64_t bytes) const {
  const uint64_t whole = bytes / kBytesEach, rest = bytes % kBytesEach;
  // Every one is like the one before it, and the first is full.
  if (whole != 0 && (at_[0] != kFull || std::memcmp(at_, at_ + 1, whole - 1) != 0)) return false;
  return rest == 0 || (at_[whole] & bits_of(0, rest)) == bits_of(0, rest);
}

void note_global(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                 uint32_t bytes, AccessKind kind, uint64_t lo, uint8_t* written) {
  WrittenBits bits(written);
  uint32_t unwritten = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t offset = addresses[lane] - lo;
    if (kind != AccessKind::kStore && !bits.any(offset, bytes)) unwritten |= 1u << lane;
    if (kind == AccessKind::kStore || kind == AccessKind::kAtomic) bits.mark(offset, bytes);
  }
  if (unwritten == 0) return;
  if (bytes == 1 && is_only_copied(*warp.frame->code->function, op->source)) {
    each_lane(unwritten, [&](uint32_t i) {  // padding, byte by byte
      const uint32_t block = padding_block(bytes);
      if (bits.any((addresses[i] - lo) & ~uint64_t{block - 1}, block)) unwritten &= ~(1u << i);
    });
    if (unwritten == 0) return;
  }
  const auto lane = static_cast<uint32_t>(std::countr_zero(unwritten));
  CheckReport r;
  r.finding = Finding::kUninitialisedGlobal;
  r.op = op;
  r.code = warp.frame->code;
  r.cta = warp.cta->index;
  r.warp = warp.id;
  r.lane = lane;
  r.address = addresses[lane];
  r.bytes = bytes;
  found(warp, r);
}

}  // namespace tcd::emu
