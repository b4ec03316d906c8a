#include "exercises/product_gates.h"

#include "gates/exactness.h"
#include "gates/gemm_gate.h"
#include "gates/product.h"

namespace tcd::exercises {

DeviceOutput::DeviceOutput(Workbench& bench, const MatrixLayout& layout)
    : bench_(bench), host_(OutputType::kF32, layout), storage_at_(0) {
  host_.fill();
  storage_at_ = bench.upload(
      std::span<const std::byte>(static_cast<const std::byte*>(host_.storage()), host_.bytes()));
}

std::vector<GateResult> DeviceOutput::judge(const HalfMatrix& a, const HalfMatrix& b,
                                            const Tiling& tiling, const std::string& suffix,
                                            const Epilogue& epilogue) {
  const ExactnessBound bound = exactness_bound(a, b, kFp32SignificandBits, epilogue.bias);
  if (!bound.holds()) return {GateResult::fail("exactness bound" + suffix, 1, {bound.explain()})};
  bench_.download(storage_at_, host_.storage(), host_.bytes());
  const Product product = integer_reference(a, b);
  GemmCase gemm;
  gemm.a = &a;
  gemm.b = &b;
  gemm.expected = {&product, OutputType::kF32, epilogue};
  gemm.tiling = tiling;
  std::vector<GateResult> gates = {gemm_gate("product" + suffix, gemm, host_.view())};
  if (gates.back().passed()) gates.push_back(host_.check_guards("guard bands" + suffix));
  return gates;
}

GateResult DeviceOutput::judge_nan_row(const std::string& name, int row) {
  bench_.download(storage_at_, host_.storage(), host_.bytes());
  const OutputView d = host_.view();
  int hidden = 0, spread = 0;
  for (int r = 0; r < d.layout.rows; ++r) {
    for (int c = 0; c < d.layout.cols; ++c) {
      const bool nan = bits_are_nan(d.type, d.bits(r, c));
      hidden += r == row && !nan;
      spread += r != row && nan;
    }
  }
  const int64_t checked = int64_t{d.layout.rows} * d.layout.cols;
  if (hidden == 0 && spread == 0) return GateResult::pass(name, checked);
  const std::string place = "row " + std::to_string(row);
  return GateResult::fail(
      name, checked,
      {place + " of A holds one NaN: " + std::to_string(hidden) + " of " +
           std::to_string(d.layout.cols) + " elements of " + place + " of D are numbers, and " +
           std::to_string(spread) + " elsewhere are NaN",
       "look at: fmaxf and max.f32 return the other operand when one is NaN; so does `x > 0 ? x : "
       "0`"});
}

}  // namespace tcd::exercises
