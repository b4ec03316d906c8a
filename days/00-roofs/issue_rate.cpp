// Gates every instruction in every configuration, counts it, and on a card measures its rate.
#include "issue_rate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "gates/result.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "harness/telemetry.h"
#include "issue_mismatch.h"
#include "issue_tile.h"

namespace day {

namespace {

using tcd::harness::DeviceBuffer;

constexpr int kWarps[] = {1, 2, 4, 8, 16};
constexpr int kEmulatedCtas = 24;
constexpr int kOneAScheduler = 4;  // an SM has four, each with a tensor core
constexpr int kSamples = 3;
constexpr auto kRest = std::chrono::milliseconds(5);  // the card cools between samples

struct Launched {
  std::vector<uint32_t> d;
  std::vector<WarpClock> clocks;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<uint32_t> spoil(std::vector<uint32_t> operands, const MmaShape& shape,
                            Control control) {
  if (control != Control::kSwappedFragments) return operands;
  for (int r = 0; r + 1 < shape.registers_a(); r += 2) {
    const auto low = operands.begin() + r * 32;
    std::swap_ranges(low, low + 32, low + 32);
  }
  return operands;
}

// One instruction's gate over all configurations, its count, and its rates.
class Probe {
 public:
  Probe(Session& session, const MmaKind& kind, int steps, Control control)
      : session_(session),
        kind_(kind),
        steps_(steps),
        control_(control),
        tile_(kind.shape, session.seed()),
        operands_(spoil(tile_.operands(), kind.shape, control)),
        shared_bytes_(static_cast<int>(session.device().properties.sharedMemPerBlockOptin)) {}

  bool gate() {
    const auto all = configurations();
    const std::string name =
        std::string(kind_.shape.name) + ", " + std::to_string(all.size()) + " configurations";
    tcd::harness::reset_counters();
    return gate_each(name, all);
  }

  // The first kind's loops of 32, 64 and 128 mma; true for the others, which have none.
  bool gate_longer_loops() {
    std::vector<Configuration> longer;
    for (const IssueVariant& variant : kind_.longer_loops)
      longer.push_back({variant, kOneAScheduler});
    return longer.empty() || gate_each(std::string(kind_.shape.name) + ", longer loops", longer);
  }

  // Right after gate(): what the emulated device executed for it, against CTAs × warps × ILP ×
  // steps.
  bool gate_count() {
    const uint64_t executed = tcd::harness::read_counters().at(kind_.shape.counter);
    uint64_t predicted = 0;
    for (const auto& [variant, warps] : configurations()) {
      predicted += uint64_t(ctas()) * warps * variant.ilp * steps_;
    }
    session_.derive(kind_.shape.name, {{"mma_predicted", predicted},
                                       {"mma_executed", executed},
                                       {"flop_each", kind_.shape.flop()}});
    const std::string name = std::string(kind_.shape.name) + ", instructions counted";
    const std::string counted = tcd::with_separators(executed) + " executed";
    return session_.gate(
        executed == predicted
            ? tcd::GateResult::pass(name, predicted, "passed (" + counted + ", as predicted)")
            : tcd::GateResult::fail(name, predicted,
                                    {counted + ", predicted " + tcd::with_separators(predicted)}));
  }

  Roof measure() {
    Roof roof;
    session_.say("FLOP/clk/SM     ILP 1     ILP 2     ILP 4     ILP 8");
    for (int warps : kWarps) {
      char row[96];
      int end = std::snprintf(row, sizeof row, "%2d %-8s", warps, warps == 1 ? "warp" : "warps");
      for (const IssueVariant& variant : kind_.variants) {
        const double rate = median_rate(variant, warps);
        roof.grid[{warps, variant.ilp}] = rate;
        if (rate > roof.flop_per_clk_sm) {
          roof.flop_per_clk_sm = rate, roof.warps = warps, roof.ilp = variant.ilp;
        }
        end += std::snprintf(row + end, sizeof row - end, "%10.1f", rate);
      }
      session_.say(row);
    }
    measure_longer_loops(roof);
    keep(roof);
    return roof;
  }

