// Which image of a fat binary a device runs.
//
// The driver takes machine code when it can: same major architecture, highest minor not above the
// device's. Only else it compiles PTX: the highest version not above the device. The emulated
// device follows that choice and then executes the PTX text of the chosen architecture.
#pragma once

#include <span>
#include <string>

#include "fatbin/container.h"

namespace tcd::emu::fatbin {

struct Selection {
  const Entry* ptx = nullptr;       // what is executed; nullptr: nothing here can be, see problem
  const Entry* elf = nullptr;       // where register counts come from; nullptr: none embedded
  bool elf_is_approximate = false;  // another architecture than the driver would run
  std::string problem;              // why ptx is null, and what to do; one or two sentences
  std::string note;                 // something the user should know although it runs, or empty
};

// `compute` is the device's compute capability × 10: 89.
Selection select(std::span<const Entry> entries, int compute);

}  // namespace tcd::emu::fatbin
