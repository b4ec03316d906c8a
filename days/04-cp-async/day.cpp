// Day 04: the stage table, and what each number of stages costs.
#include "day.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::harness::Session;
using Found = tcd::harness::GemmDay::Findings;
using Findings = std::vector<Found>;

int stages_of(const Found& found) { return found.variant->knobs.front().second; }

// What the page computes by hand: registers allow two CTAs, shared memory perhaps fewer.
int predicted_ctas(const Found& found, const cudaDeviceProp& device) {
  const size_t one = found.variant->dynamic_shared_bytes + device.reservedSharedMemPerBlock;
  return std::min(2, static_cast<int>(device.sharedMemPerMultiprocessor / one));
}

void show_table(Session& session, const Findings& findings) {
  session.section("The stage table");
  session.say("stages   shared memory a CTA   CTAs/SM   TFLOP/s");
  for (const Found& found : findings) {
    char line[96], rate[16] = "-";
    const int kib = static_cast<int>(found.variant->dynamic_shared_bytes / 1024);
    if (found.tflops > 0) std::snprintf(rate, sizeof rate, "%.2f", found.tflops);
    if (found.fits) {
      std::snprintf(line, sizeof line, "%4d %15d KiB %13d %12s", stages_of(found), kib,
                    found.resources.ctas_per_sm, rate);
    } else {
      std::snprintf(line, sizeof line, "%4d %15d KiB   does not fit this device", stages_of(found),
                    kib);
    }
    session.say(line);
  }
}

bool residency_as_predicted(const Session& session, const Findings& findings) {
  for (const Found& found : findings) {
    if (!found.fits) continue;
    if (found.resources.ctas_per_sm != predicted_ctas(found, session.device().properties)) {
      return false;
    }
  }
  return true;
}

// The same work at every depth but one: the single stage needs a second barrier in each k-tile.
void judge_counts(Session& session, const Findings& findings) {
  const char* copies = "a warp copies a k-tile with 4 cp.async, whatever the depth";
  const char* barriers = "one barrier a k-tile from two stages on, two with a single stage";
  if (!session.emulated()) {
    session.predict_unanswered(3, copies, "counted on the emulated device");
    session.predict_unanswered(4, barriers, "counted on the emulated device");
    return;
  }
  bool copies_held = true, barriers_held = true;
  for (const Found& found : findings) {
    if (!found.fits) continue;
    const day::DepthCounts counted = day::count_depth(*found.variant);
    const uint64_t per_tile = stages_of(found) == 1 ? 2 : 1;
    copies_held = copies_held && counted.async_copies == 4 * counted.warp_tiles &&
                  counted.copies_through_registers == 0;
    barriers_held = barriers_held && counted.barriers == per_tile * counted.warp_tiles;
    session.say(found.variant->name + ": " +
                std::to_string(counted.async_copies / counted.warp_tiles) + " cp.async and " +
                std::to_string(counted.barriers / counted.warp_tiles) +
                " barrier(s) a warp and k-tile");
    session.derive(found.variant->name + ", a warp and k-tile",
                   {{"cp.async", counted.async_copies / counted.warp_tiles},
                    {"barriers a k-tile", counted.barriers / counted.warp_tiles}});
  }
  session.predict(3, copies, copies_held);
  session.predict(4, barriers, barriers_held);
}

void judge_times(Session& session, const Findings& findings) {
  const char* overlap = "two stages are faster than one";
  const char* cliff = "the first depth with one CTA an SM is slower than the last with two";
  const Found *one = nullptr, *two = nullptr, *last = nullptr, *first = nullptr;
  for (const Found& found : findings) {
    if (found.tflops <= 0) continue;
    if (stages_of(found) == 1) one = &found;
    if (stages_of(found) == 2) two = &found;
    if (found.resources.ctas_per_sm == 2) last = &found;
    if (found.resources.ctas_per_sm == 1 && !first) first = &found;
  }
  if (!one || !two) {
    session.predict_unanswered(5, overlap, "no times here");
    session.predict_unanswered(6, cliff, "no times here");
    return;
  }
  char text[128];
  std::snprintf(text, sizeof text, "%s (%.3f times as fast)", overlap, two->tflops / one->tflops);
  session.predict(5, text, two->tflops > one->tflops);
  if (!first || !last) {
    session.predict_unanswered(6, cliff, "this device holds the same number at every depth");
    return;
  }
  std::snprintf(text, sizeof text, "%s (%s: %.3f times as fast as %s)", cliff,
                first->variant->name.c_str(), first->tflops / last->tflops,
                last->variant->name.c_str());
  session.predict(6, text, first->tflops < last->tflops);
}

void judge(Session& session, const Findings& findings) {
  show_table(session, findings);
  session.section("The predictions");
  const auto passed = [](const Found& found) { return found.passed || !found.fits; };
  session.predict(1, "every depth that fits is right, every bit",
                  std::all_of(findings.begin(), findings.end(), passed));
  session.predict(2, "registers allow two CTAs an SM; 16 KiB a stage and the reserve decide",
                  residency_as_predicted(session, findings));
  judge_counts(session, findings);
  judge_times(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"04", "cp.async pipeline", "one to six tiles in flight, one barrier per k-tile", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  gemm.after = judge;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
