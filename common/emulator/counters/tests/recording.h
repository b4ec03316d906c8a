// Reads recorded/wavefronts.txt: what an H200 counted (recorded/README.md).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace tcd::emu {

struct Recorded {
  std::string name, operation;
  uint32_t mask = 0;
  uint32_t shared[32] = {};
  uint64_t global[32] = {};
  int wavefronts = 0, conflicts = 0, sectors = 0;  // -1: does not apply

  bool is(const char* prefix) const { return operation.rfind(prefix, 0) == 0; }
  // Bytes a lane; for ldmatrix the number of matrices.
  uint32_t size() const {
    const size_t digits = operation.find_first_of("0123456789");
    return static_cast<uint32_t>(std::atoi(operation.c_str() + digits));
  }
};

inline const std::vector<Recorded>& recording() {
  static const std::vector<Recorded> all = [] {
    std::ifstream in("common/emulator/counters/tests/recorded/wavefronts.txt");
    std::vector<Recorded> read;
    Recorded r;
    while (in >> r.name >> r.operation >> std::hex >> r.mask >> std::dec) {
      for (uint32_t& v : r.shared) in >> v;
      for (uint64_t& v : r.global) in >> v;
      in >> r.wavefronts >> r.conflicts >> r.sectors;
      read.push_back(r);
    }
    return read;
  }();
  return all;
}

}  // namespace tcd::emu
