// The output of a kernel under test: filled with NaN before the run, fenced by guard bands, and
// read back as bit patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gates/matrix.h"
#include "gates/result.h"

namespace tcd {

enum class OutputType { kF32, kF16 };

constexpr std::size_t bytes_per_element(OutputType type) {
  return type == OutputType::kF32 ? 4 : 2;
}

// Fill patterns: quiet NaNs with a payload that no arithmetic produces (the tensor cores' own NaN
// is 0x7FFFFFFF), so that "never written" and "computed NaN" stay apart.
inline constexpr std::uint32_t kFillF32 = 0x7FC5A5A5;
inline constexpr std::uint16_t kFillF16 = 0x7E5A;

constexpr std::uint32_t fill_bits(OutputType type) {
  return type == OutputType::kF32 ? kFillF32 : std::uint32_t{kFillF16};
}
constexpr bool bits_are_nan(OutputType type, std::uint32_t bits) {
  return type == OutputType::kF32 ? float_bits_are_nan(bits)
                                  : half_is_nan(static_cast<std::uint16_t>(bits));
}
constexpr double value_of_bits(OutputType type, std::uint32_t bits) {
  return type == OutputType::kF32 ? std::bit_cast<float>(bits)
                                  : half_to_float(static_cast<std::uint16_t>(bits));
}
// Rounded to nearest even; exact for every FP32 value when type is kF32.
constexpr std::uint32_t bits_of_value(OutputType type, double value) {
  return type == OutputType::kF32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                  : std::uint32_t{double_to_half(value)};
}

// A matrix of results somewhere in host memory. Does not own it.
struct OutputView {
  OutputType type = OutputType::kF32;
  MatrixLayout layout;
  const void* data = nullptr;

  std::uint32_t bits(int row, int col) const { return bits_at(layout.index(row, col)); }
  std::uint32_t bits_at(std::int64_t index) const {
    return type == OutputType::kF32 ? static_cast<const std::uint32_t*>(data)[index]
                                    : static_cast<const std::uint16_t*>(data)[index];
  }
  double value(int row, int col) const { return value_of_bits(type, bits(row, col)); }
};

// One allocation: guard | rows x ld elements | guard. Copy storage() to the device, give the kernel
// the device address plus payload_offset() bytes, copy all of it back, then check.
class GuardedOutput {
 public:
  // guard_elements is rounded up to a multiple of 128, so that the payload keeps the 256-byte
  // alignment of the allocation.
  GuardedOutput(OutputType type, const MatrixLayout& layout, int guard_elements = 4096);

  void fill();  // every element, payload included, back to the fill pattern
  void* storage() { return storage_.data(); }
  const void* storage() const { return storage_.data(); }
  std::size_t bytes() const { return storage_.size() * sizeof(std::uint32_t); }
  std::size_t payload_offset() const { return guard_ * bytes_per_element(type_); }
  void* payload() { return reinterpret_cast<std::byte*>(storage_.data()) + payload_offset(); }
  OutputView view() const;

  // Guard bands before and after, and the padding of every row, compared bit for bit with the fill
  // pattern. A failure names the first place and the value that was written there.
  GateResult check_guards(const std::string& name) const;

 private:
  std::uint32_t raw(std::size_t element) const;

  OutputType type_;
  MatrixLayout layout_;
  std::size_t guard_;
  std::vector<std::uint32_t> storage_;
};

}  // namespace tcd
