// The bench: the days' GEMMs, cuBLAS and the peer in one process, so that one run compares them.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/device.h"
#include "bench/gates.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "bench/soak.h"
#include "harness/emulator_counters.h"
#include "harness/memory_need.h"
#include "harness/output_file.h"
#include "harness/usage.h"

namespace tcd::bench {

namespace {

using harness::Session;

struct Options {
  std::vector<std::string> days, sizes{"4096"}, only;
  std::string peer, csv, baseline, control;
  bool every_variant = false, gate_only = false, no_cublas = false, launch_once = false;
  int rounds = 40, guesses = 8, soak = 0;
  double rest_ms = 0;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--day", options.days, "Time this day's kernels only; again for another");
  app.add_flag("--all", options.every_variant,
               "Every variant of a day, not the headline ones only");
  app.add_option("--only", options.only,
                 "Keep candidates with this text in their name; again for another");
  app.add_option("--size", options.sizes, "M = N = K, a multiple of 256; again for another")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Samples of each candidate")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  app.add_option("--rest", options.rest_ms,
                 "Milliseconds of sleep after a sample; default: 20 times the sample, 10 to 60")
      ->check(CLI::Range(0.0, 10000.0));
  app.add_option("--guesses", options.guesses, "How many guesses of cuBLASLt's heuristic")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  app.add_flag("--no-cublas", options.no_cublas, "Leave cuBLAS out");
  app.add_option("--peer", options.peer, "A library of peer kernels: build/gpu/libpeer.so");
  app.add_option("--baseline", options.baseline,
                 "Say what the others cost beside this candidate, by the pairs of each round");
  app.add_option("--soak", options.soak,
                 "In place of samples: one kernel for so many seconds without a pause, with power, "
                 "clock and temperature; the last of the days' that are wanted")
      ->check(CLI::Range(1, 86400));
  app.add_option("--csv", options.csv, "Write a row a candidate and size to this file");
  app.add_option("--control", options.control,
                 "Break the gate of the full size on purpose: one-bit, unwritten");
  app.add_flag("--launch-once", options.launch_once,
               "In place of times: one launch of each, for a profiler (cudaProfilerStart before, a "
               "clock_kernel after each); on the emulated device, counted");
  app.add_flag("--gate-only", options.gate_only,
               "Gates, no times; runs on the emulated device too");
}

bool is_wanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& text) {
           return name.find(text) != std::string::npos;
         });
}

std::vector<Candidate> gather(Session& session, const Options& options, const Size& size) {
  std::vector<Candidate> all = day_candidates(options.days, options.every_variant);
  if (!options.no_cublas && options.soak == 0 && !session.emulated()) {
    std::string why;
    for (Candidate& one : cublas_candidates(size, options.guesses, why)) {
      all.push_back(std::move(one));
    }
    if (!why.empty()) session.say("cuBLAS: not compared, or in part: " + why);
  }
  if (!options.peer.empty() && options.soak == 0) {
    for (Candidate& one : peer_candidates(options.peer)) all.push_back(std::move(one));
  }
  std::erase_if(all, [&](const Candidate& one) { return !is_wanted(one.name, options.only); });
  if (all.empty()) {
    throw harness::UsageError("no candidate has '" + options.only.front() +
                              "' in its name; leave --only out to see all names");
  }
  return all;
}

void refuse_what_does_not_fit(Session& session, Candidate& candidate) {
  if (!candidate.variant) return;
  const auto needs = static_cast<int64_t>(candidate.variant->dynamic_shared_bytes);
  const auto allowed = static_cast<int64_t>(session.device().properties.sharedMemPerBlockOptin);
  if (needs <= allowed) return;
  candidate.refused = "needs " + with_separators(needs) +
                      " bytes of shared memory a CTA, this device allows " +
                      with_separators(allowed);
  session.not_run(candidate.name, candidate.refused);
}

void run_gates(Session& session, std::vector<Candidate>& candidates, Inputs& inputs, Spoil spoil) {
  session.section("Gates");
  for (Candidate& candidate : candidates) {
    refuse_what_does_not_fit(session, candidate);
    candidate.passed =
        candidate.refused.empty() && (!candidate.variant || gate_few_tiles(session, candidate));
  }
  gate_full_size(session, candidates, inputs, spoil);
  for (Candidate& candidate : candidates) {
    if (!candidate.passed || !candidate.variant) continue;
    const GemmVariant& variant = *candidate.variant;
    candidate.resources = harness::query_resources(
        variant.shape.kernel, candidate.name, variant.shape.threads, variant.dynamic_shared_bytes);
  }
}

Roof show_roof(Session& session) {
  session.section("The roof of mma.sync");
  const Roof roof = measure_roof(session.device());
  session.rate({"roof", roof.flop_per_clock_and_sm, "FLOP/clk/SM", 0, roof.how});
  return roof;
}

// A profiler that is told to wait (ncu --profile-from-start off) sees what lies between these.
// Looked up by name: the emulated runtime has none.
void tell_profiler(const char* function) {
  if (auto* call = reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_DEFAULT, function))) call();
}

