// What kind of work a PTX instruction is, for people who ask where a kernel's instructions go.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ptx/ast.h"

namespace tcd::emu {

enum class InstructionKind : uint8_t {
  kTensor,      // mma, wmma.mma
  kMatrixMove,  // ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store
  kAsyncCopy,   // cp.async and its commits and waits
  kGlobalLoad,  // ld without a space is counted here, and st below
  kGlobalStore,
  kSharedLoad,
  kSharedStore,
  kLocal,      // ld.local, st.local: arrays in registers' place; spills are not in PTX
  kParameter,  // ld.param, ld.const
  kAtomic,
  kF32,
  kF64,
  kHalf,  // f16, bf16
  kInteger,
  kLogic,    // bits and shifts
  kCompare,  // and select
  kConvert,
  kMove,
  kControl,  // branches, calls, exits
  kBarrier,  // bar, mbarrier, fences
  kWarp,     // shfl, vote, match, redux, …
  kOther,
  kCount,
};
inline constexpr int kInstructionKinds = static_cast<int>(InstructionKind::kCount);
using InstructionCounts = std::array<uint64_t, kInstructionKinds>;

const char* name_of(InstructionKind kind);  // "tensor", "global load", …
InstructionKind kind_of(const ptx::Instruction& instruction);
// "mma.m16n8k16.f32.f16.f16.f32": opcode, shape and types of a kTensor instruction.
std::string tensor_shape(const ptx::Instruction& instruction);

}  // namespace tcd::emu
