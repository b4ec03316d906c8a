#include "gates/gemm_gate.h"

#include <utility>

#include "gates/numbers.h"
#include "gates/pattern.h"

namespace tcd {

GateResult gemm_gate(const std::string& name, const GemmCase& gemm, const OutputView& got) {
  if (gemm.tiling) check_tiling(*gemm.tiling);
  const Comparison result = compare_bits(gemm.expected, got, gemm.zero);
  if (result.equal()) return GateResult::pass(name, result.compared);
  std::vector<std::string> lines;
  if (result.bad_reference > 0) {
    lines.push_back("the reference itself holds NaN or infinity in " +
                    with_separators(result.bad_reference) +
                    " elements: the gate is broken, or FP16 output overflows (above 65,504)");
  }
  if (result.different > 0) {
    std::string count = with_separators(result.different) + " of " +
                        with_separators(result.compared) + " elements differ";
    const std::int64_t nan = result.never_written + result.computed_nan;
    if (nan > 0) {
      count += ", " + with_separators(nan) + " of them NaN (" +
               with_separators(result.never_written) + " never written)";
    }
    lines.push_back(std::move(count));
    const auto [row, col] = result.first;
    lines.push_back("first at " + place(row, col) + ": expected " +
                    both(got.type, gemm.expected.bits(row, col)) + ", got " +
                    both(got.type, got.bits(row, col)));
    if (gemm.tiling) {
      lines.push_back("owned by " + describe(owner_of_output(*gemm.tiling, row, col)));
    }
    for (std::string& line : recognise(gemm, got)) lines.push_back(std::move(line));
  }
  return GateResult::fail(name, result.compared, std::move(lines));
}

}  // namespace tcd
