// The gates of Day 01's two matmuls and, on a card, their times.
#include <functional>
#include <vector>

#include "day.h"
#include "gates/gemm_gate.h"
#include "gates/inputs.h"
#include "gates/product.h"
#include "harness/device_buffer.h"
#include "harness/gate_gemm.h"
#include "harness/memory_need.h"

namespace day {

namespace {

using tcd::harness::DeviceBuffer;
using tcd::harness::GemmProblem;

// 64×64 CTA tile, 4×2 warps of 16×32; blockIdx.x counts column tiles.
constexpr tcd::Tiling kTiling = {64, 64, 4, 2, true, true};

double flop(int n) { return 2.0 * n * n * n; }

std::vector<float> widen(const tcd::HalfMatrix& matrix) {
  std::vector<float> wide;
  wide.reserve(matrix.bits.size());
  for (uint16_t bits : matrix.bits) wide.push_back(tcd::half_to_float(bits));
  return wide;
}

// Row zero is judged like any kernel: same inputs in FP32, same reference, bit for bit.
bool gate_row_zero(Session& session, int n) {
  const auto a = tcd::quarters(tcd::row_major(n, n), session.seed());
  const auto b = tcd::quarters(tcd::row_major(n, n), session.seed() + 1);
  const DeviceBuffer<float> device_a(widen(a)), device_b(widen(b));
  tcd::GuardedOutput output(tcd::OutputType::kF32, tcd::row_major(n, n));
  output.fill();
  DeviceBuffer<std::byte> device_d(output.bytes());
  tcd::harness::check(
      cudaMemcpy(device_d.data(), output.storage(), output.bytes(), cudaMemcpyHostToDevice),
      "filling the output with NaN");
  auto* d = reinterpret_cast<float*>(device_d.data() + output.payload_offset());
  launch_row_zero({n, n, n, device_a.data(), device_b.data(), d});
  tcd::harness::check_launch("row_zero");
  tcd::harness::check(
      cudaMemcpy(output.storage(), device_d.data(), output.bytes(), cudaMemcpyDeviceToHost),
      "copying the output back");
  const tcd::Product product = tcd::integer_reference(a, b);
  tcd::GemmCase gemm;
  gemm.a = &a;
  gemm.b = &b;
  gemm.expected = {&product, tcd::OutputType::kF32, {}};
  const std::string name = "row zero (FP32) " + GemmProblem{n, n, n}.text();
  const bool inside = session.gate(tcd::gemm_gate(name, gemm, output.view()));
  return session.gate(output.check_guards(name + ", guard bands")) && inside;
}

// Times on random data: exact inputs draw less power and flatter a kernel.
void time_both(Session& session, int n) {
  const auto a = tcd::random_for_timing(tcd::row_major(n, n), session.seed());
  const auto b = tcd::random_for_timing(tcd::row_major(n, n), session.seed() + 1);
  const DeviceBuffer<uint16_t> half_a(a.bits), half_b(b.bits);
  const DeviceBuffer<float> float_a(widen(a)), float_b(widen(b));
  DeviceBuffer<float> d(size_t(n) * n);
  const auto timings = tcd::harness::time_launches(
      {{"matmul", flop(n),
        [&] {
          launch_gemm(
              {n, n, n, half_a.as<__half>(), n, half_b.as<__half>(), n, d.data(), n, nullptr, 1});
        }},
       {"row zero (FP32)", flop(n), [&] {
          launch_row_zero({n, n, n, float_a.data(), float_b.data(), d.data()});
        }}});
  for (const auto& timing : timings) session.timing(timing);
  const double ratio = timings[1].median_ms / timings[0].median_ms;
  char text[96];
  std::snprintf(text, sizeof text, "the matmul is faster than row zero (%.3f times as fast)",
                ratio);
  session.predict(4, text, ratio > 1);
}

}  // namespace

void require_memory_for(int n) {
  const uint64_t elements = uint64_t(n) * n;
  // A, B in FP16 and D in FP32, then the same in FP32 for row zero; the host adds references.
  tcd::harness::require_memory("--n " + std::to_string(n), elements * 12, elements * 48);
}

void gate_matmuls(Session& session, int n, Control control) {
  session.section("The matmul, n = " + std::to_string(n));
  const bool edge = tcd::harness::gate_gemm<float>(session, "matmul", {192, 128, 96, 8}, kGemmShape,
                                                   kTiling, launch_gemm);
  const GemmProblem square = {n, n, n};
  const GemmProblem problem =
      control == Control::kNone ? square : tcd::harness::shape_for_controls(square, kGemmShape);
  const bool exact = tcd::harness::gate_gemm<float>(session, "matmul", problem, kGemmShape, kTiling,
                                                    launch_gemm, control);
  session.predict(3, "tile and matmul match their references, every bit", edge && exact);
  const bool zero = gate_row_zero(session, n);

  session.section("What it costs");
  const auto resources =
      tcd::harness::query_resources(kGemmShape.kernel, "matmul", kGemmShape.threads);
  session.resources(resources);
  session.resources(tcd::harness::query_resources(kRowZeroShape.kernel, "row zero (FP32)",
                                                  kRowZeroShape.threads));
  session.predict(6, "9,728 bytes of shared memory, nothing spilled",
                  resources.static_shared_bytes == 9728 && resources.spill_bytes == 0);
  const char* faster = "the matmul is faster than row zero";
  if (session.emulated()) {
    session.predict_unanswered(4, faster, "the emulated device has no time of its own");
  } else if (exact && zero) {
    time_both(session, n);
  } else {
    session.predict_unanswered(4, faster, "only what passed its gate is timed");
  }
}

}  // namespace day
