// ReLU written as fmaxf(x, 0) turns NaN into 0, and a result that is no number looks like a result.
#include "day.h"
#include "gates/half.h"
#include "gates/inputs.h"
#include "gates/numbers.h"
#include "harness/device_buffer.h"

namespace day {

tcd::GateResult gate_nan(const tcd::GemmVariant& variant) {
  constexpr int kM = 128, kN = 128, kK = 64, kRow = 77, kPlace = 40;
  tcd::HalfMatrix a = tcd::quarters(tcd::row_major(kM, kK), 1);
  const tcd::HalfMatrix b = tcd::quarters(tcd::column_major(kK, kN), 2);
  a.bits[static_cast<size_t>(a.layout.index(kRow, kPlace))] = tcd::kInputPadding;
  const tcd::harness::DeviceBuffer<uint16_t> device_a(a.bits), device_b(b.bits);
  const tcd::harness::DeviceBuffer<uint16_t> d(std::vector<uint16_t>(size_t{kM} * kN));
  const tcd::harness::DeviceBuffer<float> bias(std::vector<float>(kN, 1.0f));
  variant.launch({kM, kN, kK, device_a.as<__half>(), kK, device_b.as<__half>(), kK, d.as<__half>(),
                  kN, bias.data(), 1});
  tcd::harness::check_launch("the kernel");
  const std::vector<uint16_t> bits = d.download();
  int hidden = 0, spread = 0;
  for (int row = 0; row < kM; ++row) {
    for (int column = 0; column < kN; ++column) {
      const bool nan = tcd::half_is_nan(bits[static_cast<size_t>(row) * kN + column]);
      hidden += row == kRow && !nan;
      spread += row != kRow && nan;
    }
  }
  const std::string name = variant.name + ", one NaN in row 77 of A";
  if (hidden == 0 && spread == 0) {
    return tcd::GateResult::pass(name, int64_t{kM} * kN, "passed: row 77 of D is NaN, no other is");
  }
  return tcd::GateResult::fail(
      name, int64_t{kM} * kN,
      {std::to_string(hidden) + " of 128 elements of row 77 are numbers, " +
           std::to_string(spread) + " elsewhere are NaN",
       "look at: ReLU by fmaxf or max.f32, which return the other operand "
       "when one is NaN"});
}

}  // namespace day
