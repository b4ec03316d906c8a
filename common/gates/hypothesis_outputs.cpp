// Guesses about where D was stored: transposed, exchanged registers, another tile, another leading
// dimension.
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "gates/hypothesis.h"

namespace tcd {
namespace {

using At = std::pair<int, int>;

// got(row, col) holds the sum that belongs to map(row, col).
template <class Map>
std::function<std::optional<double>(Place)> moved(const GemmCase& gemm, const Map& map) {
  const Product& product = *gemm.expected.product;
  return [&product, map](Place at) -> std::optional<double> {
    const auto [row, col] = map(at.row, at.col);
    if (row < 0 || row >= product.rows || col < 0 || col >= product.cols) return std::nullopt;
    return product.at(row, col);
  };
}

// The element that a store believing in layout `written` put at this place of the buffer; NaN where
// it put none. Unknown where two elements went to the same place.
std::function<std::optional<double>(Place)> stored_as(const GemmCase& gemm,
                                                      const MatrixLayout& actual,
                                                      const MatrixLayout& written) {
  const Product& product = *gemm.expected.product;
  return [&product, actual, written](Place at) -> std::optional<double> {
    const std::int64_t index = actual.index(at.row, at.col);
    std::optional<double> found;
    for (std::int64_t line = 0; line < written.lines(); ++line) {
      const std::int64_t inside = index - line * written.ld;
      if (inside < 0) break;
      if (inside >= written.line_length()) continue;
      if (found) return std::nullopt;
      const bool by_row = written.order == Order::kRowMajor;
      found = product.at(static_cast<int>(by_row ? line : inside),
                         static_cast<int>(by_row ? inside : line));
    }
    return found ? *found : std::numeric_limits<double>::quiet_NaN();
  };
}

void add_neighbours(const GemmCase& gemm, std::vector<Hypothesis>& out) {
  std::set<At> steps = {{16, 8}, {8, 8}, {16, 16}, {32, 32}};
  std::string tile = "";
  if (gemm.tiling) {
    steps.insert({gemm.tiling->cta_m, gemm.tiling->cta_n});
    steps.insert(
        {gemm.tiling->cta_m / gemm.tiling->warps_m, gemm.tiling->cta_n / gemm.tiling->warps_n});
  }
  std::set<At> seen;
  for (const auto& [rows, cols] : steps) {
    for (const int down : {-1, 0, 1}) {
      for (const int across : {-1, 0, 1}) {
        const At by{down * rows, across * cols};
        if ((down == 0 && across == 0) || !seen.insert(by).second) continue;
        out.push_back({"each element holds the result of the one " + std::to_string(by.first) +
                           " rows and " + std::to_string(by.second) +
                           " columns further: a neighbouring tile's output",
                       "the tile's origin: CTA, warp and mma offsets in the load and in the store "
                       "must be the same",
                       moved(gemm, [by](int r, int c) {
                         return At{r + by.first, c + by.second};
                       })});
      }
    }
  }
}

}  // namespace

std::vector<Hypothesis> output_hypotheses(const GemmCase& gemm, const OutputView& got) {
  std::vector<Hypothesis> out;
  const std::pair<std::int64_t, const char*> dimensions[] = {
      {got.layout.ld, "its own"}, {gemm.n(), "N"},           {gemm.m(), "M"}, {gemm.k(), "K"},
      {gemm.a->layout.ld, "A's"}, {gemm.b->layout.ld, "B's"}};
  std::set<std::int64_t> known;
  for (const auto& [ld, name] : dimensions) {
    if (!known.insert(ld).second) continue;
    MatrixLayout written = got.layout;
    written.ld = ld;
    const std::string text = "leading dimension " + std::to_string(ld) + " (" + name + ")";
    if (ld != got.layout.ld) {
      out.push_back({"D is stored with " + text + " instead of " + std::to_string(got.layout.ld) +
                         (ld == gemm.m() ? ": M and N are confused" : ""),
                     "the store's row address: row * ld, with D's own ld",
                     stored_as(gemm, got.layout, written)});
    }
    written.order = got.layout.order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor;
    out.push_back({"D is stored transposed, with " + text + ": M and N are confused",
                   "the store's index: row * ld + column, where row counts M and column counts N",
                   stored_as(gemm, got.layout, written)});
  }
  const std::string fragment_c = "the store of c0..c3 against c_m16n8 in ptx/fragments.h";
  out.push_back({"accumulators c1 and c2 are exchanged", fragment_c, moved(gemm, [](int r, int c) {
                   if (r % 16 < 8 && c % 2 == 1) return At{r + 8, c - 1};
                   if (r % 16 >= 8 && c % 2 == 0) return At{r - 8, c + 1};
                   return At{r, c};
                 })});
  out.push_back({"rows 0-7 and 8-15 of every 16 rows of D are exchanged (c0,c1 with c2,c3)",
                 fragment_c, moved(gemm, [](int r, int c) {
                   return At{r ^ 8, c};
                 })});
  out.push_back({"rows 8-15 of every 16 rows of D repeat rows 0-7", "the + 8 of c2 and c3",
                 moved(gemm, [](int r, int c) {
                   return At{r & ~8, c};
                 })});
  out.push_back({"neighbouring columns of D are exchanged (c0 with c1, c2 with c3)", fragment_c,
                 moved(gemm, [](int r, int c) {
                   return At{r, c ^ 1};
                 })});
  out.push_back({"columns 0-7 and 8-15 of every 16 columns of D are exchanged",
                 "which of the two B fragments of an ldmatrix.x4 feeds which accumulator",
                 moved(gemm, [](int r, int c) {
                   return At{r, c ^ 8};
                 })});
  out.push_back({"every 8 x 8 tile of D is transposed", fragment_c, moved(gemm, [](int r, int c) {
                   return At{(r & ~7) | (c & 7), (c & ~7) | (r & 7)};
                 })});
  if (gemm.tiling) {
    const int cta_m = gemm.tiling->cta_m;
    const int cta_n = gemm.tiling->cta_n;
    out.push_back(
        {"CTA tiles are exchanged: blockIdx.x and blockIdx.y are confused (M and N)",
         "which of blockIdx.x and .y counts row tiles, and the order in the launch's grid",
         moved(gemm, [cta_m, cta_n](int r, int c) {
           return At{c / cta_n * cta_m + r % cta_m, r / cta_m * cta_n + c % cta_n};
         })});
  }
  add_neighbours(gemm, out);
  return out;
}

}  // namespace tcd
