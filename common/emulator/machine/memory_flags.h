// Variants of memory instructions, as decode and exec agree on them (MicroOp::flags).
#pragma once

#include <cstdint>

namespace tcd::emu {

// Bits of MicroOp::flags.
inline constexpr uint32_t kVectorMask = 0xf;    // elements per lane: 1, 2, 4 (8 on newer targets)
inline constexpr uint32_t kWideAddress = 0x10;  // the address register has 64 bits
inline constexpr uint32_t kStrong =
    0x20;  // volatile, relaxed, acquire, mmio: a spin loop may hang on it
inline constexpr uint32_t kConstSpace = 0x40;    // ld.const
inline constexpr uint32_t kGenericSpace = 0x80;  // no state space given: windows allowed
inline constexpr uint32_t kSignExtend = 0x100;   // ld_local, ld_words
inline constexpr uint32_t kWideRegister = 0x200;
inline constexpr uint32_t kHalfRegister = 0x400;  // sign-extend to 16 bits only
inline constexpr uint32_t kNoResult = 0x800;      // red, or atom with a sink
inline constexpr uint32_t kBypassL1 = 0x1000;     // cp.async.cg
inline constexpr uint32_t kReleases = 0x2000;     // .release or .acq_rel: it is a fence, too
inline constexpr uint32_t kSizeShift =
    16;  // ld_local, st_local, ld_words, st_words, cp_async: element bytes

// bar, beside what control.cpp says: all lanes of a warp must come through this one instruction.
inline constexpr uint32_t kAlignedBarrier = 0x20;

// wmma.load and wmma.store.
inline constexpr uint32_t kMatrixRowMajor = 0x10000;
inline constexpr uint32_t kMatrixShared = 0x20000;
inline constexpr uint32_t kMatrixWide = 0x40000;  // 64-bit registers

// mma: operands whose registers are neighbours, used where they stand. D only if nothing of A, B or
// C is overwritten early.
inline constexpr uint32_t kInPlaceD = 0x100, kInPlaceA = 0x200, kInPlaceB = 0x400,
                          kInPlaceC = 0x800;

enum class Atomic : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };

// MicroOp::imm is the address offset, so an atomic's operation stands in the flags above bit 16:
// Atomic | Number << 4 (convert.h) | packed << 8 | noftz << 9.
inline constexpr uint32_t kAtomicShift = 16;

}  // namespace tcd::emu
