#include "counters/report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "counters/counter_table.h"
#include "counters/floors.h"

namespace tcd::emu {
namespace {

// 12,582,912
std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string dims(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

std::string padded(const std::string& text, size_t width, bool right = false) {
  if (text.size() >= width) return text;
  const std::string space(width - text.size(), ' ');
  return right ? space + text : text + space;
}

std::string memory_text(const std::string& place, SiteKind kind, const MemoryTotals& t) {
  std::string text = "    " + padded(name_of(kind), 13) + padded(grouped(t.executed), 15, true);
  if (t.ideal_wavefronts != 0) {
    text += "  " + grouped(t.wavefronts) + " wavefronts, " + grouped(t.ideal_wavefronts) + " ideal";
  }
  if (t.sectors != 0)
    text += (t.ideal_wavefronts != 0 ? ", " : "  ") + grouped(t.sectors) + " sectors";
  return text + "   " + (place.empty() ? "(no -lineinfo)" : place) + "\n";
}

std::string lines_text(const LaunchDetail& detail) {
  std::string text;
  for (const LineTotals& line : detail.lines) {
    for (size_t k = 0; k < kSiteKinds; ++k) {
      if (line.memory[k].executed == 0) continue;
      text += memory_text(line.place, static_cast<SiteKind>(k), line.memory[k]);
    }
  }
  return text.empty() ? text : "  by source line:\n" + text;
}

std::string instructions_text(const InstructionCounts& counts) {
  std::string text;
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    text += "    " + padded(name_of(static_cast<InstructionKind>(k)), 13) +
            padded(grouped(counts[k]), 15, true) + "\n";
  }
  return text.empty() ? text : "  instructions by kind:\n" + text;
}

nlohmann::json caches_json(const CacheTraffic& traffic) {
  nlohmann::json all = nlohmann::json::object();
  for (const CacheCounter& c : cache_counter_table()) all[c.name] = traffic.*c.value;
  return all;
}

template <class Table>
nlohmann::json meanings(Table table) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& c : table) all[c.name] = {{"nsight", c.nsight}, {"words", c.words}};
  return all;
}

nlohmann::json floors_json(const Floors& floors) {
  nlohmann::json all = nlohmann::json::object();
  for (const Floor& f : floors.resources) {
    nlohmann::json cycles;  // null: not known
    if (f.is_known) cycles = static_cast<uint64_t>(std::ceil(f.cycles));
    all[f.resource] = {{"work", static_cast<uint64_t>(f.work)},
                       {"unit", f.unit},
                       {"cycles", cycles},
                       {"source", f.source}};
  }
  const Floor* most = floors.binds();
  nlohmann::json binds;
  if (most != nullptr) binds = most->resource;
  return {{"sms", floors.sms}, {"binds", binds}, {"resources", all}};
}

nlohmann::json instructions_json(const InstructionCounts& counts) {
  nlohmann::json all = nlohmann::json::object();
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] != 0) all[name_of(static_cast<InstructionKind>(k))] = counts[k];
  }
  return all;
}

nlohmann::json line_json(const LineTotals& line) {
  nlohmann::json memory = nlohmann::json::object();
  for (size_t k = 0; k < kSiteKinds; ++k) {
    const MemoryTotals& t = line.memory[k];
    if (t.executed == 0) continue;
    memory[name_of(static_cast<SiteKind>(k))] = {{"executed", t.executed},
                                                 {"wavefronts", t.wavefronts},
                                                 {"ideal_wavefronts", t.ideal_wavefronts},
                                                 {"bank_conflicts", t.bank_conflicts()},
                                                 {"sectors", t.sectors},
                                                 {"bytes", t.bytes}};
  }
  nlohmann::json json = {{"place", line.place},
                         {"instructions", instructions_json(line.instructions)},
                         {"memory", memory}};
  if (line.caches != CacheTraffic{}) json["caches"] = caches_json(line.caches);
  return json;
}

nlohmann::json numbers(const Dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

std::string report_text(const LaunchReport& launch, const Profile& profile) {
  std::string text = "launch " + std::to_string(launch.number) + ": " + launch.kernel + "\n" +
                     "  grid " + dims(launch.grid) + ", block " + dims(launch.block) + ", " +
                     grouped(launch.shared_bytes) + " bytes of shared memory, emulated " +
                     std::string(profile.name) + "\n";
  if (launch.stopped) text += "  stopped by a fault: the counters end there\n";
  for (const Counter& counter : counter_table()) {
    const uint64_t value = counter.value(launch.counters);
    if (value == 0) continue;
    text += "  " + padded(counter.name, 30) + padded(grouped(value), 19, true) + "  " +
            counter.words + "\n";
    if (*counter.nsight != '\0') text += padded("", 53) + counter.nsight + "\n";
  }
  return text + instructions_text(launch.detail.instructions()) + lines_text(launch.detail);
}

void ProcessReport::add(const LaunchReport& launch) {
  const std::string key =
      launch.symbol + dims(launch.grid) + dims(launch.block) + std::to_string(launch.shared_bytes);
  const auto [at, is_new] = index_.try_emplace(key, kernels_.size());
  if (is_new) {
    kernels_.push_back({launch, 1, launch.stopped});
    return;
  }
  Kernel& kernel = kernels_[at->second];
  ++kernel.launches;
  kernel.stopped += launch.stopped;
  kernel.sum.counters += launch.counters;
  kernel.sum.detail.add(launch.detail);
}

std::string ProcessReport::text() const {
  return json().dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json ProcessReport::json() const {
  nlohmann::json kernels = nlohmann::json::array();
  for (const Kernel& kernel : kernels_) {
    nlohmann::json counters = nlohmann::json::object(), lines = nlohmann::json::array();
    for (const Counter& c : counter_table()) counters[c.name] = c.value(kernel.sum.counters);
    for (const LineTotals& l : kernel.sum.detail.lines) lines.push_back(line_json(l));
    kernels.push_back({{"kernel", kernel.sum.kernel},
                       {"symbol", kernel.sum.symbol},
                       {"grid", numbers(kernel.sum.grid)},
                       {"block", numbers(kernel.sum.block)},
                       {"shared_bytes", kernel.sum.shared_bytes},
                       {"launches", kernel.launches},
                       {"stopped", kernel.stopped},
                       {"counters", counters},
                       {"instructions", instructions_json(kernel.sum.detail.instructions())},
                       {"tensor", kernel.sum.detail.tensor},
                       {"lines", lines}});
    kernels.back()["floors"] = floors_json(
        floors_of(profile_, kernel.sum.grid.count(), kernel.sum.counters, kernel.sum.detail));
    if (kernel.sum.detail.has_caches) {
      kernels.back()["caches"] = caches_json(kernel.sum.detail.caches);
    }
  }
  return {{"schema", "tcd-report/2"},
          {"device", profile_.name},
          {"counters", meanings(counter_table())},
          {"cache_counters", meanings(cache_counter_table())},
          {"kernels", kernels},
          {"checks", checks_},
          {"faults", faults_}};
}

}  // namespace tcd::emu
