// Guesses about how A and B were read: another order, another leading dimension, a fragment with
// exchanged registers.
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "gates/hypothesis.h"

namespace tcd {
namespace {

using ReadA = std::function<std::optional<float>(int row, int k)>;
using ReadB = std::function<std::optional<float>(int k, int col)>;

// What stands at an index of the buffer; the padding is NaN, beyond the buffer nothing is known.
std::optional<float> raw(const HalfMatrix& matrix, std::int64_t index) {
  if (index < 0 || index >= static_cast<std::int64_t>(matrix.bits.size())) return std::nullopt;
  return half_to_float(matrix.bits[static_cast<std::size_t>(index)]);
}

std::optional<float> cell(const HalfMatrix& matrix, int row, int col) {
  if (row < 0 || row >= matrix.layout.rows || col < 0 || col >= matrix.layout.cols) {
    return std::nullopt;
  }
  return matrix.at(row, col);
}

std::function<std::optional<double>(Place)> with_a(const GemmCase& gemm, ReadA read) {
  return [&gemm, read = std::move(read)](Place at) -> std::optional<double> {
    double sum = 0;
    for (int k = 0; k < gemm.k(); ++k) {
      const std::optional<float> a = read(at.row, k);
      if (!a) return std::nullopt;
      sum += static_cast<double>(*a) * gemm.b->at(k, at.col);
    }
    return sum;
  };
}

std::function<std::optional<double>(Place)> with_b(const GemmCase& gemm, ReadB read) {
  return [&gemm, read = std::move(read)](Place at) -> std::optional<double> {
    double sum = 0;
    for (int k = 0; k < gemm.k(); ++k) {
      const std::optional<float> b = read(k, at.col);
      if (!b) return std::nullopt;
      sum += static_cast<double>(gemm.a->at(at.row, k)) * *b;
    }
    return sum;
  };
}

// A swizzle that the copy to shared memory uses and ldmatrix does not, or the other way round: in a
// row (of A; in a column of B) the 8-half chunks arrive exchanged. XOR undoes itself, so which side
// forgot it does not show.
struct Swizzle {
  const char* text;
  int (*chunk_of)(int line);
};
constexpr Swizzle kSwizzles[] = {
    {"(row >> 1) & 3", [](int line) { return line >> 1 & 3; }},
    {"row & 3", [](int line) { return line & 3; }},
    {"row & 7", [](int line) { return line & 7; }},
    {"(row >> 2) & 1", [](int line) { return line >> 2 & 1; }},
};

void add_swizzles(const GemmCase& gemm, std::vector<Hypothesis>& out) {
  const HalfMatrix& a = *gemm.a;
  const HalfMatrix& b = *gemm.b;
  for (const Swizzle& swizzle : kSwizzles) {
    const auto chunk_of = swizzle.chunk_of;
    const auto exchanged = [chunk_of](int line, int k) { return k ^ chunk_of(line) * 8; };
    const std::string what = std::string("by chunk ^ ") + swizzle.text;
    const std::string look =
        "the swizzle: the copy to shared memory and the ldmatrix that reads it must apply the "
        "same one; here only one of them does";
    out.push_back({"the 16-byte chunks of A's rows are exchanged " + what, look,
                   with_a(gemm, [&a, exchanged](int row, int k) {
                     return cell(a, row, exchanged(row, k));
                   })});
    out.push_back({"the 16-byte chunks of B's columns are exchanged " + what, look,
                   with_b(gemm, [&b, exchanged](int k, int col) {
                     return cell(b, exchanged(col, k), col);
                   })});
    out.push_back({"the 16-byte chunks of A's rows and of B's columns are exchanged " + what, look,
                   [&gemm, &a, &b, exchanged](Place at) -> std::optional<double> {
                     double sum = 0;
                     for (int k = 0; k < gemm.k(); ++k) {
                       const auto x = cell(a, at.row, exchanged(at.row, k));
                       const auto y = cell(b, exchanged(at.col, k), at.col);
                       if (!x || !y) return std::nullopt;
                       sum += static_cast<double>(*x) * *y;
                     }
                     return sum;
                   }});
  }
}

// Leading dimensions a kernel may have used by mistake, with what they are.
std::vector<std::pair<std::int64_t, std::string>> leading_dimensions(const GemmCase& gemm,
                                                                     std::int64_t real) {
  std::vector<std::pair<std::int64_t, std::string>> result;
  std::set<std::int64_t> known = {real};
  const std::pair<std::int64_t, const char*> candidates[] = {{gemm.k(), "K"},
                                                             {gemm.n(), "N"},
                                                             {gemm.m(), "M"},
                                                             {gemm.a->layout.ld, "A's"},
                                                             {gemm.b->layout.ld, "B's"}};
  for (const auto& [ld, name] : candidates) {
    if (known.insert(ld).second) {
      result.emplace_back(ld, std::to_string(ld) + " (" + name + ")");
    }
  }
  return result;
}

// Wrong leading dimension and wrong order, for one operand. `sum` turns a reader by index into a
// prediction.
template <class Sum>
void add_addressing(const GemmCase& gemm, const HalfMatrix& matrix, const std::string& name,
                    const Sum& sum, std::vector<Hypothesis>& out) {
  const MatrixLayout layout = matrix.layout;
  const std::string real = std::to_string(layout.ld);
  for (const auto& [ld, text] : leading_dimensions(gemm, layout.ld)) {
    MatrixLayout wrong = layout;
    wrong.ld = ld;
    out.push_back(
        {name + " is read with leading dimension " + text + " instead of " + real,
         "the global load's row address: row * ld, with " + name + "'s own ld",
         sum([wrong, &matrix](int row, int col) { return raw(matrix, wrong.index(row, col)); })});
  }
  const auto other = layout.order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor;
  std::vector<std::pair<std::int64_t, std::string>> lds = leading_dimensions(gemm, layout.ld);
  lds.emplace(lds.begin(), layout.ld, real);
  for (const auto& [ld, text] : lds) {
    MatrixLayout wrong = layout;
    wrong.ld = ld;
    wrong.order = other;
    const std::string order = other == Order::kRowMajor ? "row-major" : "column-major";
    out.push_back(
        {name + " is read transposed (as " + order + ", leading dimension " + text + ")",
         "the order " + name +
             " is passed in against the order its load assumes: row and column "
             "exchanged in the index, or .trans of ldmatrix",
         sum([wrong, &matrix](int row, int col) { return raw(matrix, wrong.index(row, col)); })});
  }
}

}  // namespace

std::vector<Hypothesis> input_hypotheses(const GemmCase& gemm) {
  std::vector<Hypothesis> out;
  const HalfMatrix& a = *gemm.a;
  const HalfMatrix& b = *gemm.b;
  add_addressing(
      gemm, a, "A", [&](auto read) { return with_a(gemm, read); }, out);
  add_addressing(
      gemm, b, "B", [&](auto read) { return with_b(gemm, read); }, out);

  // Fragment mistakes: (row, k) of A comes from elsewhere in its 16 x 8 or 16 x 16 tile.
  const auto a_from = [&](auto map) {
    return with_a(gemm, [&a, map](int row, int k) {
      const auto [from_row, from_k] = map(row, k);
      return cell(a, from_row, from_k);
    });
  };
  using At = std::pair<int, int>;
  const std::string fragment_a = "the A fragment's load against ptx/fragments.h";
  out.push_back({"elements a1 and a2 of the A fragment are exchanged",
                 "the packing of A: a0 and a1 are neighbours in k and share a register, a2 is 8 "
                 "rows down",
                 a_from([](int r, int k) {
                   if (r % 16 < 8 && k % 2 == 1) return At{r + 8, k - 1};
                   if (r % 16 >= 8 && k % 2 == 0) return At{r - 8, k + 1};
                   return At{r, k};
                 })});
  out.push_back({"registers 1 and 2 of the m16n8k16 A fragment are exchanged",
                 "the operand order: register 1 is rows 8-15 (k 0-7), register 2 is k 8-15 (rows "
                 "0-7); with ldmatrix.x4, the lane-to-row address",
                 a_from([](int r, int k) {
                   return (r & 8) != (k & 8) ? At{r ^ 8, k ^ 8} : At{r, k};
                 })});
  out.push_back({"rows 0-7 and 8-15 of every 16 rows of A are exchanged (registers a0/a1 of k8)",
                 fragment_a, a_from([](int r, int k) {
                   return At{r ^ 8, k};
                 })});
  out.push_back({"rows 8-15 of every 16 rows of A repeat rows 0-7",
                 "the + 8 of a2, a3, or the lanes 8-15 of ldmatrix that address the second half",
                 a_from([](int r, int k) {
                   return At{r & ~8, k};
                 })});
  out.push_back({"k 0-7 and 8-15 of A are exchanged", fragment_a, a_from([](int r, int k) {
                   return At{r, k ^ 8};
                 })});
  out.push_back({"k 8-15 of every 16 of A repeat k 0-7",
                 "the k offset of the second step or of the right half of the fragment",
                 a_from([](int r, int k) {
                   return At{r, k & ~8};
                 })});
  out.push_back({"neighbouring k of A are exchanged (low and high half of each register)",
                 "the packing of two halves: the lower k goes into the low 16 bits",
                 a_from([](int r, int k) {
                   return At{r, k ^ 1};
                 })});
  out.push_back({"every 8 x 8 tile of A is transposed", "ldmatrix with .trans where A needs none",
                 a_from([](int r, int k) {
                   return At{(r & ~7) | (k & 7), (k & ~7) | (r & 7)};
                 })});

  const auto b_from = [&](auto map) {
    return with_b(gemm, [&b, map](int k, int col) {
      const auto [from_k, from_col] = map(k, col);
      return cell(b, from_k, from_col);
    });
  };
  out.push_back({"every 8 x 8 tile of B is transposed",
                 "ldmatrix: row-major B needs .trans, column-major B must not have it",
                 b_from([](int k, int c) {
                   return At{(k & ~7) | (c & 7), (c & ~7) | (k & 7)};
                 })});
  out.push_back({"elements b0 and b1 of the B fragment are exchanged",
                 "the packing of B: the lower k goes into the low 16 bits",
                 b_from([](int k, int c) {
                   return At{k ^ 1, c};
                 })});
  out.push_back({"k 0-7 and 8-15 of B are exchanged (registers b0/b1 of k16)",
                 "the order of the two B registers", b_from([](int k, int c) {
                   return At{k ^ 8, c};
                 })});
  out.push_back({"k 8-15 of every 16 of B repeat k 0-7",
                 "the k offset of the second step or of the second B register",
                 b_from([](int k, int c) {
                   return At{k & ~8, c};
                 })});
  add_swizzles(gemm, out);
  return out;
}

}  // namespace tcd
