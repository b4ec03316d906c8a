// Generic addresses that mean shared memory: as if the instruction had said so.
#define TCD_ISA_NAMESPACE isa_checks
#include "checks/generic_access.h"

#include "checks/shared_access.h"
#include "machine/cta.h"

namespace tcd::emu {

uint32_t note_generic(Warp& w, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                      uint32_t bytes, AccessKind kind) {
  const uint64_t window = w.launch->memory->shared_window();
  uint32_t in_shared = 0;
  uint32_t offsets[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i) {
    if ((mask >> i & 1) == 0 || addresses[i] - window >= w.shared_bytes) continue;
    in_shared |= 1u << i;
    offsets[i] = static_cast<uint32_t>(addresses[i] - window);
  }
  if (in_shared != 0) isa_checks::note_shared(w, op, in_shared, offsets, bytes, kind);
  return in_shared;
}

}  // namespace tcd::emu
