#include "harness/gemm_day.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gates/inputs.h"
#include "harness/cublas.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "harness/memory_need.h"

namespace tcd::harness {

namespace {

struct Options {
  std::string m, n, k;
  std::string variant;
  std::string control;
  bool all = false;
  bool gate_only = false;
};

Tiling tiling_of(const GemmVariant& variant) {
  return {variant.shape.cta_m, variant.shape.cta_n, variant.warps_m, variant.warps_n, true, true};
}

// The same problem, with what this variant does to a sum.
GemmProblem finished_by(const GemmVariant& variant, GemmProblem problem) {
  problem.bias = variant.bias;
  problem.relu = variant.relu;
  problem.separate = variant.separate;
  return problem;
}

// One line for everything that passed, and every failure in full.
class Summary {
 public:
  explicit Summary(std::string name) : name_(std::move(name)) {}

  void add(std::vector<GateResult> gates) {
    ++runs_;
    for (GateResult& gate : gates) {
      checked_ += gate.checked();
      if (!gate.passed()) failures_.push_back(std::move(gate));
    }
  }
  bool record(Session& session, const std::string& what) {
    for (GateResult& failure : failures_) session.gate(std::move(failure));
    if (!failures_.empty()) return false;
    return session.gate(GateResult::pass(
        name_ + ", " + std::to_string(runs_) + " " + what, checked_,
        "passed (" + with_separators(checked_) + " elements and guards, bit for bit)"));
  }

 private:
  std::string name_;
  int runs_ = 0;
  int64_t checked_ = 0;
  std::vector<GateResult> failures_;
};

// Every shape with half and with float output: the store to half hides small errors.
bool gate_shapes(Session& session, const GemmDay& day, const GemmVariant& variant) {
  Summary summary(variant.name);
  for (const GemmProblem& shape : day.shapes) {
    const GemmProblem problem = finished_by(variant, shape);
    const std::string name = variant.name;
    summary.add(check_gemm<__half>(name + ", f16", session.seed(), problem, variant.shape,
                                   tiling_of(variant), variant.launch));
    summary.add(check_gemm<float>(name + ", f32", session.seed(), problem, variant.shape,
                                  tiling_of(variant), variant.launch_f32));
  }
  return summary.record(session, "runs on " + std::to_string(day.shapes.size()) + " shapes");
}

// "counted: 2,880 ldmatrix, 34,560 bank conflicts (12 each); 960 cp.async, …"
std::string counts_line(const std::map<std::string, uint64_t>& counters) {
  const auto count = [&](const char* name) {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : static_cast<int64_t>(found->second);
  };
  const auto each = [&](const char* name, const char* of) {
    char text[32];
    std::snprintf(text, sizeof text, " (%.4g each)",
                  static_cast<double>(count(name)) / static_cast<double>(count(of)));
    return with_separators(count(name)) + text;
  };
  std::string line = "counted: " + with_separators(count("hmma")) + " mma";
  if (count("ldmatrix") > 0) {
    line += "; " + with_separators(count("ldmatrix")) + " ldmatrix, bank conflicts " +
            each("ldmatrix_bank_conflicts", "ldmatrix");
  }
  if (count("async_copies") > 0) {
    line += "; " + with_separators(count("async_copies")) + " cp.async, write wavefronts " +
            each("cp_async_wavefronts", "async_copies");
  }
  return line;
}

// The headline size once: gated, and on the emulated device counted.
bool run_headline(Session& session, const GemmProblem& problem, GemmDay::Findings& found,
                  Control control) {
  reset_counters();
  const GemmVariant& variant = *found.variant;
  const bool passed = gate_gemm<__half>(session, variant.name, problem, variant.shape,
                                        tiling_of(variant), variant.launch, control);
  found.counters = read_counters();
  if (!found.counters.empty()) {
    nlohmann::json entry = found.counters;
    entry["size"] = problem.text();
    for (const auto& [knob, value] : variant.knobs) entry[knob] = value;
    session.derive(variant.name, entry);
    session.say(counts_line(found.counters));
  }
  return passed;
}

// Says why a variant cannot run here, or "" when it can.
std::string why_not(const GemmVariant& variant, const DeviceInfo& device) {
  const size_t allowed = device.properties.sharedMemPerBlockOptin;
  if (variant.dynamic_shared_bytes <= allowed) return "";
  return "needs " + with_separators(static_cast<int64_t>(variant.dynamic_shared_bytes)) +
         " bytes of shared memory a CTA, this device allows " +
         with_separators(static_cast<int64_t>(allowed));
}

struct TimingBuffers {
  DeviceBuffer<uint16_t> a, b;
  DeviceBuffer<__half> d;
  DeviceBuffer<float> bias;
  GemmArguments<__half> arguments;

