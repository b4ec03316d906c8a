#include "gates/location.h"

#include <algorithm>
#include <set>

#include "gates/result.h"
#include "ptx/fragment_owners.h"

namespace tcd {
namespace {

struct Range {
  int begin = 0;
  int end = 0;  // one past
  int length() const { return end - begin; }
};

Range span_of(const std::vector<std::int64_t>& wrong) {
  const auto hit = [](std::int64_t count) { return count > 0; };
  const auto first = std::find_if(wrong.begin(), wrong.end(), hit);
  const auto last = std::find_if(wrong.rbegin(), wrong.rend(), hit);
  return {static_cast<int>(first - wrong.begin()), static_cast<int>(wrong.rend() - last)};
}

std::string words(Range range) {
  return std::to_string(range.begin) + "-" + std::to_string(range.end - 1);
}

// A periodic set of lines: "rows 8-15 of every 16".
struct Residues {
  std::string text;        // empty: all lines
  std::int64_t lines = 0;  // how many lines the set has
};

// The smallest period in which only some residues have wrong elements. Needs two periods to speak
// of a pattern.
Residues residues(const std::vector<std::int64_t>& wrong, const std::string& noun) {
  const int lines = static_cast<int>(wrong.size());
  for (int modulus = 2; modulus <= 128 && modulus * 2 <= lines; modulus *= 2) {
    std::vector<bool> hit(static_cast<std::size_t>(modulus));
    for (int line = 0; line < lines; ++line) {
      if (wrong[static_cast<std::size_t>(line)] > 0)
        hit[static_cast<std::size_t>(line % modulus)] = true;
    }
    Residues found;
    std::vector<Range> ranges;
    for (int r = 0; r < modulus; ++r) {
      if (!hit[static_cast<std::size_t>(r)]) continue;
      found.lines += (lines - r + modulus - 1) / modulus;
      if (!ranges.empty() && ranges.back().end == r) {
        ++ranges.back().end;
      } else {
        ranges.push_back({r, r + 1});
      }
    }
    if (found.lines == lines || ranges.size() > 4) continue;
    if (modulus == 2) {
      found.text = (ranges.front().begin == 0 ? "even " : "odd ") + noun;
      return found;
    }
    found.text = noun + " ";
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0) found.text += ", ";
      found.text += ranges[i].length() == 1 ? std::to_string(ranges[i].begin) : words(ranges[i]);
    }
    found.text += " of every " + std::to_string(modulus);
    return found;
  }
  return {{}, lines};
}

std::string meaning_of(const std::string& pattern) {
  if (pattern == "rows 8-15 of every 16") {
    return ": the lower half of the fragments, a2 and a3 (k16: also a6, a7) or c2 and c3";
  }
  if (pattern == "rows 0-7 of every 16") {
    return ": the upper half of the fragments, a0 and a1 or c0 and c1";
  }
  if (pattern == "odd columns") return ": c1 and c3";
  if (pattern == "even columns") return ": c0 and c2";
  if (pattern == "columns 8-15 of every 16")
    return ": every second m16n8 tile, the second B fragment";
  return {};
}

// Is a limit of the wrong dimension the reason? Lines from `first_bad` on are untouched.
std::string confused_dimension(int first_bad, int tile, int actual, int other, int k) {
  const auto matches = [&](int limit) {
    if (limit >= actual) return false;
    const int tiles = std::max(tile, 1);
    return first_bad == limit || first_bad == (limit + tiles - 1) / tiles * tiles ||
           first_bad == limit / tiles * tiles;
  };
  if (matches(other)) return "M and N are confused";
  if (matches(k)) return "K is used";
  return {};
}

