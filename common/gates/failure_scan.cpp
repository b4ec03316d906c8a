#include "gates/failure_scan.h"

namespace tcd {
namespace {

// Keeps an even spread of an unknown number of places: when full, drops every second one and from
// then on takes half as many.
class SpreadSample {
 public:
  void offer(Place place) {
    if (seen_++ % stride_ != 0) return;
    places_.push_back(place);
    if (places_.size() < 2 * kSample) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places_.size(); i += 2) places_[kept++] = places_[i];
    places_.resize(kept);
    stride_ *= 2;
  }
  std::vector<Place> take() {
    if (places_.size() > kSample) {
      std::vector<Place> fewer;
      for (int i = 0; i < kSample; ++i) {
        fewer.push_back(places_[static_cast<std::size_t>(i) * places_.size() / kSample]);
      }
      return fewer;
    }
    return std::move(places_);
  }

 private:
  std::vector<Place> places_;
  std::int64_t seen_ = 0;
  std::int64_t stride_ = 1;
};

}  // namespace

FailureScan scan_failure(const GemmCase& gemm, const OutputView& got) {
  FailureScan scan;
  scan.wrong_in_row.resize(static_cast<std::size_t>(got.layout.rows));
  scan.wrong_in_col.resize(static_cast<std::size_t>(got.layout.cols));
  SpreadSample numbers, nans, right;
  for (int row = 0; row < got.layout.rows; ++row) {
    for (int col = 0; col < got.layout.cols; ++col) {
      const std::uint32_t have = got.bits(row, col);
      if (bits_agree(got.type, gemm.expected.bits(row, col), have, gemm.zero)) {
        right.offer({row, col});
        continue;
      }
      ++scan.wrong;
      ++scan.wrong_in_row[static_cast<std::size_t>(row)];
      ++scan.wrong_in_col[static_cast<std::size_t>(col)];
      ++scan.wrong_in_tile[static_cast<std::size_t>(row % 16)][static_cast<std::size_t>(col % 8)];
      if (!bits_are_nan(got.type, have)) {
        numbers.offer({row, col});
        continue;
      }
      nans.offer({row, col});
      ++(have == fill_bits(got.type) ? scan.never_written : scan.computed_nan);
    }
  }
  scan.numbers = numbers.take();
  scan.nans = nans.take();
  scan.right = right.take();
  return scan;
}

}  // namespace tcd
