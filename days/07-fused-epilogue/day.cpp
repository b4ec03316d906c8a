// Day 07: bias and ReLU on the way out, beside the same in a kernel of its own.
#include "day.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::with_separators;
using tcd::harness::GemmDay;
using tcd::harness::Session;
using Findings = std::vector<GemmDay::Findings>;

constexpr const char* kNone = "no epilogue";
constexpr const char* kFused = "bias + ReLU";
constexpr const char* kSeparate = "bias + ReLU, unfused";

const tcd::GemmVariant& named(const std::vector<tcd::GemmVariant>& variants, const char* name) {
  return *std::find_if(variants.begin(), variants.end(),
                       [&](const auto& variant) { return variant.name == name; });
}

int64_t count(const std::map<std::string, uint64_t>& counters, const char* name) {
  return static_cast<int64_t>(counters.at(name));
}

// Two kernels read and write D once more; one kernel reads the bias, and that is all.
void judge_traffic(Session& session, const std::vector<tcd::GemmVariant>& variants) {
  const char* text = "fused: not one store more. Unfused: D read once more and written once more";
  if (!session.emulated()) {
    return session.predict_unanswered(4, text, "counted on the emulated device");
  }
  constexpr int kM = 384, kN = 256, kK = 64;
  const int64_t d_bytes = int64_t{kM} * kN * 2;
  const auto none = day::count_variant(named(variants, kNone), kM, kN, kK);
  const auto fused = day::count_variant(named(variants, kFused), kM, kN, kK);
  const auto two = day::count_variant(named(variants, kSeparate), kM, kN, kK);
  const auto full = day::count_separate(4096, 4096);
  // A warp: 4 tiles of 8 columns, one load and one 32-byte sector each; 8 warps a CTA of 128×128.
  const int64_t bias_loads = (kM / 128) * (kN / 128) * 8 * 4;
  const int64_t bias_bytes = int64_t{kM / 32} * kN * 4;  // the separate kernel: once every 32 rows
  const bool fused_held = count(fused, "global_stores") == count(none, "global_stores") &&
                          count(fused, "global_store_bytes") == d_bytes &&
                          count(none, "global_loads") == 0 &&
                          count(fused, "global_loads") == bias_loads &&
                          count(fused, "global_load_sectors") == bias_loads;
  const bool two_held = count(two, "global_store_bytes") == 2 * d_bytes &&
                        count(two, "global_load_bytes") == d_bytes + bias_bytes;
  session.say("384×256×64, bytes of D written: fused " +
              with_separators(count(fused, "global_store_bytes")) + ", unfused " +
              with_separators(count(two, "global_store_bytes")) + "; read back: fused 0, unfused " +
              with_separators(count(two, "global_load_bytes") - bias_bytes));
  session.say(
      "the separate kernel at 4096×4096: " + with_separators(count(full, "global_load_bytes")) +
      " bytes read, " + with_separators(count(full, "global_store_bytes")) + " written");
  nlohmann::json entry = {{"size", "4096×4096"}};
  for (const auto& [name, value] : full) {
    if (name.rfind("global_", 0) == 0) entry[name] = value;  // the rest is all zeros
  }
  session.derive("the separate kernel alone", entry);
  session.predict(4, text, fused_held && two_held);
}

void judge_rounding(Session& session, const std::vector<tcd::GemmVariant>& variants) {
  const auto found =
      day::compare_rounding(named(variants, kFused), named(variants, kSeparate), session.seed());
  session.say("256×256×4096: fused and unfused differ in " + with_separators(found.differ) +
              " of " + with_separators(found.elements) +
              " elements; two roundings on the host: " + with_separators(found.predicted) +
              "; with FP32 output: " + with_separators(found.differ_f32));
  char line[160];
  if (found.differ > 0) {
    std::snprintf(line, sizeof line,
                  "first at (row %d, column %d): sum %.4f, bias %.2f: fused %.3f, unfused %.3f",
                  found.row, found.column, found.sum, found.bias, found.once, found.twice);
    session.say(line);
  }
  std::snprintf(line, sizeof line, "largest difference %.3f; ReLU cuts off %.1f %% of the elements",
                found.largest,
                100 * static_cast<double>(found.zero) / static_cast<double>(found.elements));
  session.say(line);
  session.derive("rounding at 256×256×4096", {{"elements", found.elements},
                                              {"differ", found.differ},
                                              {"predicted", found.predicted},
                                              {"unpredicted_bits", found.unpredicted},
                                              {"differ_in_FP32", found.differ_f32},
                                              {"zero_after_ReLU", found.zero}});
  session.predict(
      5, "some FP16 elements differ, exactly those that two roundings change; in FP32 none",
      found.differ > 0 && found.differ == found.predicted && found.unpredicted == 0 &&
          found.differ_f32 == 0);
}

void judge_times(Session& session, const Findings& findings) {
  const char* text = "fused costs less than 1 % of the time; the separate kernel costs more";
  const auto rate = [&](const char* name) {
    for (const auto& found : findings) {
      if (found.variant->name == name) return found.tflops;
    }
    return 0.0;
  };
  const double none = rate(kNone), fused = rate(kFused), two = rate(kSeparate);
  if (none <= 0 || fused <= 0 || two <= 0) {
    return session.predict_unanswered(6, text, "no times here");
  }
  char line[128];
  std::snprintf(line, sizeof line, "time beside no epilogue: fused %+.2f %%, unfused %+.2f %%",
                100 * (none / fused - 1), 100 * (none / two - 1));
  session.say(line);
  session.predict(6, text, none / fused < 1.01 && two < fused);
}

void judge(Session& session, const Findings& findings, bool nan_kept,
           const std::vector<tcd::GemmVariant>& variants) {
  session.section("The predictions");
  bool passed = true, cheap = true;
  for (const auto& found : findings) {
    passed = passed && found.passed;
    cheap = cheap && found.resources.registers <= 128 && found.resources.spill_bytes == 0 &&
            found.resources.ctas_per_sm == 2;
  }
  session.predict(1, "every bit is right, before ReLU and after it, in one kernel and in two",
                  passed);
  session.predict(2, "at most 128 registers, nothing spilled, two CTAs an SM: as without epilogue",
                  cheap);
  session.predict(3, "NaN stays NaN, ReLU or not", nan_kept);
  judge_traffic(session, variants);
  judge_rounding(session, variants);
  judge_times(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  GemmDay gemm;
  bool nan_kept = true;
  gemm.info = {"07", "fused epilogue", "bias and ReLU in registers, against a separate kernel", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  gemm.shapes.push_back({128, 256, 4096, 8, tcd::Order::kColumnMajor});  // sums that FP16 rounds
  int group = 0;
  for (auto& shape : gemm.shapes) shape.group = group++ % 3 + 1;
  gemm.add_options = [&](CLI::App& app) {
    const auto ask = [&](int64_t) {
      for (auto& variant : gemm.variants) variant.headline = variant.headline || variant.separate;
    };
    app.add_flag_function("--unfused", ask, "Run the unfused pairs at full size, too");
  };
  gemm.before = [&](Session& session) {
    session.section("NaN");
    for (const auto& variant : gemm.variants) {
      nan_kept = session.gate(day::gate_nan(variant)) && nan_kept;
    }
  };
  gemm.after = [&](Session& session, const Findings& findings) {
    judge(session, findings, nan_kept, gemm.variants);
  };
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
