// One kernel without a pause: what power, heat and the clock make of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "bench/inputs.h"
#include "harness/session.h"
#include "harness/telemetry.h"

namespace tcd::bench {

struct SoakSample {
  double end_s = 0;  // since the start, by the card's own events
  int launches = 0;
  double tflops = 0;
  harness::Telemetry telemetry{};  // read when these launches had ended and the next were running
};

struct Soak {
  std::vector<SoakSample> samples;  // four a second
  int64_t launches() const;
  double seconds() const;
  double tflops(double flop) const;  // over everything
  // How much slower the last tenth is than the first, in percent; and the same by the clock alone.
  double decay_percent() const;
  double clock_decay_percent() const;
  // Samples in which NVML gave one of these reasons.
  int held_back(uint64_t reasons) const;
};

// The queue never runs dry: a batch is launched before the one ahead of it is waited for.
Soak soak(const Candidate& candidate, const Inputs& inputs, int seconds);

void show(harness::Session& session, const Candidate& candidate, const Size& size,
          const Soak& soak);

}  // namespace tcd::bench
