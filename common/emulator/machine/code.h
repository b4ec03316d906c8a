// A decoded function: its micro-operations and the picture of its register frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/micro_op.h"
#include "ptx/ast.h"

namespace tcd::emu {

// Special registers that are constant while a warp runs; each becomes a row.
enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSmem,
  kTotalSmem,
  kGridWorkspaceHigh,
  kGridWorkspaceLow,
  kLocalBase,
  kZero,
  kOne,
};

// The first bytes of every frame. Offset 0 holds the predicate that is always true.
inline constexpr uint32_t kTrueOffset = 0;
inline constexpr uint32_t kFalseOffset = 4;
inline constexpr uint32_t kCarryOffset = 8;  // add.cc and its family: one carry per lane
inline constexpr uint32_t kFirstPredicateOffset = 12;

struct Code {
  std::string name;  // mangled
  const ptx::Function* function = nullptr;
  const ptx::Module* module = nullptr;

  std::vector<MicroOp> ops;    // in reconvergence order; the last one is always an exit
  std::vector<uint32_t> pool;  // operand lists longer than a micro-operation holds
  std::vector<std::vector<int64_t>> tables;  // brx.idx: distances from op 0

  uint32_t frame_bytes = 0;
  struct Constant {
    uint32_t offset;
    uint32_t width;  // 4 or 8
    uint64_t value;
  };
  std::vector<Constant> constants;
  struct ParamRow {
    uint32_t offset;        // row in the frame
    uint32_t param_offset;  // bytes into the kernel's parameter block
    uint32_t bytes;         // 1, 2, 4, 8
    uint32_t width;         // 4 or 8: of the row
    bool is_signed;
    bool half;  // a 16-bit register: the upper half stays zero
  };
  std::vector<ParamRow> params;
  struct SpecialRow {
    uint32_t offset;
    uint32_t width;
    Special which;
    uint64_t addend = 0;  // kLocalBase plus the offset of a variable
  };
  std::vector<SpecialRow> specials;

  uint32_t local_bytes = 0;  // per thread, this function's .local variables
  // Device functions pass parameters as 32-bit words, one row each.
  struct Words {
    uint32_t offset = 0;  // first row
    uint32_t count = 0;
  };
  std::vector<Words> param_words, return_words;
};

}  // namespace tcd::emu
