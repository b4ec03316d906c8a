#include "harness/gate_gemm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "gates/exactness.h"
#include "gates/gemm_gate.h"
#include "gates/inputs.h"
#include "gates/product.h"
#include "harness/device_buffer.h"

namespace tcd::harness {

namespace {

// Below this many multiply-adds the double reference is as quick as the integer one, and plainer.
constexpr int64_t kSmall = 1 << 22;

HalfMatrix swap_fragment_rows(const HalfMatrix& a) {
  HalfMatrix swapped(a.layout);
  for (int row = 0; row < a.layout.rows; ++row) {
    for (int col = 0; col < a.layout.cols; ++col) swapped.set(row, col, a.at(row ^ 8, col));
  }
  return swapped;
}

HalfMatrix transpose_square(const HalfMatrix& a) {
  if (a.layout.rows != a.layout.cols) {
    throw UsageError("--control transposed-a needs M = K");
  }
  HalfMatrix transposed(a.layout);
  for (int row = 0; row < a.layout.rows; ++row) {
    for (int col = 0; col < a.layout.cols; ++col) transposed.set(row, col, a.at(col, row));
  }
  return transposed;
}

// Sums of K products scatter by about 1.5·√K around zero. A bias of twice that keeps most of them
// positive, so that ReLU cannot hide a wrong one behind a zero.
std::vector<float> positive_bias(const GemmProblem& problem, uint64_t seed) {
  const float shift = std::round(3.0f * std::sqrt(static_cast<float>(problem.k)));
  std::vector<float> bias(problem.n);
  for (int column = 0; column < problem.n; ++column) {
    bias[column] = shift + 0.25f * static_cast<float>(random_bits(seed, column) % 33);
  }
  return bias;
}

// Device copies get NaN behind them when the run is spoiled on purpose, a line for each of `lines`,
// so that a mistake in the shape reads NaN and fails its gate instead of faulting.
DeviceBuffer<uint16_t> upload(const HalfMatrix& matrix, int lines, Control control) {
  std::vector<uint16_t> bits = matrix.bits;
  if (control != Control::kNone) {
    bits.resize(bits.size() + static_cast<size_t>(matrix.layout.ld) * lines, kInputPadding);
  }
  return DeviceBuffer<uint16_t>(bits);
}

DeviceBuffer<float> upload_bias(std::vector<float> bias, int lines, Control control) {
  if (bias.empty()) bias.resize(1);
  if (control != Control::kNone) bias.resize(bias.size() + lines, std::nanf(""));
  return DeviceBuffer<float>(bias);
}

// Exact inputs: quarters, or for sums in FP16 what their 11 bits can add up.
HalfMatrix exact_inputs(const GemmProblem& problem, const MatrixLayout& layout, uint64_t seed) {
  constexpr double kMostNonzeros = 1400;  // in a row, on average; 2,048 is the bound
  if (!problem.fp16_sums) return quarters(layout, seed);
  return signs(layout, seed, std::min(2.0 / 3.0, kMostNonzeros / problem.k));
}

// What the kernel is given for A. The reference always uses the true one.
HalfMatrix spoil_a(const HalfMatrix& a, Control control) {
  if (control == Control::kSwappedFragments) return swap_fragment_rows(a);
  if (control == Control::kTransposedA) return transpose_square(a);
  return a;
}

template <typename Output>
void spoil_arguments(GemmArguments<Output>& gemm, const GemmShape& shape, Control control) {
  if (control == Control::kUnwritten) gemm.m -= shape.cta_m;
  if (control == Control::kMissingSlice) gemm.k -= shape.cta_k;
  if (control == Control::kLeadingDimension) gemm.ldb = gemm.n;
  if (control == Control::kShapeConfused) std::swap(gemm.m, gemm.n);
}

void spoil_output(GuardedOutput& output, OutputType type, const MatrixLayout& layout,
                  Control control) {
  if (control != Control::kOneBit && control != Control::kOutside) return;
  const int row = control == Control::kOneBit ? layout.rows / 2 : layout.rows;
  auto* byte = static_cast<std::byte*>(output.payload()) +
               static_cast<size_t>(layout.index(row, layout.cols / 3)) * bytes_per_element(type);
  *byte ^= std::byte{1};
}

}  // namespace

std::string GemmProblem::text() const {
  return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
}

GemmProblem shape_for_controls(GemmProblem problem, const GemmShape& shape) {
  problem.m += 2 * shape.cta_m;  // so that one missing row of CTAs does not end at N
  problem.m += (shape.cta_k - problem.m % shape.cta_k) % shape.cta_k;  // K has to be whole k-tiles
  problem.k = problem.m;
  problem.padding = 2 * shape.cta_n;
  return problem;
}

template <typename Output>
std::vector<GateResult> check_gemm(const std::string& name, uint64_t seed,
                                   const GemmProblem& problem, const GemmShape& shape,
                                   const std::optional<Tiling>& tiling,
                                   const std::function<void(const GemmArguments<Output>&)>& launch,
                                   Control control) {
  constexpr OutputType kType = std::is_same_v<Output, float> ? OutputType::kF32 : OutputType::kF16;
  const std::string title = name + " " + problem.text();
  const HalfMatrix a =
      exact_inputs(problem, row_major(problem.m, problem.k, problem.padding), seed);
  HalfMatrix b = exact_inputs(problem,
                              problem.order_b == Order::kRowMajor
                                  ? row_major(problem.k, problem.n, problem.padding)
                                  : column_major(problem.k, problem.n, problem.padding),
                              seed + 1);
  const std::vector<float> bias =
      problem.bias ? positive_bias(problem, seed + 2) : std::vector<float>();
  ExactnessBound bound = exactness_bound(a, b, kFp32SignificandBits, bias);
  if (problem.fp16_sums && bound.holds()) bound = exactness_bound(a, b, kFp16SignificandBits);
  if (!bound.holds()) {
    return {GateResult::fail(title + ", exactness bound", 1, {bound.explain()})};
  }

  const HalfMatrix given_a = spoil_a(a, control);
  if (control == Control::kLeadingDimension) set_padding(b, 0.5f);  // NaN would drown the pattern
  const int lines = std::max(problem.m, problem.n);  // as far as M and N exchanged can reach
  const DeviceBuffer<uint16_t> device_a = upload(given_a, lines, control);
  const DeviceBuffer<uint16_t> device_b = upload(b, lines, control);
  const MatrixLayout layout_d = row_major(problem.m, problem.n, problem.padding);
  GuardedOutput output(kType, layout_d);
  output.fill();
  DeviceBuffer<std::byte> device_d(output.bytes());
  check(cudaMemcpy(device_d.data(), output.storage(), output.bytes(), cudaMemcpyHostToDevice),
        "filling the output with NaN");
  const DeviceBuffer<float> device_bias = upload_bias(bias, lines, control);
  GemmArguments<Output> arguments = {
      problem.m,
      problem.n,
      problem.k,
      device_a.as<__half>(),
      static_cast<int>(a.layout.ld),
      device_b.as<__half>(),
      static_cast<int>(b.layout.ld),
      reinterpret_cast<Output*>(device_d.data() + output.payload_offset()),
      static_cast<int>(layout_d.ld),
      problem.bias ? device_bias.data() : nullptr,
      problem.group};
  spoil_arguments(arguments, shape, control);
  launch(arguments);
  check_launch(title.c_str());
  check(cudaMemcpy(output.storage(), device_d.data(), output.bytes(), cudaMemcpyDeviceToHost),
        "copying the output back");
  spoil_output(output, kType, layout_d, control);

  const int64_t work = int64_t{problem.m} * problem.n * problem.k;
  const Product product = work <= kSmall ? double_reference(a, b) : integer_reference(a, b);
  GemmCase gemm;
  gemm.a = &a;
  gemm.b = &b;
  gemm.expected = {&product, kType, {bias, problem.relu, problem.separate}};
  gemm.tiling = tiling;
  return {gemm_gate(title, gemm, output.view()), output.check_guards(title + ", guard bands")};
}

template std::vector<GateResult> check_gemm<float>(
    const std::string&, uint64_t, const GemmProblem&, const GemmShape&,
    const std::optional<Tiling>&, const std::function<void(const GemmArguments<float>&)>&, Control);
template std::vector<GateResult> check_gemm<__half>(
    const std::string&, uint64_t, const GemmProblem&, const GemmShape&,
    const std::optional<Tiling>&, const std::function<void(const GemmArguments<__half>&)>&,
    Control);

}  // namespace tcd::harness
