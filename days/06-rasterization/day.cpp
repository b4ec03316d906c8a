// Day 06: which CTA makes which tile, what it must not change, and what it saves.
#include "day.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::harness::GemmDay;
using tcd::harness::Session;
using Findings = std::vector<GemmDay::Findings>;

// The size of the last launch: on a card, of what was timed.
struct Size {
  int m = 0, n = 0, k = 0;
};

tcd::harness::KernelResources resources_of(const tcd::GemmVariant& variant) {
  return tcd::harness::query_resources(variant.shape.kernel, variant.name, variant.shape.threads,
                                       variant.dynamic_shared_bytes);
}

// 4 × 7 × 5 tiles and the like, so that groups of 2, 3, 8 and 16 rows all leave a remainder.
std::vector<tcd::harness::GemmProblem> shapes() {
  auto shapes = tcd::harness::full_tile_shapes();
  constexpr auto kB = tcd::Order::kColumnMajor;
  shapes.push_back({896, 640, 32, 8, kB});
  shapes.push_back({640, 896, 64, 0, kB});
  shapes.push_back({1280, 128, 32, 0, kB});
  shapes.push_back({128, 1280, 32, 8, kB});
  return shapes;
}

// The program cannot read this counter itself; the profiler can.
void say_how_to_count(Session& session, size_t gate_launches) {
  session.section("DRAM read by the counter of a card");
  session.say("The profiler reads it. For one order and size, with N = 4096 or 8192 and any G:");
  session.say(
      "  N=8192 G=2; ncu --metrics dram__bytes_read.sum --kernel-name gemm_kernel "
      "--launch-skip " +
      std::to_string(gate_launches) +
      " --launch-count 1 build/gpu/day06 --gate-only --group $G --m $N --n $N --k $N");
}

void judge_counts(Session& session, const Findings& findings) {
  const char* text = "the order changes not one of the counts";
  if (!session.emulated()) {
    return session.predict_unanswered(2, text, "counted on the emulated device");
  }
  if (findings.size() < 2) return session.predict_unanswered(2, text, "one order alone was run");
  const auto first = day::count_order(*findings.front().variant);
  bool held = true;
  for (const auto& found : findings) held = held && day::count_order(*found.variant) == first;
  session.say(std::to_string(findings.size()) + " orders at 640×384×96: each " +
              tcd::with_separators(static_cast<int64_t>(first.at("warp_instructions"))) +
              " warp instructions; " + std::to_string(first.size()) + " counters compared");
  session.predict(2, text, held);
}

void judge_resources(Session& session, const Findings& findings) {
  const auto& found = findings.front().resources;
  session.predict(3, "at most 128 registers, nothing spilled, two CTAs an SM: as yesterday",
                  found.registers <= 128 && found.spill_bytes == 0 && found.ctas_per_sm == 2);
}

void judge_times(Session& session, const Findings& findings, const Size& size) {
  const std::string text = "at 8192³ a grouped order is faster than row-major";
  double row_major = 0, best = 0;
  std::string best_name;
  for (const auto& found : findings) {
    if (found.variant->knobs.back().second == 1) {
      row_major = found.tflops;
    } else if (found.tflops > best) {
      best = found.tflops;
      best_name = found.variant->name;
    }
  }
  if (row_major <= 0 || best <= 0) {
    return session.predict_unanswered(6, text, "needs a card, and more than one order");
  }
  char ratio[96];
  std::snprintf(ratio, sizeof ratio, "%s: %.3f times as fast as row-major", best_name.c_str(),
                best / row_major);
  session.say(ratio);
  if (size.m != 8192 || size.n != 8192 || size.k != 8192) {
    return session.predict_unanswered(6, text, "add -- --m 8192 --n 8192 --k 8192");
  }
  session.predict(6, text, best > row_major);
}

void judge(Session& session, const Findings& findings, bool bijective, const Size& size) {
  session.section("The predictions");
  const auto passed = [](const auto& found) { return found.passed; };
  session.predict(1, "any G on any grid makes every tile once, and every bit is right",
                  bijective && std::all_of(findings.begin(), findings.end(), passed));
  judge_counts(session, findings);
  judge_resources(session, findings);
  day::judge_dram_model(session);
  judge_times(session, findings, size);
}

void remember_size(tcd::GemmVariant& variant, Size& size) {
  variant.launch = [launch = variant.launch, &size](const tcd::GemmArguments<__half>& gemm) {
    size = {gemm.m, gemm.n, gemm.k};
    launch(gemm);
  };
}

}  // namespace

int main(int argc, char** argv) {
  GemmDay gemm;
  Size timed;
  bool bijective = true;
  gemm.info = {"06", "rasterization", "the order of CTAs, and what it reads from DRAM", 80};
  gemm.variants = day::variants();
  for (auto& variant : gemm.variants) remember_size(variant, timed);
  gemm.shapes = shapes();
  gemm.add_options = [&](CLI::App& app) {
    const auto only = [&](int group) {
      gemm.variants = {day::variant(group)};
      gemm.variants.back().headline = true;
      remember_size(gemm.variants.back(), timed);
    };
    app.add_option_function<int>("--group", only,
                                 "Run one order only: G tile rows walked together, 1 is row-major")
        ->type_name("G")
        ->check(CLI::Range(1, 65536))
        ->excludes("--variant");
  };
  gemm.before = [&](Session& session) {
    session.section("Every tile once");
    for (auto& gate : day::gate_bijection()) bijective = session.gate(std::move(gate)) && bijective;
    day::show_dram_model(session, resources_of(gemm.variants.front()).ctas_per_sm);
    say_how_to_count(session, 2 * gemm.shapes.size());
  };
  gemm.after = [&](Session& session, const Findings& findings) {
    judge(session, findings, bijective, timed);
  };
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
