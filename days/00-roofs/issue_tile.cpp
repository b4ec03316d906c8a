#include "issue_tile.h"

#include <bit>

#include "gates/half.h"
#include "gates/inputs.h"

namespace day {

namespace {

uint32_t one(Operand operand) {
  switch (operand) {
    case Operand::kF16:
      return 0x3C00;
    case Operand::kBf16:
      return 0x3F80;
    case Operand::kTf32:
      return 0x3F800000;
    case Operand::kInt8:
      return 0x01;
    case Operand::kE4m3:
      return 0x38;
  }
  return 0;
}

uint32_t operand_bits(const MmaShape& shape, int value) {
  if (value == 0) return 0;
  const uint32_t plus = one(shape.operand);
  if (value > 0) return plus;
  return shape.operand == Operand::kInt8 ? 0xFF : plus | 1u << (shape.operand_bits() - 1);
}

}  // namespace

IssueTile::IssueTile(const MmaShape& shape, uint64_t seed)
    : shape_(shape), a_(shape.m * shape.k), b_(shape.k * shape.n), product_(shape.m * shape.n) {
  for (int row = 0; row < shape.m; ++row) {
    const uint64_t bits = tcd::random_bits(seed, row);
    a_[row * shape.k + static_cast<int>((bits >> 1) % shape.k)] = bits & 1 ? 1 : -1;
  }
  for (size_t i = 0; i < b_.size(); ++i) {
    b_[i] = static_cast<int>(tcd::random_bits(seed + 1, i) % 3) - 1;
  }
  for (int row = 0; row < shape.m; ++row) {
    for (int column = 0; column < shape.n; ++column) {
      for (int k = 0; k < shape.k; ++k) {
        product_[row * shape.n + column] += a_[row * shape.k + k] * b_[k * shape.n + column];
      }
    }
  }
}

std::vector<uint32_t> IssueTile::operands() const {
  const int bits = shape_.operand_bits(), packed = 32 / bits;
  std::vector<uint32_t> words;
  for (int r = 0; r < shape_.registers_a(); ++r) {
    for (int lane = 0; lane < 32; ++lane) {
      uint32_t word = 0;
      for (int i = 0; i < packed; ++i) {
        const int row = lane / 4 + 8 * (r % 2), k = packed * (lane % 4 + 4 * (r / 2)) + i;
        word |= operand_bits(shape_, a_[row * shape_.k + k]) << (i * bits);
      }
      words.push_back(word);
    }
  }
  for (int r = 0; r < shape_.registers_b(); ++r) {
    for (int lane = 0; lane < 32; ++lane) {
      uint32_t word = 0;
      for (int i = 0; i < packed; ++i) {
        const int k = packed * (lane % 4 + 4 * r) + i, column = lane / 4;
        word |= operand_bits(shape_, b_[k * shape_.n + column]) << (i * bits);
      }
      words.push_back(word);
    }
  }
  return words;
}

IssueTile::Place IssueTile::place(int lane, int r, int i) const {
  const int element = shape_.accumulator == Accumulator::kF16 ? 2 * r + i : r;
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

uint32_t IssueTile::accumulator_bits(int value) const {
  switch (shape_.accumulator) {
    case Accumulator::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Accumulator::kF16:
      return tcd::float_to_half(static_cast<float>(value));
    case Accumulator::kS32:
      return static_cast<uint32_t>(value);
  }
  return 0;
}

double IssueTile::decode(uint32_t word, int i) const {
  switch (shape_.accumulator) {
    case Accumulator::kF32:
      return std::bit_cast<float>(word);
    case Accumulator::kF16:
      return tcd::half_to_float(static_cast<uint16_t>(word >> (16 * i)));
    case Accumulator::kS32:
      return static_cast<int32_t>(word);
  }
  return 0;
}

std::vector<uint32_t> IssueTile::expected(int ilp, int steps) const {
  std::vector<uint32_t> words;
  const int packed = shape_.accumulator == Accumulator::kF16 ? 2 : 1;
  for (int chain = 0; chain < ilp; ++chain) {
    for (int r = 0; r < shape_.registers_d(); ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        uint32_t word = 0;
        for (int i = 0; i < packed; ++i) {
          const Place at = place(lane, r, i);
          word |= accumulator_bits(chain + steps * product(at.row, at.column)) << (16 * i);
        }
        words.push_back(word);
      }
    }
  }
  return words;
}

}  // namespace day
