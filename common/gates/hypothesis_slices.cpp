// Guesses about the k loop: a slice of k missing, counted twice, or taken from a buffer that still
// held (or already held) another slice. That is how a lost wait or barrier shows.
#include <algorithm>

#include "gates/hypothesis.h"

namespace tcd {
namespace {

constexpr int kWidths[] = {8, 16, 32, 64};
constexpr int kFarthestStage = 6;  // how many slices away a stale buffer may be

// `weight` times the products of k in [begin, end) are added, with A taken `shift_a` and B
// `shift_b` further along k.
struct Change {
  int begin;
  int end;
  int weight;
  int shift_a;
  int shift_b;
};

// One way for the k loop to go wrong: the exact sum plus these changes.
struct SliceFault {
  std::vector<Change> changes;
  std::string what;
  std::string look;
};

// Outside [0, K) there is nothing to read: no prediction, so this candidate drops out.
std::optional<double> apply(const GemmCase& gemm, const SliceFault& fault, Place at) {
  double sum = gemm.expected.product->at(at.row, at.col);
  for (const Change& change : fault.changes) {
    for (int k = change.begin; k < change.end; ++k) {
      const int ka = k + change.shift_a;
      const int kb = k + change.shift_b;
      if (ka < 0 || ka >= gemm.k() || kb < 0 || kb >= gemm.k()) return std::nullopt;
      sum += change.weight * static_cast<double>(gemm.a->at(at.row, ka)) * gemm.b->at(kb, at.col);
    }
  }
  return sum;
}

std::string range(int begin, int end) {
  return "k = " + std::to_string(begin) + ".." + std::to_string(end - 1);
}

void add_stale(int begin, int end, int width, std::vector<SliceFault>& out) {
  for (int away = 1; away <= kFarthestStage; ++away) {
    for (const int step : {-away, away}) {
      const int shift = step * width;
      const std::string other = range(begin + shift, end + shift);
      const std::string look = step < 0 ? "the buffer was read before the copy arrived: the wait "
                                          "(cp.async.wait_group) or the barrier before compute_tile"
                                        : "the buffer was overwritten before it was read: the "
                                          "barrier after compute_tile, or one stage too few";
      const struct {
        int a, b;
        const char* who;
      } kinds[] = {{shift, shift, "A and B"}, {shift, 0, "A"}, {0, shift, "B"}};
      for (const auto& kind : kinds) {
        out.push_back({{{begin, end, -1, 0, 0}, {begin, end, 1, kind.a, kind.b}},
                       "for " + range(begin, end) + ", " + kind.who + " came from " + other +
                           " (a stale or early buffer)",
                       look});
      }
    }
  }
}

// Calls body(begin, end, width) for every slice of every width, small widths first.
template <class Body>
void for_each_slice(int k_total, const Body& body) {
  for (const int width : kWidths) {
    for (int begin = 0; width < k_total && begin < k_total; begin += width) {
      body(begin, std::min(begin + width, k_total), width);
    }
  }
}

void add_whole_slices(int k_total, std::vector<SliceFault>& out) {
  for_each_slice(k_total, [&](int begin, int end, int width) {
    const std::string slice = range(begin, end) + " (slice " + std::to_string(begin / width) +
                              " of width " + std::to_string(width) + ")";
    const std::string look =
        begin == 0       ? "the first trip of the k loop, or a first tile that is never waited for"
        : end == k_total ? "the k loop ends one trip early, or the last stage is not drained"
                         : "the k loop's step and the number of mma steps in a slice";
    out.push_back({{{begin, end, -1, 0, 0}}, "one k-slice is missing: " + slice, look});
    out.push_back({{{begin, end, 1, 0, 0}},
                   "one k-slice is counted twice: " + slice,
                   "the k loop's bounds, and a prologue whose tile the loop loads again"});
  });
}

void add_cut_off(int k_total, std::vector<SliceFault>& out) {
  constexpr int kGrain = 8;
  for (int at = kGrain; at < k_total; at += kGrain) {
    out.push_back({{{at, k_total, -1, 0, 0}},
                   "only k below " + std::to_string(at) + " was summed",
                   "the k loop's end: it must cover all " + std::to_string(k_total)});
    out.push_back({{{0, at, -1, 0, 0}},
                   "only k from " + std::to_string(at) + " on was summed",
                   "accumulators that are zeroed again inside the loop, or a loop that starts "
                   "late"});
  }
}

// The same step left out of every slice: one of the mma steps is missing from the inner loop.
void add_missing_steps(int k_total, std::vector<SliceFault>& out) {
  for (const int width : kWidths) {
    for (const int step : {8, 16, 32}) {
      for (int offset = 0; offset < width && step < width && width < k_total; offset += step) {
        SliceFault fault;
        for (int begin = offset; begin < k_total; begin += width) {
          fault.changes.push_back({begin, std::min(begin + step, k_total), -1, 0, 0});
        }
        fault.what = "from every " + std::to_string(width) + " of k, " +
                     range(offset, offset + step) + " are missing";
        fault.look = "the inner loop over a slice: its end, its step, and the k offset of the load";
        out.push_back(std::move(fault));
      }
    }
  }
}

// In the order in which they are preferred when several fit.
std::vector<SliceFault> all_faults(int k_total) {
  std::vector<SliceFault> out;
  add_whole_slices(k_total, out);
  add_cut_off(k_total, out);
  add_missing_steps(k_total, out);
  for_each_slice(k_total,
                 [&](int begin, int end, int width) { add_stale(begin, end, width, out); });
  return out;
}

}  // namespace

std::vector<Hypothesis> slice_hypotheses(const GemmCase& gemm, const OutputView& got,
                                         const FailureScan& scan) {
  if (scan.numbers.size() < static_cast<std::size_t>(kMinimumMatches)) return {};
  std::vector<SliceFault> faults = all_faults(gemm.k());
  for (const Place at :
       scan.numbers) {  // each wrong element leaves only the faults that explain it
    const std::uint32_t have = got.bits(at.row, at.col);
    std::erase_if(faults, [&](const SliceFault& fault) {
      const std::optional<double> sum = apply(gemm, fault, at);
      return !sum || gemm.expected.bits_for(*sum, at.col) != have;
    });
    if (faults.empty()) break;
  }
  std::vector<Hypothesis> out;
  for (SliceFault& fault : faults) {
    out.push_back(
        {fault.what, fault.look, [&gemm, fault](Place at) { return apply(gemm, fault, at); }});
  }
  return out;
}

std::string scattered_slices(const GemmCase& gemm, const OutputView& got, const FailureScan& scan) {
  // Each element must miss exactly one slice; by chance few would, so all of many must.
  constexpr std::size_t kEnough = 16;
  if (scan.numbers.size() < kEnough) return {};
  for (const int width : kWidths) {
    if (width >= gemm.k()) continue;
    const bool all = std::all_of(scan.numbers.begin(), scan.numbers.end(), [&](Place at) {
      const std::uint32_t have = got.bits(at.row, at.col);
      const double exact = gemm.expected.product->at(at.row, at.col);
      for (int begin = 0; begin < gemm.k(); begin += width) {
        double part = 0;
        for (int k = begin; k < std::min(begin + width, gemm.k()); ++k) {
          part += static_cast<double>(gemm.a->at(at.row, k)) * gemm.b->at(k, at.col);
        }
        if (gemm.expected.bits_for(exact - part, at.col) == have) return true;
      }
      return false;
    });
    if (!all) continue;
    return "every wrong element misses one k-slice of width " + std::to_string(width) +
           ", but not all the same one: a race";
  }
  return {};
}

}  // namespace tcd
