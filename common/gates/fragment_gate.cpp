#include "gates/fragment_gate.h"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gates/numbers.h"
#include "ptx/fragment_owners.h"

namespace tcd {
namespace {

using fragment::Coord;

constexpr int kProducts = fragment::kTileM * fragment::kTileN;

void check_size(const char* what, std::size_t got, std::size_t wanted) {
  if (got == wanted) return;
  throw std::invalid_argument(std::string(what) + ": " + std::to_string(got) +
                              " values were dumped, the gate needs " + std::to_string(wanted));
}

void check_k(int k) {
  if (k == 8 || k == 16) return;
  throw std::invalid_argument("no fragment table for k = " + std::to_string(k) +
                              ": there are m16n8k8 and m16n8k16");
}

std::string cell(char matrix, Coord at) {
  return std::string(1, matrix) + "[" + std::to_string(at.row) + "][" + std::to_string(at.col) +
         "]";
}

// The cell of the probe tiles that has this value, in words.
std::string name_of_value(int k, float value) {
  if (std::isnan(value)) return "NaN: the element was never written";
  const int cells_a = fragment::kTileM * k;
  const int first_b = probe_value_b(k, 0, 0);
  const float whole = std::floor(value);
  if (whole == value && value >= 0 && value < static_cast<float>(cells_a)) {
    const int number = static_cast<int>(value);
    const std::string zero = number == 0 ? " (or a register nobody loaded)" : "";
    return cell('A', {number / k, number % k}) + zero;
  }
  if (whole == value && value >= static_cast<float>(first_b) &&
      value < static_cast<float>(first_b + k * fragment::kTileN)) {
    const int number = static_cast<int>(value) - first_b;
    return cell('B', {number / fragment::kTileN, number % fragment::kTileN});
  }
  return "no cell of either tile";
}

}  // namespace

GateResult ownership_gate(int k, std::span<const float> a, std::span<const float> b) {
  check_k(k);
  const int per_lane_a = fragment::a_elements(k);
  const int per_lane_b = fragment::b_elements(k);
  check_size("A fragments", a.size(), static_cast<std::size_t>(32 * per_lane_a));
  check_size("B fragments", b.size(), static_cast<std::size_t>(32 * per_lane_b));
  const std::string name = k == 8 ? "fragment ownership" : "fragment ownership, m16n8k16";
  int wrong = 0;
  std::vector<std::string> lines;
  const auto scan = [&](char matrix, int per_lane, std::span<const float> got) {
    int wrong_here = 0;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < per_lane; ++i) {
        const Coord at =
            matrix == 'A' ? fragment::a_coord(k, lane, i) : fragment::b_coord(k, lane, i);
        const int value =
            matrix == 'A' ? probe_value_a(k, at.row, at.col) : probe_value_b(k, at.row, at.col);
        const float received = got[static_cast<std::size_t>(lane * per_lane + i)];
        if (std::bit_cast<std::uint32_t>(received) ==
            std::bit_cast<std::uint32_t>(static_cast<float>(value))) {
          continue;
        }
        if (wrong_here++ > 0) continue;
        const std::string element = std::string(1, matrix == 'A' ? 'a' : 'b') + std::to_string(i);
        lines.push_back("first in " + std::string(1, matrix) + ": lane " + std::to_string(lane) +
                        ", " + element + " (register " + std::to_string(i / 2) + ", " +
                        (i % 2 == 0 ? "low" : "high") + " half): expected " + cell(matrix, at) +
                        " = " + std::to_string(value) + ", got " + decimal(received) + " = " +
                        name_of_value(k, received));
      }
    }
    wrong += wrong_here;
  };
  scan('A', per_lane_a, a);
  scan('B', per_lane_b, b);
  const int checked = 32 * (per_lane_a + per_lane_b);
  if (wrong == 0) {
    return GateResult::pass(name, checked,
                            "all " + std::to_string(checked) + " elements match the PTX tables");
  }
  lines.insert(lines.begin(), std::to_string(wrong) + " of " + std::to_string(checked) +
                                  " elements do not match the PTX tables (m16n8k" +
                                  std::to_string(k) + ")");
  const auto swapped =
      [&](auto exchange) {  // does this permutation of a lane's A explain all of A?
        bool any = false;
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < per_lane_a; ++i) {
            const Coord at = fragment::a_coord(k, lane, exchange(i));
            if (a[static_cast<std::size_t>(lane * per_lane_a + i)] !=
                static_cast<float>(probe_value_a(k, at.row, at.col))) {
              return false;
            }
            any |= exchange(i) != i;
          }
        }
        return any;
      };
  if (swapped([](int i) { return i == 1 ? 2 : i == 2 ? 1 : i; })) {
    lines.emplace_back(
        "pattern: elements a1 and a2 are exchanged. a0 and a1 share the first "
        "register (same row, neighbouring k); a2 is eight rows further down");
  } else if (k == 16 && swapped([](int i) {
               return i / 2 == 1 ? i + 2 : i / 2 == 2 ? i - 2 : i;
             })) {
    lines.emplace_back(
        "pattern: registers 1 and 2 of A (a2,a3 and a4,a5) are exchanged. Register "
        "1 is the lower half (rows 8-15, k 0-7), register 2 the right half (k 8-15)");
  } else if (k == 8 && swapped([](int i) { return i ^ 2; })) {
    lines.emplace_back("pattern: registers 0 and 1 of A are exchanged: rows 0-7 and 8-15");
  }
  return GateResult::fail(name, checked, std::move(lines));
}

GateResult accumulator_gate(int k, std::span<const float> d) {
  check_k(k);
  constexpr int kPerProduct = 32 * fragment::kAccumulators;
  check_size("accumulators", d.size(), static_cast<std::size_t>(kProducts * kPerProduct));
  const std::string name = k == 8 ? "accumulator ownership" : "accumulator ownership, m16n8k16";
  int wrong = 0;
  std::vector<std::string> lines;
  for (int product = 0; product < kProducts; ++product) {
    const Coord hot{product / fragment::kTileN, product % fragment::kTileN};
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < fragment::kAccumulators; ++i) {
        const float expected = fragment::c_m16n8(lane, i) == hot ? 1.0f : 0.0f;
        const float got =
            d[static_cast<std::size_t>(product * kPerProduct + lane * fragment::kAccumulators + i)];
        if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(expected)) continue;
        if (wrong++ > 0) continue;
        const fragment::Owner owner = fragment::owner_of_c_m16n8(hot.row, hot.col);
        lines.push_back("first: the product that sets only " + cell('D', hot) +
                        " (k = " + std::to_string(one_hot_k(k, product)) + ") left " +
                        decimal(got) + " in lane " + std::to_string(lane) + ", c" +
                        std::to_string(i) + ", expected " + decimal(expected));
        lines.push_back("the PTX table puts " + cell('D', hot) + " in lane " +
                        std::to_string(owner.lane) + ", c" + std::to_string(owner.element) +
                        (std::isnan(got) ? "; NaN: the register was never dumped" : ""));
      }
    }
  }
  const int checked = kProducts * kPerProduct;
  if (wrong == 0) {
    return GateResult::pass(name, checked,
                            "all 128 elements of D match the PTX table (" +
                                with_separators(checked) + " one-hot values, bit for bit)");
  }
  lines.insert(lines.begin(), with_separators(wrong) + " of " + with_separators(checked) +
                                  " one-hot values are not where the PTX table puts them");
  return GateResult::fail(name, checked, std::move(lines));
}

}  // namespace tcd
