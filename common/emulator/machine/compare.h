// Floating-point relations, as decode and exec agree on them (PTX ISA 9.3.1, Table "Comparisons").
#pragma once

#include <cstdint>

namespace tcd::emu {

// The upper eight are complements of the lower eight: ltu is "not ge".
enum class FloatRelation : uint8_t {
  kEq = 0,
  kNe = 1,
  kLt = 2,
  kLe = 3,
  kGt = 4,
  kGe = 5,
  kNum = 6,
  kNeu = 8 + kEq,
  kEqu = 8 + kNe,
  kGeu = 8 + kLt,
  kGtu = 8 + kLe,
  kLeu = 8 + kGt,
  kLtu = 8 + kGe,
  kNan = 8 + kNum,
};

inline constexpr int64_t kCompareFtz = 16;  // beside the relation in MicroOp::imm

}  // namespace tcd::emu
