// Reads the ptxas resource lines that the build keeps beside each executable (dayNN.ptxas).
#pragma once

#include <istream>
#include <optional>
#include <string>

namespace tcd::harness {

struct PtxasLine {
  int registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
};

// Finds the entry of `kernel` (demangled, as c++filt prints it) compiled for `architecture`
// ("sm_80"). nullopt: no such entry.
std::optional<PtxasLine> find_ptxas_line(std::istream& lines, const std::string& kernel,
                                         const std::string& architecture);

}  // namespace tcd::harness
