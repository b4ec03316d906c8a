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
                                            const Tiling& tiling, const std::string& suffix) {
  const ExactnessBound bound = exactness_bound(a, b);
  if (!bound.holds()) return {GateResult::fail("exactness bound" + suffix, 1, {bound.explain()})};
  bench_.download(storage_at_, host_.storage(), host_.bytes());
  const Product product = integer_reference(a, b);
  GemmCase gemm;
  gemm.a = &a;
  gemm.b = &b;
  gemm.expected = {&product, OutputType::kF32, {}};
  gemm.tiling = tiling;
  std::vector<GateResult> gates = {gemm_gate("product" + suffix, gemm, host_.view())};
  if (gates.back().passed()) gates.push_back(host_.check_guards("guard bands" + suffix));
  return gates;
}

}  // namespace tcd::exercises
