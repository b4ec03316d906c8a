// The three traps of the Ada account, with this device's numbers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "issue_rate.h"

namespace day {

namespace {

constexpr double kNear = 0.02;  // two rates are called equal within this share
constexpr double kLoadSeconds = 1.5;
constexpr const char* kNeedsCard = "rates need a card";

template <typename... Values>
std::string text(const char* format, Values... values) {
  char line[240];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

bool near(double value, double wanted) { return std::fabs(value / wanted - 1) <= kNear; }

double rate_of(const Roofs& roofs, const std::string& name) {
  const auto found = roofs.find(name);
  return found == roofs.end() ? 0 : found->second.flop_per_clk_sm;
}

// GeForce parts halve the rate of FP32 accumulation; the capability does not say so, the name does.
bool is_geforce(const Session& session) {
  return std::string(session.device().properties.name).find("GeForce") != std::string::npos;
}

struct Names {
  std::string full, half,
      integer;  // FP32 and FP16 accumulators, INT8: this device's largest shapes
};

Names names_for(const Session& session) {
  if (session.device().compute < 80) {
    return {"m16n8k8 FP16→FP32", "m16n8k8 FP16→FP16", "m8n8k16 INT8→INT32"};
  }
  return {"m16n8k16 FP16→FP32", "m16n8k16 FP16→FP16", "m16n8k32 INT8→INT32"};
}

void accumulate_width(Session& session, double full, double half) {
  session.section("Trap 1: the accumulator's width");
  const bool geforce = is_geforce(session);
  const std::string claim =
      text("FP16 accumulators are %s FP32 ones (%s)",
           geforce ? "twice as fast as" : "no faster than", geforce ? "a GeForce" : "no GeForce");
  if (full == 0 || half == 0) {
    session.say("Ada account, an RTX 4060 Laptop, quoted: 511.9 and 1024.4 FLOP/clk/SM.");
    session.predict_unanswered(3, claim, kNeedsCard);
    return;
  }
  session.say(text("FP32 accumulators %.1f, FP16 %.1f FLOP/clk/SM: a ratio of %.3f", full, half,
                   half / full));
  session.predict(3, claim, near(half / full, geforce ? 2 : 1));
}

// Cycles that sm__pipe_tensor_op_hmma_cycles_active adds for each m16n8k16, whatever its
// accumulators: 16 on sm_89 (Ada account), 6 on sm_90 (an H200 under ncu). 0: not known.
int counted_cycles(int compute) { return compute == 89 ? 16 : compute == 90 ? 6 : 0; }

void hmma_cycles(Session& session, double full) {
  session.section("Trap 2: the counter that stops near 50 %");
  const int compute = session.device().compute, counted = counted_cycles(compute);
  const std::string counter = "sm__pipe_tensor_op_hmma_cycles_active";
  if (full == 0) {
    session.say(counter + " adds 16 cycles for each m16n8k16 on the account's card.");
    session.say(
        "At 512 FLOP/clk/SM one of them takes 4,096 / (512 / 4) = 32: it reads at most 50 %.");
    return;
  }
  if (compute < 80) return;
  const double cycles = 4096 / (full / 4);
  session.say(text("An m16n8k16 takes its sub-partition 4,096 / (%.1f / 4) = %.2f cycles here.",
                   full, cycles));
  if (counted > 0) {
    session.say(text("%s adds %d for it, so it reads at most %.1f %%.", counter.c_str(), counted,
                     std::min(100.0, 100 * counted / cycles)));
  }
  session.say(
      "And a share of peak has a denominator: without _sparsity_off it is the sparse peak,");
  session.say("twice the dense one, and this loop, as fast as it goes, would read half.");
}

void roof_in_tflops(Session& session, const Roofs& roofs, const std::string& name) {
  session.section("Trap 3: the roof in TFLOP/s");
  const char* claim = "back to back, FLOP/clk/SM stays what it was";
  const auto roof = roofs.find(name);
  if (roof == roofs.end()) {
    session.say("A loop of mma draws the most power there is, and the clock follows the power.");
    session.predict_unanswered(9, claim, kNeedsCard);
    return;
  }
  const auto kinds = mma_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const MmaKind& each) { return name == each.shape.name; });
  const LoadRun run =
      run_back_to_back(*kind, roof->second, session.device().properties, kLoadSeconds);
  const auto show = [&](const char* when, const LoadSample& sample) {
    const int clock = static_cast<int>(std::lround(sample.clock_mhz));
    session.rate({name + ", " + when, sample.tflops, "TFLOP/s", clock,
                  text("%.1f FLOP/clk/SM, %.0f W", sample.flop_per_clk_sm, sample.power_watts)});
  };
  show("rested", run.rested);
  show("after 1.5 s back to back", run.loaded);
  session.say(text("TFLOP/s fell by %.1f %%, the clock by %.1f %%.",
                   100 * (1 - run.loaded.tflops / run.rested.tflops),
                   100 * (1 - run.loaded.clock_mhz / run.rested.clock_mhz)));
  session.predict(9, claim, near(run.loaded.flop_per_clk_sm, run.rested.flop_per_clk_sm));
}

constexpr const char* kLoopClaim = "what four warps miss is the loop's, and an eighth of it at 128";

// An iteration costs its mma and the way back to its start. Alone on its scheduler, a warp waits
// for the second; with another beside it, the tensor core does not.
void judge_loops(Session& session, const Roof& roof, double full) {
  if (roof.loops.empty()) {
    session.predict_unanswered(10, kLoopClaim, "this device has no m16n8k16");
    return;
  }
  const auto cycles = [](double rate) { return 4096 / (rate / 4); };
  const int shortest = roof.loops.begin()->first, longest = roof.loops.rbegin()->first;
  const double missing = cycles(roof.loops.begin()->second) - cycles(full);
  const double predicted = cycles(full) + missing * shortest / longest;
  const double measured = cycles(roof.loops.rbegin()->second);
  session.predict(10,
                  text("%s (%.1f cycles an iteration; at %d %.3f a mma predicted, %.3f measured)",
                       kLoopClaim, missing * shortest, longest, predicted, measured),
                  near(measured, predicted));
}

void compare(Session& session, const Roofs& roofs, const Names& names) {
  session.section("One rate beside another");
  const char* integer = "INT8 is twice as fast as FP16 with FP16 accumulators";
  const char* shape = "m16n8k8 reaches the rate of m16n8k16";
  const char* warps = "four warps, one a scheduler, reach the roof of FP16→FP32";
  const double half = rate_of(roofs, names.half), bytes = rate_of(roofs, names.integer);
  const double full = rate_of(roofs, names.full), k8 = rate_of(roofs, "m16n8k8 FP16→FP32");
  if (full == 0 || half == 0 || bytes == 0 || k8 == 0) {
    for (const auto& [number, claim] :
         {std::pair{4, integer}, {5, shape}, {6, warps}, {10, kLoopClaim}}) {
      session.predict_unanswered(number, claim, kNeedsCard);
    }
    return;
  }
  session.predict(4, text("%s (%.3f times)", integer, bytes / half), near(bytes / half, 2));
  if (session.device().compute < 80) {
    session.predict_unanswered(5, shape, "this device has no m16n8k16");
  } else {
    session.predict(5, text("%s (%.3f of it)", shape, k8 / full), near(k8 / full, 1));
  }
  double four = 0;
  for (const auto& [at, rate] : roofs.at(names.full).grid) {
    if (at.first == 4) four = std::max(four, rate);
  }
  session.predict(6, text("%s (%.3f of it)", warps, four / full), near(four / full, 1));
  judge_loops(session, roofs.at(names.full), full);
}

}  // namespace

void explain_traps(Session& session, const Roofs& roofs) {
  const Names names = names_for(session);
  compare(session, roofs, names);
  accumulate_width(session, rate_of(roofs, names.full), rate_of(roofs, names.half));
  hmma_cycles(session, rate_of(roofs, names.full));
  roof_in_tflops(session, roofs, names.full);
}

}  // namespace day
