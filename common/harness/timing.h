// Times a launch on a card: median of event-timed samples, with sleeps between them.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tcd::harness {

struct Timing {
  std::string name;
  double median_ms = 0;
  double fastest_ms = 0;
  double slowest_ms = 0;
  int samples = 0;
  int sm_clock_mhz = 0;  // median of the readings right after each sample; 0: not readable
  int held_back = 0;     // samples in which NVML gave a reason other than idleness
  double flop = 0;       // of one launch, for the rate
  double tflops() const { return flop / median_ms * 1e-9; }
  std::string line() const;
};

// What was measured as a rate, not as a time: FLOP a clock and SM, bytes a second, ….
struct Rate {
  std::string name;
  double value = 0;
  std::string unit;      // "FLOP/clk/SM", "GB/s"
  int sm_clock_mhz = 0;  // 0: not readable, or of no importance
  std::string detail;    // how it came about: "8 warps, ILP 4"
  std::string line() const;
};

// Two events, to be reused.
class EventPair {
 public:
  EventPair();
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  ~EventPair();

  // Milliseconds of one launch, from `count` back to back. `behind` is put on the stream right
  // after them and not timed.
  double time_ms(const std::function<void()>& launch, int count,
                 const std::function<void()>& behind = {});

 private:
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

struct Candidate {
  std::string name;
  double flop = 0;  // of one launch
  std::function<void()> launch;
};

// Times all candidates in turn, `samples` rounds, an event pair around each launch and a sleep
// after it: on a power-capped card a kernel's clock depends on its neighbours, so all must have the
// same. Only for cards: the emulated device has no time of its own. Throws CudaError.
std::vector<Timing> time_launches(const std::vector<Candidate>& candidates, int samples = 20,
                                  int warm_ups = 3);

void to_json(nlohmann::json& json, const Timing& timing);
void to_json(nlohmann::json& json, const Rate& rate);

}  // namespace tcd::harness
