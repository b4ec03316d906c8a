#include "counters/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "counters/counter_table.h"

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

std::string line_text(const LineTotals& line) {
  const MemoryTotals& t = line.totals;
  std::string text =
      "    " + padded(name_of(line.kind), 13) + padded(grouped(t.executed), 15, true);
  if (t.ideal_wavefronts != 0) {
    text += "  " + grouped(t.wavefronts) + " wavefronts, " + grouped(t.ideal_wavefronts) + " ideal";
  }
  if (t.sectors != 0)
    text += (t.ideal_wavefronts != 0 ? ", " : "  ") + grouped(t.sectors) + " sectors";
  return text + "   " + (line.place.empty() ? "(no -lineinfo)" : line.place) + "\n";
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
  if (!launch.lines.empty()) text += "  by source line:\n";
  for (const LineTotals& line : launch.lines) text += line_text(line);
  return text;
}

nlohmann::json report_json(const LaunchReport& launch) {
  nlohmann::json counters = nlohmann::json::object(), lines = nlohmann::json::array();
  for (const Counter& c : counter_table()) counters[c.name] = c.value(launch.counters);
  for (const LineTotals& l : launch.lines) {
    lines.push_back({{"place", l.place},
                     {"kind", name_of(l.kind)},
                     {"executed", l.totals.executed},
                     {"wavefronts", l.totals.wavefronts},
                     {"ideal_wavefronts", l.totals.ideal_wavefronts},
                     {"bank_conflicts", l.totals.bank_conflicts()},
                     {"sectors", l.totals.sectors},
                     {"bytes", l.totals.bytes}});
  }
  return {{"launch", launch.number},
          {"kernel", launch.kernel},
          {"grid", numbers(launch.grid)},
          {"block", numbers(launch.block)},
          {"shared_bytes", launch.shared_bytes},
          {"stopped", launch.stopped},
          {"counters", counters},
          {"lines", lines}};
}

nlohmann::json report_head(const Profile& profile) {
  nlohmann::json meaning = nlohmann::json::object();
  for (const Counter& c : counter_table())
    meaning[c.name] = {{"nsight", c.nsight}, {"words", c.words}};
  return {{"schema", "tcd-report/1"},
          {"device", profile.name},
          {"counters", meaning},
          {"launches", nlohmann::json::array()}};
}

}  // namespace tcd::emu
