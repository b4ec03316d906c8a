#include "counters/async_copy.h"

#include <algorithm>
#include <bit>

#include "counters/conflict_degree.h"

namespace tcd::emu {
namespace {

// All halves that travel from one source sector to one destination sector.
struct SectorMove {
  uint64_t from = 0;
  uint32_t to = 0;
  uint32_t halves = 0;  // bit 2 * (source half) + (destination half)
};

// Sectors one setting of the network serves, and how often each source sector is among them.
struct Setting {
  uint64_t from_line = 0;
  uint32_t to_line = 0;
  uint32_t halves = 0;
  uint32_t parity = 0;
  uint32_t uses[4] = {};  // by source sector in its line
};

// A source half that goes to both halves of a destination travels twice.
constexpr bool is_doubled(uint32_t halves) { return (halves & 3) == 3 || (halves & 12) == 12; }

class Settings {
 public:
  void add(const SectorMove& move, uint32_t halves) {
    const uint32_t parity = static_cast<uint32_t>(move.from ^ move.to) & 1;
    for (int i = 0; i < count_; ++i) {
      Setting& s = settings_[i];
      if (s.from_line == move.from / 4 && s.to_line == move.to / 4 && s.halves == halves &&
          s.parity == parity) {
        ++s.uses[move.from % 4];
        return;
      }
    }
    settings_[count_++] = {move.from / 4, move.to / 4, halves, parity, {}};
    ++settings_[count_ - 1].uses[move.from % 4];
  }
  uint32_t wavefronts() const {
    uint32_t sum = 0;
    for (int i = 0; i < count_; ++i) {
      sum += *std::max_element(settings_[i].uses, settings_[i].uses + 4);
    }
    return sum;
  }

 private:
  Setting settings_[32];
  int count_ = 0;
};

}  // namespace

Wavefronts bypass_copy_wavefronts(uint32_t mask, const uint32_t* shared, const uint64_t* global) {
  SectorMove moves[32];
  int count = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const uint64_t from = global[i] / 32;
    const uint32_t to = shared[i] / 32;
    const uint32_t half = 1u << (2 * (global[i] / 16 % 2) + shared[i] / 16 % 2);
    SectorMove* const end = moves + count;
    SectorMove* const found =
        std::find_if(moves, end, [&](const SectorMove& m) { return m.from == from && m.to == to; });
    if (found == end) moves[count++] = {from, to, 0};
    found->halves |= half;
  }
  Settings settings;
  for (int i = 0; i < count; ++i) {
    const uint32_t halves = moves[i].halves;
    if (!is_doubled(halves)) {
      settings.add(moves[i], halves);
    } else {
      for (uint32_t bit = 1; bit < 16; bit <<= 1) {
        if ((halves & bit) != 0) settings.add(moves[i], bit);
      }
    }
  }
  const auto lanes = static_cast<uint32_t>(std::popcount(mask));
  return {settings.wavefronts(), (lanes + 7) / 8};
}

Wavefronts cached_copy_wavefronts(uint32_t mask, const uint32_t* shared, const uint64_t* global,
                                  uint32_t bytes) {
  const uint32_t lanes = kBankLineBytes / bytes;
  Wavefronts sum;
  for (uint32_t first = 0; first < 32; first += lanes) {
    const uint32_t group = mask & lane_range(first, lanes);
    if (group == 0) continue;
    sum.needed += conflict_degree(global, group, bytes) + conflict_degree(shared, group, bytes) - 1;
    ++sum.ideal;
  }
  return sum;
}

}  // namespace tcd::emu
