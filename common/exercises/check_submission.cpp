// check_submission exercise.json submission.ptx verdict.json [seed]: runs the PTX of a submission
// on the emulated device and writes what the gates, the checks and the limits say. `./day check`
// makes the PTX and puts the verdict into words.
//
// The verdict goes to a file of its own: stdout belongs to the kernel's printf, and a submission
// that prints a verdict prints it there. Exit code 0: the verdict was written, whatever it says.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "counters/counter_table.h"
#include "exercises/kinds.h"
#include "exercises/limits.h"
#include "gates/result_json.h"
#include "ptx/parser.h"

namespace tcd::exercises {
namespace {

using nlohmann::json;

constexpr double kSeconds = 10;  // a kernel that runs longer loops for ever

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

json judge(const Manifest& manifest, const std::string& ptx, uint64_t seed) {
  json verdict = {{"gates", json::array()}, {"reports", json::array()}, {"limits", json::array()}};
  std::vector<GateResult> gates, limits;
  try {
    const emu::ptx::Module module = emu::ptx::parse(ptx);
    Workbench bench(module, manifest.kernel, kSeconds);
    try {
      gates = manifest.kind == Kind::kFragmentMap ? judge_fragment_map(manifest, bench, seed)
                                                  : judge_gemm(manifest, bench, seed);
    } catch (const KernelStopped& error) {
      gates.push_back(stopped(error.what()));
    }
    for (const auto& report : bench.reports()) {
      verdict["reports"].push_back({{"key", report.key}, {"text", report.text}});
    }
    for (auto& part : {judge_ptx(manifest, module), judge_shared_memory(manifest, bench),
                       judge_counters(manifest, bench.counters())}) {
      limits.insert(limits.end(), part.begin(), part.end());
    }
    verdict["counters"] = figures(manifest, bench.counters());
  } catch (const KernelMissing& error) {
    gates.push_back(stopped(error.what()));
  } catch (const emu::ptx::ParseError& error) {
    gates.push_back(stopped(error.what()));
  }
  verdict["gates"] = list(gates);
  verdict["limits"] = list(limits);
  return verdict;
}

}  // namespace
}  // namespace tcd::exercises

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr,
                 "usage: check_submission exercise.json submission.ptx verdict.json [seed]\n"
                 "./day check NUMBER does it all.\n");
    return 2;
  }
  try {
    const uint64_t seed = argc == 5 ? std::stoull(argv[4]) : 1;
    const auto manifest = tcd::exercises::read_manifest(argv[1]);
    const auto verdict = tcd::exercises::judge(manifest, tcd::exercises::read_file(argv[2]), seed);
    std::ofstream out(argv[3]);
    out << verdict.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_submission: %s\n", error.what());
    return 2;
  }
  return 0;
}
