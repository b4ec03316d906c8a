// The picture of the banks: which of eight groups of four banks holds each row of an 8×8 matrix.
//
// Computed from the kernel's own addresses and from nothing the device counts.
#include <algorithm>
#include <array>
#include <cstdio>

#include "day.h"

namespace day {

namespace {

constexpr int kRows = 8;    // of one matrix: what an ldmatrix phase reads at once
constexpr int kGroups = 8;  // of four banks, 16 bytes: one row of a matrix fills a group
constexpr int kGroupBytes = 16;

int group_of(const LayoutMap& layout, int row, int k) {
  return layout.chunk_bytes(row, k) / kGroupBytes % kGroups;
}

// The rows that the fullest group holds: the passes this phase takes.
int ways(const LayoutMap& layout, int first_row, int k) {
  std::array<int, kGroups> rows{};
  for (int row = 0; row < kRows; ++row) ++rows[group_of(layout, first_row + row, k)];
  return *std::max_element(rows.begin(), rows.end());
}

// "....1..." for row 1 in the fifth group.
std::string drawn(const LayoutMap& layout, int row) {
  std::string groups(kGroups, '.');
  groups[group_of(layout, row, 0)] = static_cast<char>('0' + row);
  return groups;
}

std::string in_column(const std::string& text) {
  char cell[32];
  std::snprintf(cell, sizeof cell, "%-18s", text.c_str());
  return cell;
}

std::string one_line(const char* head, const std::vector<std::string>& cells) {
  char text[16];
  std::snprintf(text, sizeof text, "%-12s", head);
  std::string line = text;
  for (const std::string& cell : cells) line += in_column(cell);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

double pictured_conflicts(const LayoutMap& layout) {
  constexpr int kMatrices = 4, kChunk = 8;  // of an ldmatrix.x4; halves in 16 bytes
  int extra = 0, phases = 0;
  for (int row = 0; row < layout.rows; row += kRows) {
    for (int k = 0; k < layout.columns; k += kChunk, ++phases) extra += ways(layout, row, k) - 1;
  }
  return static_cast<double>(extra) * kMatrices / phases;
}

void show_banks(tcd::harness::Session& session) {
  session.section("The banks: eight rows of k 0-7, and the group of four banks each lies in");
  const std::vector<LayoutMap> all = layouts();
  const auto say = [&](const char* head, const auto& cell) {
    std::vector<std::string> cells;
    for (const LayoutMap& layout : all) cells.push_back(cell(layout));
    session.say(one_line(head, cells));
  };
  say("", [](const LayoutMap& layout) { return layout.name; });
  for (int row = 0; row < kRows; ++row) {
    const std::string head = "row " + std::to_string(row);
    say(head.c_str(), [&](const LayoutMap& layout) { return drawn(layout, row); });
  }
  say("passes", [](const LayoutMap& layout) {
    const int passes = ways(layout, 0, 0);
    return passes == 1 ? std::string("1: no conflict") : std::to_string(passes) + "-way conflict";
  });
  say("extra, x4", [](const LayoutMap& layout) {
    char text[16];
    std::snprintf(text, sizeof text, "%.4g", pictured_conflicts(layout));
    return std::string(text);
  });
}

}  // namespace day
