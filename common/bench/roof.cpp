// Compiled as a part of Day 00 (-Dday=day00), whose kernel it launches.
#include "bench/roof.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "day.h"
#include "harness/device_buffer.h"
#include "issue_rate.h"

namespace tcd::bench {

namespace {

constexpr const char* kInstruction = "m16n8k16 FP16→FP32";
constexpr int kIterations = 2000;
constexpr int kSamples = 5;
constexpr auto kRest = std::chrono::milliseconds(10);

double median_rate(const day::MmaKind& kind, const day::IssueVariant& variant, int warps,
                   const harness::DeviceInfo& device) {
  const int sms = device.properties.multiProcessorCount;
  const day::MmaShape& shape = kind.shape;
  const size_t operand_words = (shape.registers_a() + shape.registers_b()) * 32;
  // 1.0 in every half: finite sums, which the rate does not depend on.
  const harness::DeviceBuffer<uint32_t> operands(std::vector<uint32_t>(operand_words, 0x3C003C00));
  const harness::DeviceBuffer<uint32_t> d(size_t(sms) * warps * variant.ilp * shape.registers_d() *
                                          32);
  const harness::DeviceBuffer<day::WarpClock> clocks(size_t(sms) * warps);
  std::vector<double> rates;
  for (int sample = 0; sample < kSamples; ++sample) {
    variant.launch(sms, warps, static_cast<int>(device.properties.sharedMemPerBlockOptin),
                   {operands.data(), kIterations, d.data(), clocks.data()});
    harness::check_launch(shape.name);
    const auto taken = clocks.download();
    const double flop = 1.0 * warps * kIterations * variant.mmas_an_iteration * shape.flop();
    for (int sm = 0; sm < sms; ++sm) rates.push_back(flop / day::sm_cycles(taken, sm, warps));
    std::this_thread::sleep_for(kRest);
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

Roof measure_roof(const harness::DeviceInfo& device) {
  Roof roof;
  for (const day::MmaKind& kind : day::mma_kinds()) {
    if (std::string(kind.shape.name) != kInstruction) continue;
    for (const day::IssueVariant& variant : kind.variants) {
      for (const int warps : {4, 8, 16}) {
        const double rate = median_rate(kind, variant, warps, device);
        if (rate <= roof.flop_per_clock_and_sm) continue;
        roof.flop_per_clock_and_sm = rate;
        roof.how = std::string(kInstruction) + ", " + std::to_string(warps) + " warps, ILP " +
                   std::to_string(variant.ilp);
      }
    }
  }
  return roof;
}

}  // namespace tcd::bench
