#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tcd::bench {

namespace {

const Measurement* fastest(const std::vector<Measurement>& measurements, Kind kind) {
  const Measurement* best = nullptr;
  for (const Measurement& one : measurements) {
    if (one.candidate->kind != kind) continue;
    if (!best || one.median_ms() < best->median_ms()) best = &one;
  }
  return best;
}

double share(const Measurement& of, const Measurement* best) {
  return best ? 100 * best->median_ms() / of.median_ms() : 0;
}

std::string cell(double value) {
  char text[16] = "-";
  if (value > 0) std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Columns a text takes on a terminal, where × is one.
int columns_of(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Half of what the middle half of the samples spreads over, in percent of the median.
double spread(const Measurement& one) {
  return 50 * (one.quartile_ms(3) - one.quartile_ms(1)) / one.median_ms();
}

// To so many decimals: a file that says 24.990000000000002 says less than one that says 24.99.
double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::string line(const Measurement& one, const Yardsticks& sticks, int width) {
  const Candidate& candidate = *one.candidate;
  char text[256];
  const double roof =
      sticks.roof_flop_per_clock > 0 ? 100 * one.share_of_roof(sticks.roof_flop_per_clock) : 0;
  std::snprintf(text, sizeof text, "%9.4f %9.1f %6.2f %6.0f %5d %5.0f %6d %7s %7s %7s",
                one.median_ms(), one.tflops(), spread(one), one.clock_mhz(), one.nvml_mhz(),
                one.median_watts(), one.throttled(), cell(roof).c_str(),
                cell(share(one, sticks.cublas)).c_str(), cell(share(one, sticks.peer)).c_str());
  std::string padded = candidate.name;
  padded.append(static_cast<size_t>(std::max(0, width - columns_of(padded))), ' ');
  return padded + text;
}

}  // namespace

Yardsticks yardsticks(const std::vector<Measurement>& measurements, const std::string& baseline,
                      double roof_flop_per_clock) {
  Yardsticks sticks;
  sticks.roof_flop_per_clock = roof_flop_per_clock;
  sticks.cublas = fastest(measurements, Kind::kCublas);
  sticks.peer = fastest(measurements, Kind::kPeer);
  for (const Measurement& one : measurements) {
    if (!baseline.empty() && one.candidate->name == baseline) sticks.baseline = &one;
  }
  return sticks;
}

void show(harness::Session& session, const std::vector<Measurement>& measurements,
          const Yardsticks& sticks) {
  std::vector<const Measurement*> sorted;
  int width = 10;
  for (const Measurement& one : measurements) {
    sorted.push_back(&one);
    width = std::max(width, columns_of(one.candidate->name) + 1);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Measurement* x, const Measurement* y) {
    return x->median_ms() < y->median_ms();
  });
  const std::string indent(static_cast<size_t>(width), ' ');
  session.say(indent +
              "   median   TFLOP/s    ±    SM     NVML   W    held     % of    % of    % of");
  session.say(indent +
              "     ms               %    MHz     MHz         back     roof  cuBLAS    peer");
  for (const Measurement* one : sorted) session.say(line(*one, sticks, width));
  for (const Measurement& one : measurements) {
    if (!sticks.baseline || &one == sticks.baseline) continue;
    const Cost extra = cost(one, *sticks.baseline);
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s costs %+.2f %% beside %s: %d pairs, upper 95 %% bound %+.2f %%",
                  one.candidate->name.c_str(), 100 * extra.mean,
                  sticks.baseline->candidate->name.c_str(), extra.pairs, 100 * extra.upper_bound);
    session.say(text);
  }
}

