#include "harness/ptxas_lines.h"

#include <cstdio>

namespace tcd::harness {

std::optional<PtxasLine> find_ptxas_line(std::istream& lines, const std::string& kernel,
                                         const std::string& architecture) {
  const std::string header = "'" + kernel + "' for '" + architecture + "'";
  PtxasLine found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos) {
      inside = line.find(header) != std::string::npos;
      found = {};
      continue;
    }
    if (!inside) continue;
    int frame = 0;
    std::sscanf(line.c_str(), " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
                &frame, &found.spill_store_bytes, &found.spill_load_bytes);
    const size_t used = line.find("Used ");
    if (used != std::string::npos &&
        std::sscanf(line.c_str() + used, "Used %d registers", &found.registers) == 1) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace tcd::harness
