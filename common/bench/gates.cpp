#include "bench/gates.h"

#include <cstdio>
#include <map>
#include <tuple>

#include "bench/device.h"
#include "gates/exactness.h"
#include "gates/expected.h"
#include "gates/parallel.h"
#include "harness/gate_gemm.h"

namespace tcd::bench {

namespace {

using Finish = std::tuple<bool, bool, bool>;  // bias, ReLU, by a kernel of its own

Finish finish_of(const Candidate& candidate) {
  if (!candidate.variant) return {false, false, false};
  return {candidate.variant->bias, candidate.variant->relu, candidate.variant->separate};
}

std::vector<uint16_t> expected_bits(const Product& product, const std::vector<float>& bias,
                                    const Finish& finish) {
  const auto& [has_bias, relu, separate] = finish;
  const Expected expected = {
      &product, OutputType::kF16, {has_bias ? bias : std::vector<float>(), relu, separate}};
  std::vector<uint16_t> bits(product.values.size());
  parallel_for(product.rows, 1, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      for (int column = 0; column < product.cols; ++column) {
        bits[row * product.cols + column] =
            static_cast<uint16_t>(expected.bits(static_cast<int>(row), column));
      }
    }
  });
  return bits;
}

std::string where(const Candidate& candidate) {
  if (candidate.kind != Kind::kDay) return "a library's kernel: look at how it is called";
  return "./day run " + candidate.name.substr(0, 2) + " says which element, lane and pattern";
}

void flip_last_bit(const Inputs& inputs, size_t index) {
  uint16_t bits = 0;
  auto* at = reinterpret_cast<uint16_t*>(inputs.d()) + index;
  harness::check(cudaMemcpy(&bits, at, sizeof bits, cudaMemcpyDeviceToHost), "spoiling D");
  bits ^= 1;
  harness::check(cudaMemcpy(at, &bits, sizeof bits, cudaMemcpyHostToDevice), "spoiling D");
}

GateResult gate_one(const Candidate& candidate, const Inputs& inputs,
                    const harness::DeviceBuffer<uint16_t>& expected, Spoil spoil) {
  const std::string title = candidate.name + " " + inputs.size().text();
  const size_t count = expected.size();
  harness::check(cudaMemset(inputs.d(), 0xFF, count * sizeof(uint16_t)), "filling D with NaN");
  if (spoil != Spoil::kUnwritten) candidate.launch(inputs.next(candidate.group));
  harness::check_launch(title.c_str());
  if (spoil == Spoil::kOneBit) flip_last_bit(inputs, count / 3);
  const auto* got = reinterpret_cast<const uint16_t*>(inputs.d());
  const Difference difference = compare_bits(got, expected.data(), count);
  const auto checked = static_cast<int64_t>(count);
  if (difference.wrong == 0) return GateResult::pass(title, checked);
  uint16_t bits[2];
  harness::check(cudaMemcpy(&bits[0], got + difference.first, 2, cudaMemcpyDeviceToHost),
                 title.c_str());
  harness::check(
      cudaMemcpy(&bits[1], expected.data() + difference.first, 2, cudaMemcpyDeviceToHost),
      title.c_str());
  char text[160];
  std::snprintf(text, sizeof text, "first at (%llu, %llu): got %g (0x%04x), expected %g (0x%04x)",
                difference.first / inputs.size().n, difference.first % inputs.size().n,
                half_to_float(bits[0]), bits[0], half_to_float(bits[1]), bits[1]);
  return GateResult::fail(
      title, checked,
      {with_separators(static_cast<int64_t>(difference.wrong)) + " elements differ", text,
       where(candidate)});
}

}  // namespace

Spoil parse_spoil(const std::string& name) {
  if (name.empty()) return Spoil::kNothing;
  if (name == "one-bit") return Spoil::kOneBit;
  if (name == "unwritten") return Spoil::kUnwritten;
  throw harness::UsageError("there is no control called '" + name +
                            "'; choose from: one-bit, unwritten");
}

bool gate_few_tiles(harness::Session& session, const Candidate& candidate) {
  const GemmVariant& variant = *candidate.variant;
  harness::GemmProblem problem = {2 * variant.shape.cta_m, 3 * variant.shape.cta_n,
                                  5 * variant.shape.cta_k, 8, Order::kColumnMajor};
  problem.bias = variant.bias;
  problem.relu = variant.relu;
  problem.separate = variant.separate;
  problem.group = candidate.group;
  const Tiling tiling = {
      variant.shape.cta_m, variant.shape.cta_n, variant.warps_m, variant.warps_n, true, true};
  bool passed = harness::gate_gemm<__half>(session, candidate.name + ", f16", problem,
                                           variant.shape, tiling, variant.launch);
  return harness::gate_gemm<float>(session, candidate.name + ", f32", problem, variant.shape,
                                   tiling, variant.launch_f32) &&
         passed;
}

void gate_full_size(harness::Session& session, std::vector<Candidate>& candidates, Inputs& inputs,
                    Spoil spoil) {
  const Size& size = inputs.size();
  const HalfMatrix a = quarters(row_major(size.m, size.k), session.seed());
  const HalfMatrix b = quarters(column_major(size.k, size.n), session.seed() + 1);
  const ExactnessBound bound = exactness_bound(a, b, kFp32SignificandBits, inputs.bias());
  if (!bound.holds()) {
    session.gate(GateResult::fail(size.text() + ", exactness bound", 1, {bound.explain()}));
    return;
  }
  inputs.upload(a, b);
  const Product product = integer_reference(a, b);
  std::map<Finish, harness::DeviceBuffer<uint16_t>> references;
  for (Candidate& candidate : candidates) {
    if (!candidate.refused.empty() || !candidate.passed) continue;
    try {
      candidate.launch(inputs.next(candidate.group));
    } catch (const CandidateRefused& refusal) {
      candidate.refused = refusal.what();
      session.not_run(candidate.name, candidate.refused);
      continue;
    }
    const Finish finish = finish_of(candidate);
    auto found = references.find(finish);
    if (found == references.end()) {
      const auto bits = expected_bits(product, inputs.bias(), finish);
      found = references.emplace(finish, harness::DeviceBuffer<uint16_t>(bits)).first;
    }
    candidate.passed = session.gate(gate_one(candidate, inputs, found->second, spoil));
  }
}

}  // namespace tcd::bench
