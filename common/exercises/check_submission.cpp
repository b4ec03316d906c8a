// check_submission exercise.json submission.ptx verdict.json [seed [seconds [shapes [device]]]]:
// runs the PTX of a submission and writes what the gates, the checks and the limits say.
// `./day check` makes the PTX and puts the verdict into words. A kernel is stopped after so many
// seconds. So many shapes are drawn from the seed and judged besides those of the exercise: a
// submission that only knows the shapes it was shown is found out. device: emulated, or gpu, which
// has no checks and no counters: the verdict lists what was not checked.
//
// The verdict goes to a file of its own: stdout belongs to the kernel's printf, and a submission
// that prints a verdict prints it there. Exit code 0: the verdict was written, whatever it says.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "counters/counter_table.h"
#include "exercises/cuda_driver.h"
#include "exercises/kinds.h"
#include "exercises/limits.h"
#include "gates/result_json.h"
#include "ptx/parser.h"

namespace tcd::exercises {
namespace {

using nlohmann::json;

struct Options {
  uint64_t seed = 1;
  uint64_t seconds = 10;  // a kernel that runs longer loops for ever
  uint64_t drawn_shapes = 0;
  bool card = false;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

json list(const std::vector<GateResult>& gates) {
  json out = json::array();
  for (const GateResult& gate : gates) out.push_back(to_json(gate));
  return out;
}

GateResult stopped(const std::string& message) {
  std::vector<std::string> lines;
  std::istringstream text(message);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return GateResult::fail("launch", 1, std::move(lines));
}

// A number for each counter with a bar, and for each the exercise wants shown.
json figures(const Manifest& manifest, const emu::LaunchCounters& counters) {
  json out = json::object();
  const auto add = [&](const std::string& name) {
    if (!name.empty()) out[name] = emu::find_counter(name)->value(counters);
  };
  for (const CounterBar& bar : manifest.counters) {
    add(bar.counter);
    add(bar.per);
  }
  for (const std::string& name : manifest.shown) add(name);
  return out;
}

void judge_launches(const Manifest& manifest, Workbench& bench, uint64_t seed,
                    std::vector<GateResult>& gates, json& reports) {
  try {
    for (GateResult& gate : judge_kind(manifest, bench, seed)) {
      gates.push_back(std::move(gate));
    }
  } catch (const KernelStopped& error) {
    gates.push_back(stopped(error.what()));
  }
  if (bench.observed() == nullptr) return;
  for (const auto& report : bench.observed()->reports) {
    reports.push_back({{"key", report.key}, {"text", report.text}});
  }
}

json describe(const Card& card) {
  return {{"name", card.name},
          {"architecture", "sm_" + std::to_string(card.compute)},
          {"sm_count", card.sm_count}};
}

// What stays open on a device that observes nothing.
json not_checked(const Manifest& manifest) {
  json names = {"checks"};
  for (const CounterBar& bar : manifest.counters) names.push_back(name_of(bar));
  return names;
}

json judge(const Manifest& manifest, const std::string& ptx, const Options& options) {
  json verdict = {{"gates", json::array()}, {"reports", json::array()}, {"limits", json::array()}};
  std::vector<GateResult> gates, limits;
  const auto seconds = static_cast<double>(options.seconds);
  if (options.card) verdict["device"] = describe(CudaDriver::instance().card);
  try {
    const emu::ptx::Module module = emu::ptx::parse(ptx);
    const auto new_bench = [&] {
      return options.card ? card_bench(ptx, module, manifest.kernel, seconds)
                          : emulated_bench(module, manifest.kernel, seconds);
    };
    const auto bench = new_bench();
    judge_launches(manifest, *bench, options.seed, gates, verdict["reports"]);
    if (manifest.kind == Kind::kGemm && options.drawn_shapes > 0 && gates.back().passed()) {
      // On a bench of its own: the bars on counters are those of the exercise's own shapes.
      Manifest drawn = manifest;
      drawn.gemm.shapes = draw_shapes(manifest.gemm, options.seed, options.drawn_shapes);
      const auto other = new_bench();
      judge_launches(drawn, *other, options.seed + 1000, gates, verdict["reports"]);
    }
    const auto add = [&](const std::vector<GateResult>& part) {
      limits.insert(limits.end(), part.begin(), part.end());
    };
    add(judge_ptx(manifest, module));
    verdict["wrong_numbers"] = wrong_numbers(manifest, module);
    add(judge_mma_chains(manifest, module));
    add(judge_shared_memory(manifest, *bench));
    if (const Observed* observed = bench->observed()) {
      add(judge_counters(manifest, observed->counters));
      verdict["counters"] = figures(manifest, observed->counters);
    } else {
      verdict["not_checked"] = not_checked(manifest);
    }
  } catch (const ManifestError&) {
    throw;  // ours, not the submission's
  } catch (const NoDevice&) {
    throw;  // this machine's
  } catch (const std::bad_alloc&) {
    gates.push_back(stopped("it needs more memory than there is for a submission"));
  } catch (const std::exception& error) {  // PTX that is none, no such kernel, no room for its data
    gates.push_back(stopped(error.what()));
  }
  verdict["gates"] = list(gates);
  verdict["limits"] = list(limits);
  return verdict;
}

bool is_card(const std::string& device) {
  if (device == "gpu" || device == "emulated") return device == "gpu";
  throw std::runtime_error("no such device: " + device + "; there are emulated and gpu");
}

uint64_t number(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) throw std::runtime_error("not a number: " + text);
  return value;
}

}  // namespace
}  // namespace tcd::exercises

int main(int argc, char** argv) {
  if (argc < 4 || argc > 8) {
    std::fprintf(stderr,
                 "usage: check_submission exercise.json submission.ptx verdict.json "
                 "[seed [seconds [shapes [emulated|gpu]]]]\n"
                 "./day check NUMBER does it all.\n");
    return 2;
  }
  try {
    tcd::exercises::Options options;
    if (argc > 4) options.seed = tcd::exercises::number(argv[4]);
    if (argc > 5) options.seconds = tcd::exercises::number(argv[5]);
    if (argc > 6) options.drawn_shapes = tcd::exercises::number(argv[6]);
    if (argc > 7) options.card = tcd::exercises::is_card(argv[7]);
    const auto manifest = tcd::exercises::read_manifest(argv[1]);
    const auto verdict =
        tcd::exercises::judge(manifest, tcd::exercises::read_file(argv[2]), options);
    std::ofstream out(argv[3]);
    out << verdict.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[3]);
    // A driver would wait at the end for a kernel that has none.
    if (options.card) std::_Exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_submission: %s\n", error.what());
    return 2;
  }
  return 0;
}
