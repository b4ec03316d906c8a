#include "harness/dram_model.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace tcd::harness {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Least-recently-used set of slices with a budget in bytes: a list threaded through arrays that are
// indexed by slice, so that a touch is a few array accesses.
class LruCache {
 public:
  LruCache(uint32_t slices, uint64_t capacity) : links_(slices), capacity_(capacity) {}

  // True if the slice was there. It is the most recent one afterwards.
  bool touch(uint32_t slice, uint32_t bytes) {
    if (slice == newest_) return true;
    const bool hit = links_[slice].bytes != 0;
    if (hit) {
      unlink(slice);
    } else {
      links_[slice].bytes = bytes;
      used_ += bytes;
    }
    push(slice);
    while (used_ > capacity_ && oldest_ != slice) drop_oldest();
    return hit;
  }

 private:
  struct Link {
    uint32_t newer = kNone, older = kNone;
    uint32_t bytes = 0;  // 0: not in the cache
  };

  void unlink(uint32_t slice) {
    const Link& l = links_[slice];
    (l.newer != kNone ? links_[l.newer].older : newest_) = l.older;
    (l.older != kNone ? links_[l.older].newer : oldest_) = l.newer;
  }
  void push(uint32_t slice) {
    links_[slice].newer = kNone;
    links_[slice].older = newest_;
    (newest_ != kNone ? links_[newest_].newer : oldest_) = slice;
    newest_ = slice;
  }
  void drop_oldest() {
    const uint32_t slice = oldest_;
    unlink(slice);
    used_ -= links_[slice].bytes;
    links_[slice].bytes = 0;
  }

  std::vector<Link> links_;
  uint64_t capacity_, used_ = 0;
  uint32_t newest_ = kNone, oldest_ = kNone;
};

void require(bool fine, const char* field, uint64_t value, const char* rule) {
  if (fine) return;
  throw std::invalid_argument(std::string("DRAM model: ") + field + " is " + std::to_string(value) +
                              ", " + rule);
}

void check(const DramModelInput& in) {
  require(in.rows > 0, "rows", in.rows, "must be positive");
  require(in.columns > 0, "columns", in.columns, "must be positive");
  require(in.k_slices > 0, "k_slices", in.k_slices, "must be positive");
  require(in.a_slice_bytes > 0, "a_slice_bytes", in.a_slice_bytes, "must be positive");
  require(in.b_slice_bytes > 0, "b_slice_bytes", in.b_slice_bytes, "must be positive");
  require(in.resident > 0, "resident", in.resident, "must be positive: CTAs on the device at once");
  require(in.l2_bytes > 0, "l2_bytes", in.l2_bytes, "must be positive");
  const uint64_t slices = (uint64_t{in.rows} + in.columns) * in.k_slices;
  require(slices < kNone, "(rows + columns) * k_slices", slices, "more than this model can number");
  if (!in.order) throw std::invalid_argument("DRAM model: no order of CTAs given");
}

}  // namespace

DramTraffic model_dram_traffic(const DramModelInput& in) {
  check(in);
  const uint32_t first_b = in.rows * in.k_slices;
  LruCache l2(first_b + in.columns * in.k_slices, in.l2_bytes);
  DramTraffic traffic;
  traffic.compulsory_bytes = uint64_t{in.rows} * in.k_slices * in.a_slice_bytes +
                             uint64_t{in.columns} * in.k_slices * in.b_slice_bytes;
  const uint64_t ctas = uint64_t{in.rows} * in.columns;
  std::vector<TilePosition> wave;
  for (uint64_t start = 0; start < ctas; start += in.resident) {
    wave.clear();
    for (uint64_t i = start; i < std::min(ctas, start + in.resident); ++i) {
      const TilePosition tile = in.order(i);
      require(tile.row < in.rows && tile.column < in.columns, "order(index), index", i,
              "and its tile lies outside the grid");
      wave.push_back(tile);
    }
    for (uint32_t k = 0; k < in.k_slices; ++k) {
      for (const TilePosition& tile : wave) {
        if (!l2.touch(tile.row * in.k_slices + k, in.a_slice_bytes)) {
          traffic.read_bytes += in.a_slice_bytes;
        }
        if (!l2.touch(first_b + tile.column * in.k_slices + k, in.b_slice_bytes)) {
          traffic.read_bytes += in.b_slice_bytes;
        }
      }
    }
  }
  return traffic;
}

TilePosition grouped_tile(uint64_t index, uint32_t rows, uint32_t columns, uint32_t group) {
  const uint64_t per_group = uint64_t{group} * columns;
  const auto first_row = static_cast<uint32_t>(index / per_group * group);
  const uint32_t rows_here = std::min(group, rows - first_row);
  const uint64_t within = index % per_group;
  return {first_row + static_cast<uint32_t>(within % rows_here),
          static_cast<uint32_t>(within / rows_here)};
}

}  // namespace tcd::harness