  TimingBuffers(const GemmProblem& problem, uint64_t seed)
      : a(random_for_timing(row_major(problem.m, problem.k), seed).bits),
        b(random_for_timing(column_major(problem.k, problem.n), seed + 1).bits),
        d(static_cast<size_t>(problem.m) * problem.n),
        bias(std::vector<float>(problem.n, 1.0f)),
        arguments{problem.m,    problem.n,
                  problem.k,    a.as<__half>(),
                  problem.k,    b.as<__half>(),
                  problem.k,    d.data(),
                  problem.n,    problem.bias ? bias.data() : nullptr,
                  problem.group} {}
};

void time_variants(Session& session, GemmProblem problem,
                   std::vector<GemmDay::Findings>& findings) {
  session.section("Times at " + problem.text() + ", random inputs");
  for (const auto& found : findings) problem.bias = problem.bias || found.variant->bias;
  const TimingBuffers buffers(problem, session.seed());
  const double flop = 2.0 * problem.m * problem.n * problem.k;
  std::vector<Candidate> candidates;
  std::vector<GemmDay::Findings*> timed;
  for (auto& found : findings) {
    if (!found.passed) continue;
    GemmArguments<__half> arguments = buffers.arguments;
    if (found.variant->group > 0) arguments.group = found.variant->group;
    candidates.push_back({found.variant->name, flop,
                          [arguments, variant = found.variant] { variant->launch(arguments); }});
    timed.push_back(&found);
  }
  std::string why;
  const auto cublas = Cublas::open(why);
  if (cublas) {
    candidates.push_back({"cuBLAS", flop, [&] { cublas->gemm(buffers.arguments); }});
  } else {
    session.say("cuBLAS: not compared: " + why);
  }
  const std::vector<Timing> timings = time_launches(candidates);
  for (size_t i = 0; i < timings.size(); ++i) {
    session.timing(timings[i]);
    if (i < timed.size()) timed[i]->tflops = timings[i].tflops();
  }
}

std::string names_of(const std::vector<GemmVariant>& variants) {
  std::string names;
  for (const auto& variant : variants) names += (names.empty() ? "'" : ", '") + variant.name + "'";
  return names;
}

// The one named; or all, on the emulated device without those that wait to be asked for.
std::vector<const GemmVariant*> chosen_variants(const GemmDay& day, const Options& options,
                                                bool emulated) {
  std::vector<const GemmVariant*> chosen;
  for (const GemmVariant& variant : day.variants) {
    const bool unasked = options.all || !emulated || !variant.on_request;
    if (options.variant.empty() ? unasked : options.variant == variant.name) {
      chosen.push_back(&variant);
    }
  }
  if (chosen.empty()) {
    throw UsageError("there is no variant '" + options.variant +
                     "'; choose from: " + names_of(day.variants));
  }
  return chosen;
}

bool at_full_size(const GemmVariant& variant, const Options& options) {
  return variant.headline || options.all || !options.variant.empty();
}

// A control that breaks nothing, because nothing of it fits here, must not count as passed.
void require_something_to_break(const std::vector<const GemmVariant*>& chosen,
                                const Options& options, const DeviceInfo& device) {
  std::string reasons;
  for (const GemmVariant* variant : chosen) {
    if (!at_full_size(*variant, options)) continue;
    const std::string reason = why_not(*variant, device);
    if (reason.empty()) return;
    reasons += (reasons.empty() ? "'" : "; '") + variant->name + "' " + reason;
  }
  throw UsageError("--control " + options.control + " has nothing to break here: " + reasons);
}

void run_variants(Session& session, const GemmDay& day, const Options& options,
                  const GemmProblem& headline, Control control,
                  const std::vector<const GemmVariant*>& chosen) {
  std::vector<GemmDay::Findings> findings;
  session.section("Gates");
  for (const GemmVariant* variant : chosen) {
    GemmDay::Findings found;
    found.variant = variant;
    const std::string reason = why_not(*variant, session.device());
    found.fits = reason.empty();
    if (!found.fits) {
      session.not_run(variant->name, reason);
      findings.push_back(std::move(found));
      continue;
    }
    found.passed = control != Control::kNone || gate_shapes(session, day, *variant);
    if (at_full_size(*variant, options)) {
      GemmProblem problem = finished_by(
          *variant,
          control == Control::kNone ? headline : shape_for_controls(headline, variant->shape));
      if (variant->group > 0) problem.group = variant->group;
      found.passed = run_headline(session, problem, found, control) && found.passed;
    }
    findings.push_back(std::move(found));
  }
  session.section("What it costs");
  for (auto& found : findings) {
    if (!found.fits) continue;
    found.resources =
        query_resources(found.variant->shape.kernel, found.variant->name,
                        found.variant->shape.threads, found.variant->dynamic_shared_bytes);
    session.resources(found.resources);
  }
  if (session.emulated()) {
    session.say("times: none here; the emulated device has no time of its own, and no cuBLAS");
  } else if (!options.gate_only) {
    time_variants(session, headline, findings);
  }
  if (day.after && options.variant.empty() && control == Control::kNone) {
    day.after(session, findings);
  }
}

int multiple_of(const GemmDay& day, int GemmShape::*side, int step) {
  if (step > 0) return step;
  int multiple = 1;
  for (const GemmVariant& variant : day.variants)
    multiple = std::max(multiple, variant.shape.*side);
  return multiple;
}

}  // namespace

std::vector<GemmProblem> full_tile_shapes() {
  constexpr Order kB = Order::kColumnMajor;
  return {{128, 128, 32, 0, kB},   {128, 128, 64, 8, kB},  {256, 128, 96, 8, kB},
          {128, 384, 224, 16, kB}, {640, 128, 128, 0, kB}, {128, 128, 1024, 8, kB},
          {384, 256, 160, 8, kB},  {256, 512, 288, 24, kB}};
}

int run_gemm_day(int argc, char** argv, const GemmDay& day) {
  Options options;
  options.m = std::to_string(day.headline.m);
  options.n = std::to_string(day.headline.n);
  options.k = std::to_string(day.headline.k);
  const int tile_m = multiple_of(day, &GemmShape::cta_m, day.step_m);
  const int tile_n = multiple_of(day, &GemmShape::cta_n, day.step_n);
  const int tile_k = multiple_of(day, &GemmShape::cta_k, day.step_k);
  const auto add_options = [&](CLI::App& app) {
    const auto size = [&](const char* name, std::string& value, const char* what, int multiple) {
      const std::string rule = multiple > 1 ? ", a multiple of " + std::to_string(multiple) : "";
      app.add_option(name, value, what + rule)->capture_default_str();
    };
    size("--m", options.m, "Rows of A and D", tile_m);
    size("--n", options.n, "Columns of B and D", tile_n);
    size("--k", options.k, "Columns of A, rows of B", tile_k);
    app.add_option("--variant", options.variant,
                   "Run one variant only, at full size: " + names_of(day.variants));
    app.add_flag("--all", options.all, "Run every variant, each at full size")
        ->excludes("--variant");
    app.add_option("--control", options.control,
                   "Break the run on purpose and see which gate says so: " + control_names());
    app.add_flag("--gate-only", options.gate_only, "On a card: gates and counts, no times");
    if (day.add_options) day.add_options(app);
  };
  return run_day(argc, argv, day.info, add_options, [&](Session& session) {
    GemmProblem headline = day.headline;
    headline.m = parse_size("--m", options.m, tile_m);
    headline.n = parse_size("--n", options.n, tile_n);
    headline.k =
        parse_size("--k", options.k, tile_k, day.step_k > 0 ? "a 16-byte copy" : "the tile");
    const uint64_t inputs = uint64_t(headline.m) * headline.k + uint64_t(headline.n) * headline.k;
    const uint64_t outputs = uint64_t(headline.m) * headline.n;
    require_memory(headline.text(), inputs * 2 + outputs * 4, inputs * 8 + outputs * 16);
    // What was typed wrongly is said before anything runs.
    const Control control = parse_control(options.control);
    const auto chosen = chosen_variants(day, options, session.emulated());
    if (control != Control::kNone) require_something_to_break(chosen, options, session.device());
    if (day.before) day.before(session);
    run_variants(session, day, options, headline, control, chosen);
  });
}

}  // namespace tcd::harness