 private:
  // One an SM. A card is filled, since its SMs share a power budget; counts need no such crowd.
  int ctas() const {
    const int sms = session_.device().properties.multiProcessorCount;
    return session_.emulated() ? std::min(sms, kEmulatedCtas) : sms;
  }

  struct Configuration {
    const IssueVariant& variant;
    int warps;
  };

  std::vector<Configuration> configurations() const {
    std::vector<Configuration> all;
    for (const IssueVariant& variant : kind_.variants) {
      for (int warps : kWarps) all.push_back({variant, warps});
    }
    return all;
  }

  bool gate_each(const std::string& name, const std::vector<Configuration>& configurations) {
    int64_t checked = 0;
    std::vector<std::string> wrong;
    for (const auto& [variant, warps] : configurations) {
      const std::vector<uint32_t> expected = tile_.expected(variant.ilp, steps_);
      Launched launched = launch(variant, warps);
      if (control_ == Control::kOneBit) launched.d[launched.d.size() / 2] ^= 1;
      checked += launched.d.size() * (kind_.shape.accumulator == Accumulator::kF16 ? 2 : 1);
      if (!wrong.empty() || matches(launched.d, expected)) continue;
      wrong =
          describe_mismatch(kind_.shape, tile_, {variant.ilp, warps, steps_}, expected, launched.d);
    }
    return session_.gate(wrong.empty() ? tcd::GateResult::pass(name, checked)
                                       : tcd::GateResult::fail(name, checked, wrong));
  }

  double median_rate(const IssueVariant& variant, int warps) {
    std::vector<double> rates;
    for (int sample = 0; sample < kSamples; ++sample) {
      const Launched launched = launch(variant, warps);
      if (const auto now = tcd::harness::read_telemetry()) clocks_mhz_.push_back(now->sm_clock_mhz);
      const double flop = 1.0 * warps * variant.ilp * steps_ * kind_.shape.flop();
      for (int sm = 0; sm < ctas(); ++sm) {
        rates.push_back(flop / sm_cycles(launched.clocks, sm, warps));
      }
      std::this_thread::sleep_for(kRest);
    }
    return median(rates);
  }

  void measure_longer_loops(Roof& roof) {
    if (kind_.longer_loops.empty()) return;
    const IssueVariant& shortest = kind_.variants.back();
    roof.loops[shortest.mmas_an_iteration] = roof.grid.at({kOneAScheduler, shortest.ilp});
    for (const IssueVariant& variant : kind_.longer_loops) {
      roof.loops[variant.mmas_an_iteration] = median_rate(variant, kOneAScheduler);
    }
    nlohmann::json kept;
    session_.say("4 warps, ILP 8, by mma in an iteration of the loop:");
    for (const auto& [mmas, rate] : roof.loops) {
      char line[64];
      std::snprintf(line, sizeof line, "%4d in one %10.1f", mmas, rate);
      session_.say(line);
      kept["loop_of_" + std::to_string(mmas)] = std::round(rate * 10) / 10;
    }
    session_.derive(on_this_card() + ", 4 warps, ILP 8", kept);
  }

  std::string on_this_card() const {
    return std::string(session_.device().properties.name) + ": " + kind_.shape.name;
  }

  Launched launch(const IssueVariant& variant, int warps) {
    const size_t words = size_t(ctas()) * warps * variant.ilp * kind_.shape.registers_d() * 32;
    const DeviceBuffer<uint32_t> d(words);
    const DeviceBuffer<WarpClock> clocks(size_t(ctas()) * warps);
    tcd::harness::check(cudaMemset(d.data(), 0xFF, words * 4), "filling the output");
    int iterations = steps_ * variant.ilp / variant.mmas_an_iteration;
    if (control_ == Control::kMissingStep) --iterations;
    variant.launch(ctas(), warps, shared_bytes_,
                   {operands_.data(), iterations, d.data(), clocks.data()});
    tcd::harness::check_launch(kind_.shape.name);
    return {d.download(), clocks.download()};
  }

  static bool matches(const std::vector<uint32_t>& got, const std::vector<uint32_t>& expected) {
    for (auto warp = got.begin(); warp != got.end(); warp += expected.size()) {
      if (!std::equal(expected.begin(), expected.end(), warp)) return false;
    }
    return true;
  }

