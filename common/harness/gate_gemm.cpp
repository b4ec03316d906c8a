#include "harness/gate_gemm.h"

#include <type_traits>

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

template <typename Output>
bool gate_gemm(Session& session, const std::string& name, const GemmProblem& problem,
               const GemmShape& shape, const std::optional<Tiling>& tiling,
               const std::function<void(const GemmArguments<Output>&)>& launch, Control control) {
  constexpr OutputType kType = std::is_same_v<Output, float> ? OutputType::kF32 : OutputType::kF16;
  const std::string title = name + " " + problem.text();
  const HalfMatrix a = quarters(row_major(problem.m, problem.k, problem.padding), session.seed());
  const HalfMatrix b = quarters(problem.order_b == Order::kRowMajor
                                    ? row_major(problem.k, problem.n, problem.padding)
                                    : column_major(problem.k, problem.n, problem.padding),
                                session.seed() + 1);
  const ExactnessBound bound = exactness_bound(a, b);
  if (!bound.holds()) {
    return session.gate(GateResult::fail(title + ", exactness bound", 1, {bound.explain()}));
  }

  const HalfMatrix given_a = spoil_a(a, control);
  DeviceBuffer<uint16_t> device_a(given_a.bits), device_b(b.bits);
  const MatrixLayout layout_d = row_major(problem.m, problem.n, problem.padding);
  GuardedOutput output(kType, layout_d);
  output.fill();
  DeviceBuffer<std::byte> device_d(output.bytes());
  check(cudaMemcpy(device_d.data(), output.storage(), output.bytes(), cudaMemcpyHostToDevice),
        "filling the output with NaN");
  GemmArguments<Output> arguments = {
      problem.m,
      problem.n,
      problem.k,
      device_a.as<__half>(),
      static_cast<int>(a.layout.ld),
      device_b.as<__half>(),
      static_cast<int>(b.layout.ld),
      reinterpret_cast<Output*>(device_d.data() + output.payload_offset()),
      static_cast<int>(layout_d.ld)};
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
  gemm.expected = {&product, kType, {}};
  gemm.tiling = tiling;
  const bool inside = session.gate(gemm_gate(title, gemm, output.view()));
  const bool outside = session.gate(output.check_guards(title + ", guard bands"));
  return inside && outside;
}

template bool gate_gemm<float>(Session&, const std::string&, const GemmProblem&, const GemmShape&,
                               const std::optional<Tiling>&,
                               const std::function<void(const GemmArguments<float>&)>&, Control);
template bool gate_gemm<__half>(Session&, const std::string&, const GemmProblem&, const GemmShape&,
                                const std::optional<Tiling>&,
                                const std::function<void(const GemmArguments<__half>&)>&, Control);

}  // namespace tcd::harness