// One CTA, warp, lane or register for all wrong elements.
void add_owners(const GemmCase& gemm, const OutputView& got, const FailureScan& scan,
                std::vector<std::string>& lines) {
  std::set<int> lanes, registers, warps;
  std::set<std::pair<int, int>> ctas;
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 8; ++col) {
      if (scan.wrong_in_tile[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)] == 0) {
        continue;
      }
      const fragment::Owner owner = fragment::owner_of_c_m16n8(row, col);
      lanes.insert(owner.lane);
      registers.insert(owner.reg);
    }
  }
  for (int row = 0; row < got.layout.rows; ++row) {
    if (scan.wrong_in_row[static_cast<std::size_t>(row)] == 0) continue;
    for (int col = 0; col < got.layout.cols; ++col) {
      if (scan.wrong_in_col[static_cast<std::size_t>(col)] == 0 ||
          bits_agree(got.type, gemm.expected.bits(row, col), got.bits(row, col), gemm.zero)) {
        continue;
      }
      const ElementOwner owner = owner_of_output(*gemm.tiling, row, col);
      warps.insert(owner.warp);
      ctas.insert({owner.block_x, owner.block_y});
      if (warps.size() > 1 && ctas.size() > 1) break;
    }
  }
  const bool many_ctas =
      got.layout.rows > gemm.tiling->cta_m || got.layout.cols > gemm.tiling->cta_n;
  if (ctas.size() == 1 && many_ctas) {
    lines.push_back("where: all in CTA (" + std::to_string(ctas.begin()->first) + ", " +
                    std::to_string(ctas.begin()->second) + ")");
  }
  if (warps.size() == 1 && gemm.tiling->warps_m * gemm.tiling->warps_n > 1) {
    lines.push_back("where: all owned by warp " + std::to_string(*warps.begin()) + " of its CTA");
  }
  if (lanes.size() == 1) {
    lines.push_back("where: all owned by lane " + std::to_string(*lanes.begin()));
  }
  if (registers.size() == 1) {
    lines.push_back("where: all in accumulator register c" + std::to_string(*registers.begin()));
  }
}

}  // namespace

std::vector<std::string> locate_failure(const GemmCase& gemm, const OutputView& got,
                                        const FailureScan& scan) {
  std::vector<std::string> lines;
  const int rows = got.layout.rows;
  const int cols = got.layout.cols;
  const std::int64_t all = std::int64_t{rows} * cols;
  if (scan.wrong < 2 || scan.wrong * 10 > all * 9) return lines;
  const Range row_span = span_of(scan.wrong_in_row);
  const Range col_span = span_of(scan.wrong_in_col);
  const std::int64_t box = std::int64_t{row_span.length()} * col_span.length();
  if (scan.wrong * 4 > box * 3) {  // a solid rectangle, but for elements right by chance
    const bool part_rows = row_span.length() < rows;
    const bool part_cols = col_span.length() < cols;
    std::string where = part_rows ? "rows " + words(row_span) : "";
    if (part_cols) where += (part_rows ? ", columns " : "columns ") + words(col_span);
    std::string why;
    const int cta_m = gemm.tiling ? gemm.tiling->cta_m : 1;
    const int cta_n = gemm.tiling ? gemm.tiling->cta_n : 1;
    if (scan.never_written * 10 > scan.wrong * 9) {
      if (part_rows && !part_cols && row_span.end == rows) {
        why = confused_dimension(row_span.begin, cta_m, rows, cols, gemm.k());
      } else if (part_cols && !part_rows && col_span.end == cols) {
        why = confused_dimension(col_span.begin, cta_n, cols, rows, gemm.k());
      }
      if (!why.empty()) why = ": a limit (grid or guard) is taken from the wrong dimension; " + why;
    }
    lines.push_back(
        "where: " + where + " are wrong, " +
        (scan.wrong == box ? "all of them" : with_separators(scan.wrong) + " elements") +
        ", the rest is right" + why);
  } else {
    const Residues by_row = residues(scan.wrong_in_row, "rows");
    const Residues by_col = residues(scan.wrong_in_col, "columns");
    if (scan.wrong * 3 > by_row.lines * by_col.lines * 2) {  // dense where they say
      for (const Residues& found : {by_row, by_col}) {
        if (found.text.empty()) continue;
        lines.push_back("where: only " + found.text + " are wrong" + meaning_of(found.text));
      }
    }
  }
  if (gemm.tiling && lines.empty()) add_owners(gemm, got, scan, lines);
  return lines;
}

}  // namespace tcd
