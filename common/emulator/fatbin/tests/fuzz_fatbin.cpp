// Entry point for libFuzzer, and for the deterministic mutation test: whatever the bytes are, the
// readers either succeed or throw FatbinError.
#include <cstdint>

#include "fatbin/cubin.h"
#include "fatbin/selection.h"

using namespace tcd::emu::fatbin;

// True when the container was read, false when it was refused.
bool read_fatbin(const uint8_t* data, size_t size) {
  try {
    const auto entries = parse_containers({reinterpret_cast<const std::byte*>(data), size});
    for (const Entry& entry : entries) {
      try {
        if (entry.kind == Entry::Kind::kPtx)
          entry.text();
        else
          read_cubin(entry.payload());
      } catch (const FatbinError&) {  // the next entry may be sound
      }
    }
    select(entries, 89);
  } catch (const FatbinError&) {
    return false;
  }
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  read_fatbin(data, size);
  return 0;  // the only value libFuzzer allows
}
