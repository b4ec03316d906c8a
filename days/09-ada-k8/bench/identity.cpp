// Busy tensor cycles: the work divided by the rate, the same for every kernel that issues the same
// instructions. Only the cycles around them can differ.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "gates/result.h"

namespace day::bench {

namespace {

struct Rate {
  double flop = 0;  // a clock and SM, dense; 0: not known
  const char* source = "";
};

// By mma.sync. GeForce cards of 8.6 and 8.9 halve FP32 accumulation; the workstation and
// data-centre cards of the same silicon do not.
Rate tensor_rate(const cudaDeviceProp& device, Mma mma, Accumulator accumulator) {
  const int compute = device.major * 10 + device.minor;
  const bool geforce = std::string(device.name).find("GeForce") != std::string::npos;
  if (compute == 80) return {2048, "the A100 whitepaper"};
  if (compute == 86 || compute == 89) {
    if (geforce && accumulator == Accumulator::kF32) return {512, "the Ada whitepaper, GeForce"};
    return {1024, "the Ada whitepaper"};
  }
  if (compute == 90) {
    return {mma == Mma::kK8 ? 2048.0 : 2730.0, "measured on an H200, Day 00"};
  }
  return {};
}

}  // namespace

void show_identity(tcd::harness::Session& session, const Size& size, Mma mma,
                   Accumulator accumulator) {
  const cudaDeviceProp& device = session.device().properties;
  const Rate rate = tensor_rate(device, mma, accumulator);
  session.section("Busy tensor cycles");
  if (rate.flop == 0) {
    session.say("the tensor rate of this device is not known here; Day 00 measures it on a card");
    return;
  }
  const int sms = device.multiProcessorCount;
  const double flop = 2.0 * size.m * size.n * size.k;
  const auto cycles = static_cast<int64_t>(std::llround(flop / (rate.flop * sms)));
  char text[200];
  std::snprintf(text, sizeof text, "2·%d·%d·%d / (%.0f FLOP/clk/SM × %d SMs) = %s cycles", size.m,
                size.n, size.k, rate.flop, sms, tcd::with_separators(cycles).c_str());
  session.say(text);
  const bool hopper = device.major == 9;  // where cuBLAS multiplies with wgmma, at a higher rate
  session.say(
      std::string("a sub-partition's tensor core is busy that long in this kernel and in ") +
      (hopper ? "any of mma.sync" : "cuBLAS's") +
      ": only the cycles around them differ (rate: " + rate.source + ")");
  session.derive("busy tensor cycles", {{"size", size.text()},
                                        {"flop_per_clock_and_sm", static_cast<int>(rate.flop)},
                                        {"sms", sms},
                                        {"tensor_cycles", cycles}});
}

}  // namespace day::bench