  void keep(const Roof& roof) {
    const int clock_mhz = clocks_mhz_.empty() ? 0 : static_cast<int>(median(clocks_mhz_));
    const std::string how = std::to_string(roof.warps) + " warps, ILP " + std::to_string(roof.ilp);
    session_.rate({kind_.shape.name, roof.flop_per_clk_sm, "FLOP/clk/SM", clock_mhz, how});
    nlohmann::json kept = {
        {"flop_per_clock_and_sm", roof.flop_per_clk_sm}, {"warps", roof.warps}, {"ilp", roof.ilp}};
    nlohmann::json grid;
    for (const auto& [at, rate] : roof.grid) {
      const std::string cell = "w" + std::to_string(at.first) + "_ilp" + std::to_string(at.second);
      grid[cell] = std::round(rate * 10) / 10;
    }
    session_.derive(kind_.shape.name, kept);
    session_.derive(on_this_card(), grid);
  }

  Session& session_;
  const MmaKind& kind_;
  const int steps_;
  const Control control_;
  const IssueTile tile_;
  const DeviceBuffer<uint32_t> operands_;
  const int shared_bytes_;
  std::vector<double> clocks_mhz_;
};

// What stands between this instruction and a rate on this card; "" when nothing does.
std::string no_rate(const MmaShape& shape, int compute) {
  if (shape.operand != Operand::kE4m3 || compute == 89) return "";
  if (compute == 90) {
    return "sm_90 has no such instruction: the compiler emulates it, unpacks to FP16 and issues "
           "FP16 "
           "mma. Here it even takes A × B out of the chains and adds. ./day sass 00 --arch 90";
  }
  return "what the compiler makes of it is known for sm_89 and sm_90 only";
}

}  // namespace

double sm_cycles(const std::vector<WarpClock>& clocks, int sm, int warps) {
  const auto first = clocks.begin() + size_t(sm) * warps, last = first + warps;
  const auto start = std::min_element(
      first, last, [](const WarpClock& x, const WarpClock& y) { return x.start < y.start; });
  const auto stop = std::max_element(
      first, last, [](const WarpClock& x, const WarpClock& y) { return x.stop < y.stop; });
  return static_cast<double>(stop->stop - start->start);
}

Roofs measure_issue_rates(Session& session, int steps, Control control) {
  Roofs roofs;
  bool exact = true, counted = true;
  const int compute = session.device().compute;
  for (const MmaKind& kind : mma_kinds()) {
    session.section(std::string(kind.shape.name) + ", " + std::to_string(kind.shape.flop()) +
                    " FLOP an instruction");
    if (compute < kind.shape.minimum_compute) {
      session.not_run(kind.shape.name, "needs sm_" + std::to_string(kind.shape.minimum_compute) +
                                           ", this is " + session.device().architecture());
      continue;
    }
    Probe probe(session, kind, steps, control);
    const bool passed = probe.gate();
    const IssueVariant& widest = kind.variants.back();
    session.resources(tcd::harness::query_resources(
        widest.kernel, std::string(kind.shape.name) + ", ILP " + std::to_string(widest.ilp),
        kMostWarps * 32, session.device().properties.sharedMemPerBlockOptin));
    const std::string why = no_rate(kind.shape, compute);
    if (!why.empty()) session.say(std::string(kind.shape.name) + ": no rate: " + why);
    if (session.emulated()) counted = probe.gate_count() && counted;
    const bool longer_passed = probe.gate_longer_loops();
    exact = exact && passed && longer_passed;
    if (!session.emulated() && passed && longer_passed && why.empty()) {
      roofs[kind.shape.name] = probe.measure();
    }
  }
  if (!kHasFp8) {
    session.not_run("m16n8k32 FP8→FP32", "this was built with a toolkit older than CUDA 12.4");
  }
  session.section("What the page predicted of them");
  session.predict(1, "every accumulator of every configuration is exact", exact);
  const char* count = "CTAs × warps × ILP × steps instructions, of each kind";
  if (session.emulated()) {
    session.predict(2, count, counted);
  } else {
    session.predict_unanswered(2, count, "counted on the emulated device");
  }
  return roofs;
}

}  // namespace day
