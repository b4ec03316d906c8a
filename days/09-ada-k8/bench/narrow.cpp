// Gates and times of the kernels on 8-bit operands.
#include "bench/narrow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/narrow_inputs.h"
#include "gates/output.h"
#include "harness/cuda_error.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "harness/usage.h"

namespace day::bench {

namespace {

using tcd::GateResult;
using tcd::harness::DeviceBuffer;
using tcd::harness::Session;
using tcd::harness::UsageError;

enum class Spoil { kNothing, kUnwritten, kOneBit, kMissingSlice };

Spoil parse_spoil(const std::string& name) {
  if (name.empty()) return Spoil::kNothing;
  if (name == "unwritten") return Spoil::kUnwritten;
  if (name == "one-bit") return Spoil::kOneBit;
  if (name == "missing-slice") return Spoil::kMissingSlice;
  throw UsageError("--control " + name +
                   " is none of those for 8-bit operands: unwritten, one-bit, missing-slice");
}

BenchArguments arguments_of(const Size& size, int padding, const Options& options,
                            const DeviceBuffer<uint8_t>& a, const DeviceBuffer<uint8_t>& b,
                            void* d) {
  BenchArguments gemm{};
  gemm.m = size.m;
  gemm.n = size.n;
  gemm.k = size.k / 2;  // in pairs of bytes
  gemm.lda = gemm.ldb = (size.k + padding) / 2;
  gemm.a = reinterpret_cast<const half*>(a.data());
  gemm.b = reinterpret_cast<const half*>(b.data());
  gemm.d = d;
  gemm.ldd = size.n + padding;
  gemm.group = options.group;
  gemm.layout = options.layout;
  gemm.stages = options.stages;
  gemm.d_is_f32 = true;  // four bytes an element, either way
  return gemm;
}

std::string value_text(bool integer, uint32_t bits) {
  char text[48];
  if (integer) {
    std::snprintf(text, sizeof text, "%d (0x%08x)", static_cast<int32_t>(bits), bits);
  } else {
    std::snprintf(text, sizeof text, "%g (0x%08x)", std::bit_cast<float>(bits), bits);
  }
  return text;
}

GateResult compare(const std::string& title, const NarrowKernel& kernel, const NarrowMatrix& a,
                   const NarrowMatrix& b, const tcd::OutputView& d) {
  int64_t wrong = 0;
  std::string first;
  for (int row = 0; row < a.lines; ++row) {
    for (int column = 0; column < b.lines; ++column) {
      const uint32_t expected = kernel.integer
                                    ? static_cast<uint32_t>(integer_dot(a, row, b, column))
                                    : std::bit_cast<uint32_t>(float_dot(a, row, b, column));
      const uint32_t got = d.bits(row, column);
      if (got == expected || wrong++ > 0) continue;
      const int warp =
          row % kernel.shape.cta_m / (kernel.shape.cta_m / kernel.warps_m) * kernel.warps_n +
          column % kernel.shape.cta_n / (kernel.shape.cta_n / kernel.warps_n);
      first = "first at (" + std::to_string(row) + ", " + std::to_string(column) + "), warp " +
              std::to_string(warp) + ": got " + value_text(kernel.integer, got) + ", expected " +
              value_text(kernel.integer, expected);
      if (tcd::bits_are_nan(tcd::OutputType::kF32, got)) first += "; never written";
    }
  }
  const int64_t checked = int64_t{a.lines} * b.lines;
  if (wrong == 0) return GateResult::pass(title, checked);
  return GateResult::fail(title, checked,
                          {tcd::with_separators(wrong) + " elements differ", first});
}

bool gate(Session& session, const NarrowKernel& kernel, const Options& options, const Size& size,
          int padding, Spoil spoil) {
  const std::string title = std::string(kernel.name) + " " + size.text();
  const NarrowMatrix a = exact_bytes(kernel.integer, size.m, size.k, padding, session.seed());
  const NarrowMatrix b = exact_bytes(kernel.integer, size.n, size.k, padding, session.seed() + 1);
  const NarrowBound bound = narrow_bound(kernel.integer, a, b);
  if (!bound.holds()) {
    return session.gate(GateResult::fail(title + ", exactness bound", 1, {bound.explain()}));
  }
  const DeviceBuffer<uint8_t> device_a(a.bytes), device_b(b.bytes);
  tcd::GuardedOutput output(tcd::OutputType::kF32, tcd::row_major(size.m, size.n, padding));
  output.fill();
  DeviceBuffer<std::byte> device_d(output.bytes());
  tcd::harness::check(
      cudaMemcpy(device_d.data(), output.storage(), output.bytes(), cudaMemcpyHostToDevice),
      "filling the output with NaN");
  BenchArguments gemm = arguments_of(size, padding, options, device_a, device_b,
                                     device_d.data() + output.payload_offset());
  if (spoil == Spoil::kUnwritten) gemm.m -= kernel.shape.cta_m;
  if (spoil == Spoil::kMissingSlice) gemm.k -= kernel.shape.cta_k / 2;
  kernel.launch(gemm);
  tcd::harness::check_launch(title.c_str());
  tcd::harness::check(
      cudaMemcpy(output.storage(), device_d.data(), output.bytes(), cudaMemcpyDeviceToHost),
      "copying the output back");
  if (spoil == Spoil::kOneBit) static_cast<uint32_t*>(output.payload())[size.n / 3] ^= 1;
  const bool right = session.gate(compare(title, kernel, a, b, output.view()));
  return session.gate(output.check_guards(title + ", guard bands")) && right;
}

// A right result from the wrong instruction would be one of FP16, say. Counted on the emulated
// device, where 16 × 8 × 32 products are one mma.
bool gate_count(Session& session, const NarrowKernel& kernel, const Size& size) {
  const auto counters = tcd::harness::read_counters();
  if (counters.empty()) return true;
  const auto executed = counters.at(kernel.counter);
  const uint64_t predicted = uint64_t(size.m) * size.n * size.k / (16 * 8 * 32);
  session.say("counted: " + tcd::with_separators(static_cast<int64_t>(executed)) + " mma; " +
              tcd::with_separators(static_cast<int64_t>(counters.at("ldmatrix"))) +
              " ldmatrix, bank conflicts " +
              tcd::with_separators(static_cast<int64_t>(counters.at("ldmatrix_bank_conflicts"))));
  session.derive(kernel.name, {{"size", size.text()},
                               {kernel.counter, executed},
                               {"ldmatrix", counters.at("ldmatrix")},
                               {"ldmatrix_bank_conflicts", counters.at("ldmatrix_bank_conflicts")},
                               {"cp_async_wavefronts", counters.at("cp_async_wavefronts")}});
  const std::string name = std::string(kernel.name) + ", instructions counted";
  if (executed == predicted)
    return session.gate(GateResult::pass(name, 1, "passed (as predicted)"));
  return session.gate(
      GateResult::fail(name, 1,
                       {tcd::with_separators(static_cast<int64_t>(executed)) + " executed, " +
                        tcd::with_separators(static_cast<int64_t>(predicted)) + " predicted"}));
}

void time_narrow(Session& session, const NarrowKernel& kernel, const Options& options,
                 const Size& size) {
  if (session.emulated()) return session.say("times: none here; they need a card");
  if (!kernel.integer && session.device().compute != 89) {
    return session.not_run(
        "the rate of FP8",
        "known for sm_89 alone: on sm_90 the compiler unpacks to FP16 and issues "
        "FP16 mma, so a time would be another instruction's");
  }
  session.section("Times at " + size.text() + ", random inputs");
  const NarrowMatrix a = random_bytes(kernel.integer, size.m, size.k, session.seed());
  const NarrowMatrix b = random_bytes(kernel.integer, size.n, size.k, session.seed() + 1);
  const DeviceBuffer<uint8_t> device_a(a.bytes), device_b(b.bytes);
  const DeviceBuffer<uint32_t> d(size_t(size.m) * size.n);
  const BenchArguments gemm = arguments_of(size, 0, options, device_a, device_b, d.data());
  const double operations = 2.0 * size.m * size.n * size.k;
  for (const auto& timing :
       tcd::harness::time_launches({{kernel.name, operations, [&] { kernel.launch(gemm); }}},
                                   options.iters, options.warmup)) {
    session.timing(timing);
  }
}

void refuse_what_is_for_halves(const Options& options) {
  for (const char* name : {"--acc", "--bias-relu", "--unfused", "--no-minimum", "--check", "--cpu",
                           "--sweep", "--gsweep", "--csv"}) {
    if (std::find(options.given.begin(), options.given.end(), name) != options.given.end()) {
      throw UsageError(std::string(name) +
                       " is for operands of 16 bits: not with --mma int8 or fp8");
    }
  }
  if (options.tile != 3) throw UsageError("--mma int8 and fp8 exist for --tile 3 only");
}

}  // namespace

void run_narrow(Session& session, const Options& options) {
  refuse_what_is_for_halves(options);
  const Spoil spoil = parse_spoil(options.control);
  const NarrowKernel kernel = options.narrow == "int8" ? int8_kernel() : fp8_kernel();
  if (session.device().compute < kernel.minimum_compute) {
    return session.not_run(kernel.name, "needs sm_" + std::to_string(kernel.minimum_compute) +
                                            ", this is " + session.device().architecture());
  }
  const Size size = {tcd::harness::parse_size("--m", options.m, kernel.shape.cta_m),
                     tcd::harness::parse_size("--n", options.n, kernel.shape.cta_n),
                     tcd::harness::parse_size("--k", options.k, kernel.shape.cta_k)};
  Instance like{};  // its shared memory is that of the halves
  like.shape = kernel.shape;
  like.shape.cta_k /= 2;
  const std::string reason = why_not(like, options.layout, options.stages, session.device());
  if (!reason.empty()) throw UsageError(reason + "; choose fewer stages");
  session.section("Gates");
  const int m = kernel.shape.cta_m, n = kernel.shape.cta_n, k = kernel.shape.cta_k;
  bool passed = true;
  // One tile; more k-tiles than stages with padded rows; M ≠ N ≠ K; deep, where FP8's sums are
  // long.
  const std::pair<Size, int> shapes[] = {{{m, n, k}, 0},
                                         {{2 * m, 3 * n, 4 * k}, 16},
                                         {{3 * m, n, 9 * k}, 32},
                                         {{m, 2 * n, 64 * k}, 0}};
  for (const auto& [shape, padding] : shapes) {
    const bool spoiled = spoil != Spoil::kNothing && shape.m > m;
    tcd::harness::reset_counters();
    passed =
        gate(session, kernel, options, shape, padding, spoiled ? spoil : Spoil::kNothing) && passed;
    if (!spoiled) passed = gate_count(session, kernel, shape) && passed;
  }
  session.section("What it costs");
  session.resources(
      tcd::harness::query_resources(kernel.shape.kernel, kernel.name, kernel.shape.threads,
                                    like.shared_bytes(options.layout, options.stages)));
  if (passed && spoil == Spoil::kNothing) time_narrow(session, kernel, options, size);
}

}  // namespace day::bench