nlohmann::json to_json(const Measurement& one, const Yardsticks& sticks, const Size& size) {
  constexpr const char* kKinds[] = {"day", "cublas", "peer"};
  const Candidate& candidate = *one.candidate;
  nlohmann::json json = {{"name", candidate.name},
                         {"kind", kKinds[static_cast<int>(candidate.kind)]},
                         {"size", size.text()},
                         {"m", size.m},
                         {"n", size.n},
                         {"k", size.k},
                         {"group", candidate.group},
                         {"median_ms", one.median_ms()},
                         {"fastest_ms", one.quartile_ms(0)},
                         {"first_quartile_ms", one.quartile_ms(1)},
                         {"third_quartile_ms", one.quartile_ms(3)},
                         {"slowest_ms", one.quartile_ms(4)},
                         {"samples", one.samples.size()},
                         {"launches_a_sample", one.launches},
                         {"gflops", one.tflops() * 1e3},
                         {"sm_clock_mhz", rounded(one.clock_mhz(), 1)},
                         {"nvml_clock_mhz", one.nvml_mhz()},
                         {"watts", rounded(one.median_watts(), 1)},
                         {"held_back_samples", one.throttled()}};
  if (sticks.roof_flop_per_clock > 0) {
    json["percent_of_roof"] = rounded(100 * one.share_of_roof(sticks.roof_flop_per_clock), 2);
  }
  if (sticks.cublas) json["percent_of_cublas"] = rounded(share(one, sticks.cublas), 2);
  if (sticks.peer) json["percent_of_peer"] = rounded(share(one, sticks.peer), 2);
  if (sticks.baseline && &one != sticks.baseline) {
    const Cost extra = cost(one, *sticks.baseline);
    json["baseline"] = sticks.baseline->candidate->name;
    json["pairs"] = extra.pairs;
    json["cost_percent"] = rounded(100 * extra.mean, 3);
    json["cost_upper_95_percent"] = rounded(100 * extra.upper_bound, 3);
  }
  if (candidate.resources) json["resources"] = *candidate.resources;
  for (const Sample& sample : one.samples) {
    json["sample_ms"].push_back(rounded(sample.ms, 5));
    json["sample_clock_mhz"].push_back(rounded(sample.clock_mhz, 1));
  }
  return json;
}

namespace {

constexpr const char* kColumns[] = {"kind",
                                    "name",
                                    "m",
                                    "n",
                                    "k",
                                    "group",
                                    "median_ms",
                                    "first_quartile_ms",
                                    "third_quartile_ms",
                                    "fastest_ms",
                                    "slowest_ms",
                                    "samples",
                                    "gflops",
                                    "sm_clock_mhz",
                                    "nvml_clock_mhz",
                                    "watts",
                                    "held_back_samples",
                                    "percent_of_roof",
                                    "percent_of_cublas",
                                    "percent_of_peer"};
constexpr const char* kOfTheKernel[] = {"registers", "spill_bytes", "dynamic_shared_bytes",
                                        "ctas_per_sm"};
constexpr const char* kOfTheRun[] = {"device", "driver", "cuda", "date", "command"};

std::string field(const nlohmann::json& from, const char* name) {
  const auto found = from.find(name);
  if (found == from.end() || found->is_null()) return "";
  if (!found->is_string()) return found->dump();
  std::string text = found->get<std::string>();
  if (text.find_first_of(",\"") == std::string::npos) return text;
  for (size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, "\"");
  return "\"" + text + "\"";
}

template <size_t kCount>
void append(std::string& row, const char* const (&names)[kCount], const nlohmann::json* from) {
  for (const char* name : names)
    row += (row.empty() ? "" : ",") + (from ? field(*from, name) : name);
}

}  // namespace

std::string csv_head() {
  std::string row;
  append(row, kColumns, nullptr);
  append(row, kOfTheKernel, nullptr);
  append(row, kOfTheRun, nullptr);
  return row + "\n";
}

std::string csv_row(const nlohmann::json& entry, const nlohmann::json& provenance) {
  const nlohmann::json nothing = nlohmann::json::object();
  std::string row;
  append(row, kColumns, &entry);
  append(row, kOfTheKernel, entry.contains("resources") ? &entry["resources"] : &nothing);
  append(row, kOfTheRun, &provenance);
  return row + "\n";
}

}  // namespace tcd::bench
