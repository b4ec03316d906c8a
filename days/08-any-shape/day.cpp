// Day 08: shapes with remainders on every side, what edges cost, and what is refused.
#include "day.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::harness::GemmProblem;
using tcd::harness::Session;
using Findings = std::vector<tcd::harness::GemmDay::Findings>;
using Counters = std::map<std::string, uint64_t>;

// One element, one row, one column, one off the tile on either side, remainders everywhere.
std::vector<GemmProblem> shapes_with_edges() {
  constexpr auto kB = tcd::Order::kColumnMajor;
  return {{1, 1, 8, 0, kB},       {128, 128, 32, 0, kB}, {127, 129, 40, 8, kB},
          {129, 127, 24, 0, kB},  {1, 300, 104, 8, kB},  {300, 1, 8, 16, kB},
          {257, 130, 488, 8, kB}, {130, 258, 64, 0, kB}, {384, 256, 160, 8, kB},
          {1000, 24, 520, 0, kB}, {24, 1000, 56, 8, kB}, {128, 128, 1032, 0, kB}};
}

constexpr int kM = 200, kN = 300, kK = 104;  // 2 × 3 tiles, 4 k-tiles, all with a remainder

void compare_with_yesterday(Session& session, const tcd::GemmVariant& plain) {
  const char* text = "on whole tiles it executes what Day 07 executes: every counter is equal";
  if (!session.emulated()) {
    session.predict_unanswered(2, text, "counted on the emulated device");
    return;
  }
  const Counters today = day::count_launch(plain.launch, 384, 256, 160);
  const Counters yesterday = day::count_launch(day::launch_yesterday, 384, 256, 160);
  session.say("384×256×160: " + std::to_string(yesterday.at("warp_instructions")) +
              " warp instructions yesterday, " + std::to_string(today.at("warp_instructions")) +
              " today");
  session.derive("whole tiles, 384×256×160", {{"today", today.at("warp_instructions")},
                                              {"yesterday", yesterday.at("warp_instructions")}});
  session.predict(2, text, today == yesterday && today.at("hmma") > 0);
}

void judge_edges(Session& session, const tcd::GemmVariant& plain) {
  const char* reads = "copies read what is there and no more: 2·K·(M·⌈N/128⌉ + N·⌈M/128⌉) bytes";
  const char* writes = "stores write M·N elements, two bytes each";
  const char* work = "an edge tile costs as much as a whole one: mma of ⌈M⌉·⌈N⌉·⌈K⌉";
  if (!session.emulated()) {
    for (const auto& [number, text] : {std::pair{3, reads}, {4, writes}, {5, work}}) {
      session.predict_unanswered(number, text, "counted on the emulated device");
    }
    return;
  }
  const Counters counted = day::count_launch(plain.launch, kM, kN, kK);
  constexpr uint64_t kRows = 2, kColumns = 3, kTiles = 4;
  const uint64_t read = 2 * kK * (kM * kColumns + kN * kRows);
  const uint64_t mma = kRows * kColumns * kTiles * (128 * 128 * 32 / (16 * 8 * 16));
  const double useful = 1.0 * kM * kN * kK / static_cast<double>(mma * 16 * 8 * 16);
  char line[160];
  std::snprintf(line, sizeof line,
                "%d×%d×%d: %d bytes read by cp.async, %d stored, %d mma, of whose products %.1f %% "
                "are wanted",
                kM, kN, kK, static_cast<int>(counted.at("cp_async_bytes")),
                static_cast<int>(counted.at("global_store_bytes")),
                static_cast<int>(counted.at("hmma")), 100 * useful);
  session.say(line);
  session.derive("edges, 200×300×104", counted);
  session.predict(3, reads, counted.at("cp_async_bytes") == read);
  session.predict(4, writes, counted.at("global_store_bytes") == 2ull * kM * kN);
  session.predict(5, work, counted.at("hmma") == mma);
}

void judge_guards(Session& session, const Findings& findings) {
  const char* text = "guards on whole tiles cost instructions, and no mma, ldmatrix or cp.async";
  const auto& plain = findings.front();
  const auto& guarded = findings.back();
  if (session.emulated()) {
    const Counters without = day::count_launch(plain.variant->launch, 384, 256, 160);
    const Counters with = day::count_launch(guarded.variant->launch, 384, 256, 160);
    bool same = true;
    for (const char* name : {"hmma", "ldmatrix", "async_copies", "barriers"}) {
      same = same && with.at(name) == without.at(name);
    }
    const uint64_t a = without.at("warp_instructions"), b = with.at("warp_instructions");
    char line[160];
    std::snprintf(line, sizeof line, "%s (%.1f %% more instructions)", text,
                  100.0 * (static_cast<double>(b) / static_cast<double>(a) - 1));
    session.derive("guards on whole tiles", {{"without", a}, {"with", b}});
    session.predict(6, line, same && b > a);
  } else {
    session.predict_unanswered(6, text, "counted on the emulated device");
  }
  const char* time = "the guarded instance is slower than the whole one at 4096³";
  if (plain.tflops <= 0 || guarded.tflops <= 0) {
    session.predict_unanswered(7, time, "no times here");
    return;
  }
  char line[160];
  std::snprintf(line, sizeof line, "%s (%.3f times as fast)", time, guarded.tflops / plain.tflops);
  session.predict(7, line, guarded.tflops < plain.tflops);
}

void judge(Session& session, const Findings& findings) {
  session.section("The predictions");
  bool passed = true;
  for (const auto& found : findings) passed = passed && found.passed;
  session.predict(
      1, "every bit is right on twelve shapes, eleven of them with a remainder or skinny", passed);
  const tcd::GemmVariant& plain = *findings.front().variant;
  compare_with_yesterday(session, plain);
  judge_edges(session, plain);
  judge_guards(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"08", "any shape",
               "any M and N, K a multiple of 8: zero-filled copies, guarded stores", 80};
  gemm.variants = day::variants();
  gemm.shapes = shapes_with_edges();
  int group = 0;
  for (auto& shape : gemm.shapes) shape.group = group++ % 3 + 1;
  gemm.step_m = gemm.step_n = 1;
  gemm.step_k = 8;
  gemm.before = [&](Session& session) {
    session.section("What is refused");
    session.gate(day::gate_refusals(gemm.variants[1]));
  };
  gemm.after = judge;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
