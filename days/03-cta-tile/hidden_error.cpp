// Why the gates also run the kernel with FP32 output: half a store's rounding is a hiding place.
#include "day.h"
#include "gates/half.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"

namespace day {

namespace {

constexpr int kM = 256, kN = 256, kK = 4096;
constexpr float kError = 1.0f / 16;

template <typename Output, typename Launch>
std::vector<Output> run(const Launch& launch, const tcd::HalfMatrix& a, const tcd::HalfMatrix& b) {
  const tcd::harness::DeviceBuffer<uint16_t> device_a(a.bits), device_b(b.bits);
  const tcd::harness::DeviceBuffer<Output> d(std::vector<Output>(size_t{kM} * kN));
  launch(
      {kM, kN, kK, device_a.as<__half>(), kK, device_b.as<__half>(), kK, d.data(), kN, nullptr, 1});
  tcd::harness::check_launch("the kernel");
  return d.download();
}

}  // namespace

HiddenError hide_a_sixteenth(const tcd::GemmVariant& variant, uint64_t seed) {
  const auto a = tcd::quarters(tcd::row_major(kM, kK), seed);
  const auto b = tcd::quarters(tcd::column_major(kK, kN), seed + 1);
  const std::vector<float> sums = run<float>(variant.launch_f32, a, b);
  const std::vector<__half> stored = run<__half>(variant.launch, a, b);
  HiddenError found;
  found.elements = static_cast<int64_t>(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const float wrong = sums[i] + kError;
    found.same_f32 += wrong == sums[i];
    found.same_f16 += tcd::float_to_half(wrong) == __half_as_ushort(stored[i]);
  }
  return found;
}

}  // namespace day
