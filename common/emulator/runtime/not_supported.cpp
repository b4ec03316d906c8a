#include "runtime/not_supported.h"

#include <string>

#include "runtime/error_state.h"

int tcd_not_supported(const char* name) {
  using namespace tcd::emu::runtime;
  complain_once(std::string(name) +
                " is not emulated (common/emulator/README.md lists what is): it returned "
                "cudaErrorNotSupported");
  return remember(cudaErrorNotSupported);
}
