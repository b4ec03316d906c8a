// The tensor core instructions as operations on register rows, to be compared with a card.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profiles/profile.h"
#include "tensor/row.h"

namespace tcd::emu::card {

// What a register holds.
enum class Format { kF16, kBf16, kTf32, kE4m3, kE5m2, kF32, kS8, kU8, kS4, kU4, kS32 };

struct TileOp {
  int d, a, b, c;  // registers of each operand
  int since;       // compute capability: 75, 80, 89
  std::string_view text;
  Format a_format, b_format, d_format, c_format;
  // The emulator's answer.
  void (*emulate)(const TensorNumerics&, const Row* a, const Row* b, const Row* c, Row* d);

  int inputs() const { return a + b + c; }
  bool is_integer() const { return d_format == Format::kS32; }
  std::string name() const;  // "m16n8k8.f32.f16.f16.f32", "wmma.col.row.m16n16k16.f32.f32"
};

inline constexpr int kMostInputs = 24, kMostOutputs = 8;  // registers, of wmma

std::span<const TileOp> tile_ops();

}  // namespace tcd::emu::card
