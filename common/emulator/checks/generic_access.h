#pragma once

#include <cstdint>

namespace tcd::emu {

struct MicroOp;
struct Warp;
enum class AccessKind : uint8_t;

// Notes the lanes whose generic address lies in shared memory, and returns them.
uint32_t note_generic(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                      uint32_t bytes, AccessKind kind);

}  // namespace tcd::emu
