// Fused and separate disagree in some elements. Which, and by how much, follows from the sums
// alone.
#include <cmath>

#include "day.h"
#include "gates/half.h"
#include "gates/inputs.h"
#include "gates/product.h"
#include "harness/device_buffer.h"

namespace day {

namespace {

constexpr int kM = 256, kN = 256, kK = 4096;

template <typename Bits, typename Output, typename Launch>
std::vector<Bits> run(const Launch& launch, const tcd::HalfMatrix& a, const tcd::HalfMatrix& b,
                      const std::vector<float>& bias) {
  const tcd::harness::DeviceBuffer<uint16_t> device_a(a.bits), device_b(b.bits);
  const tcd::harness::DeviceBuffer<Bits> d(std::vector<Bits>(size_t{kM} * kN));
  const tcd::harness::DeviceBuffer<float> device_bias(bias);
  launch(GemmArguments<Output>{kM, kN, kK, device_a.as<__half>(), kK, device_b.as<__half>(), kK,
                               d.template as<Output>(), kN, device_bias.data(), 1});
  tcd::harness::check_launch("the kernel");
  return d.download();
}

double rectified(double x) { return x > 0 ? x : 0; }

}  // namespace

Rounding compare_rounding(const tcd::GemmVariant& fused, const tcd::GemmVariant& separate,
                          uint64_t seed) {
  const auto a = tcd::quarters(tcd::row_major(kM, kK), seed);
  const auto b = tcd::quarters(tcd::column_major(kK, kN), seed + 1);
  const tcd::Product product = tcd::integer_reference(a, b);
  std::vector<float> bias(kN);  // sums scatter by 96; this keeps 98 in 100 positive
  for (int column = 0; column < kN; ++column) {
    bias[column] = 192 + 0.25f * static_cast<float>(tcd::random_bits(seed + 2, column) % 33);
  }
  const auto once = run<uint16_t, __half>(fused.launch, a, b, bias);
  const auto twice = run<uint16_t, __half>(separate.launch, a, b, bias);
  const auto once_f32 = run<float, float>(fused.launch_f32, a, b, bias);
  const auto twice_f32 = run<float, float>(separate.launch_f32, a, b, bias);

  Rounding found;
  found.elements = static_cast<int64_t>(once.size());
  for (size_t i = 0; i < once.size(); ++i) {
    const auto row = static_cast<int>(i / kN), column = static_cast<int>(i % kN);
    const double sum = product.at(row, column), add = bias[column];
    const double stored = tcd::half_to_float(tcd::double_to_half(sum));
    const uint16_t want_once = tcd::double_to_half(rectified(sum + add));
    const uint16_t want_twice = tcd::double_to_half(rectified(stored + add));
    found.predicted += want_once != want_twice;
    found.unpredicted += once[i] != want_once || twice[i] != want_twice;
    found.differ_f32 += once_f32[i] != twice_f32[i];
    found.zero += once[i] == 0;
    if (once[i] == twice[i]) continue;
    const double one = tcd::half_to_float(once[i]), two = tcd::half_to_float(twice[i]);
    if (found.differ++ == 0) {
      found.row = row, found.column = column;
      found.sum = sum, found.bias = add, found.once = one, found.twice = two;
    }
    found.largest = std::fmax(found.largest, std::fabs(one - two));
  }
  return found;
}

}  // namespace day