// A library may launch several kernels: the clock_kernel says where one candidate ends.
void launch_each(Session& session, const std::vector<Candidate>& candidates, const Inputs& inputs) {
  session.section("One launch of each at " + inputs.size().text());
  tell_profiler("cudaProfilerStart");
  for (const Candidate& candidate : candidates) {
    if (!candidate.passed) continue;
    session.say("launched: " + candidate.name);
    harness::reset_counters();
    candidate.launch(inputs.next(candidate.group));
    harness::check_launch(candidate.name.c_str());
    const auto counters = harness::read_counters();
    if (!counters.empty()) {
      nlohmann::json entry = counters;
      entry["size"] = inputs.size().text();
      session.derive(candidate.name, entry);
    }
    start_clock_probe();
    read_clock_probe();
  }
  tell_profiler("cudaProfilerStop");
}

void run_soak(Session& session, const Candidate& candidate, const Inputs& inputs, int seconds) {
  if (!candidate.passed) return;
  session.section("Soak of " + candidate.name + ", " + std::to_string(seconds) + " s at " +
                  inputs.size().text() + ", random inputs");
  show(session, candidate, inputs.size(), soak(candidate, inputs, seconds));
}

struct Csv {
  harness::OutputFile file;
  std::string text = csv_head();
};

void run_size(Session& session, const Options& options, const Size& size, const Roof& roof,
              Csv& csv) {
  const auto l2_bytes = session.device().properties.l2CacheSize;
  const int sets = options.gate_only || options.launch_once ? 1 : sets_for(size, l2_bytes);
  const uint64_t inputs_bytes = 2ull * size.k * (size.m + size.n);
  const uint64_t d_bytes = 2ull * size.m * size.n;
  harness::require_memory(size.text(), sets * inputs_bytes + 4 * d_bytes,
                          3 * inputs_bytes + 4 * d_bytes);
  Inputs inputs(size, sets);
  std::vector<Candidate> candidates = gather(session, options, size);
  if (options.soak > 0) candidates = {candidates.back()};
  run_gates(session, candidates, inputs, parse_spoil(options.control));
  if (options.gate_only || !options.control.empty()) return;  // broken on purpose: no times
  inputs.upload(random_for_timing(row_major(size.m, size.k), session.seed()),
                random_for_timing(column_major(size.k, size.n), session.seed() + 1));
  if (options.launch_once) return launch_each(session, candidates, inputs);
  if (options.soak > 0) return run_soak(session, candidates.front(), inputs, options.soak);
  session.section("Times at " + size.text() + ", random inputs, " + std::to_string(sets) +
                  " sets, " + std::to_string(options.rounds) + " rounds");
  std::vector<const Candidate*> timed;
  for (const Candidate& candidate : candidates) {
    if (candidate.passed) timed.push_back(&candidate);
  }
  const auto measurements =
      measure(timed, inputs, {options.rounds, options.rest_ms, session.seed()});
  const Yardsticks sticks =
      yardsticks(measurements, options.baseline,
                 roof.flop_per_clock_and_sm * session.device().properties.multiProcessorCount);
  if (!options.baseline.empty() && !sticks.baseline) {
    throw harness::UsageError("--baseline '" + options.baseline + "' is no candidate that passed");
  }
  show(session, measurements, sticks);
  const nlohmann::json provenance = session.to_json().at("provenance");
  for (const Measurement& one : measurements) {
    const nlohmann::json entry = to_json(one, sticks, size);
    csv.text += csv_row(entry, provenance);
    session.keep_timing(entry);
  }
  csv.file.write(csv.text);  // after each size: who interrupts keeps what was finished
}

const harness::DayInfo kInfo = {
    .number = "bench",
    .title = "bench",
    .summary =
        "the days' GEMMs, cuBLAS and the peer, gated, interleaved and rested between samples",
    .minimum_compute = 80,
    .without_card =
        "It measures a card. Without one, `./day run` gates every day and counts what it "
        "does, `./day bench emulator` times the emulated device itself."};

int run(int argc, char** argv) {
  Options options;
  return harness::run_day(
      argc, argv, kInfo, [&](CLI::App& app) { add_options(app, options); },
      [&](Session& session) {
        if (session.emulated() && !options.gate_only && !options.launch_once) {
          throw harness::UsageError(
              "bench measures, and the emulated device has no time of its own. Add --gate-only for "
              "the gates; `./day run` counts what each day does; `./day bench` runs on a card");
        }
        std::vector<Size> sizes;
        for (const std::string& text : options.sizes) {
          const int size = harness::parse_size("--size", text, 256, "every day's tile");
          sizes.push_back({size, size, size});
        }
        Csv csv{harness::OutputFile("--csv", options.csv)};
        const bool timed = !options.gate_only && options.control.empty() && options.soak == 0 &&
                           !options.launch_once;
        const Roof roof = timed ? show_roof(session) : Roof{};
        for (const Size& size : sizes) run_size(session, options, size, roof, csv);
      });
}

}  // namespace

}  // namespace tcd::bench

int main(int argc, char** argv) { return tcd::bench::run(argc, argv); }
