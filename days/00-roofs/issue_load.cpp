// The same mma rested and without a pause: what the clock does to a roof in TFLOP/s.
#include <algorithm>
#include <chrono>
#include <thread>

#include "gates/half.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"
#include "harness/telemetry.h"
#include "issue_rate.h"

namespace day {

namespace {

using std::chrono::steady_clock;
using tcd::harness::DeviceBuffer;

constexpr int kIterations = 10000;  // some milliseconds
constexpr int kShortIterations = 100;
constexpr int kRestedSamples = 5;
constexpr auto kPause = std::chrono::milliseconds(50);

// Halves in [−1, 1): both operands full, no zero to save a multiplier's power.
std::vector<uint32_t> random_operands(const MmaShape& shape) {
  std::vector<uint32_t> words((shape.registers_a() + shape.registers_b()) * 32);
  const auto half = [](uint64_t bits) {
    return uint32_t{tcd::float_to_half(static_cast<int>(bits % 2048) / 1024.0f - 1)};
  };
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = half(tcd::random_bits(1, 2 * i)) | half(tcd::random_bits(1, 2 * i + 1)) << 16;
  }
  return words;
}

class Load {
 public:
  Load(const MmaKind& kind, const Roof& roof, const cudaDeviceProp& device)
      : kind_(kind),
        variant_(
            *std::find_if(kind.variants.begin(), kind.variants.end(),
                          [&](const IssueVariant& variant) { return variant.ilp == roof.ilp; })),
        sms_(device.multiProcessorCount),
        shared_bytes_(static_cast<int>(device.sharedMemPerBlockOptin)),
        warps_(roof.warps),
        operands_(random_operands(kind.shape)),
        d_(size_t(sms_) * warps_ * variant_.ilp * kind.shape.registers_d() * 32),
        clocks_(size_t(sms_) * warps_) {
    tcd::harness::check(cudaEventCreate(&start_), "cudaEventCreate");
    tcd::harness::check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  ~Load() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Load(const Load&) = delete;

  // A short launch goes ahead, so that the events time the long one and not the host's launching
  // it.
  LoadSample sample() {
    launch(kShortIterations);
    tcd::harness::check(cudaEventRecord(start_), "cudaEventRecord");
    launch(kIterations);
    tcd::harness::check(cudaEventRecord(stop_), "cudaEventRecord");
    const auto telemetry = tcd::harness::read_telemetry();  // while it runs
    tcd::harness::check(cudaEventSynchronize(stop_), kind_.shape.name);
    float ms = 0;
    tcd::harness::check(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    const std::vector<WarpClock> clocks = clocks_.download();
    std::vector<double> cycles;
    for (int sm = 0; sm < sms_; ++sm) cycles.push_back(sm_cycles(clocks, sm, warps_));
    std::sort(cycles.begin(), cycles.end());
    const double middle = cycles[cycles.size() / 2];
    const double flop =
        1.0 * warps_ * kIterations * variant_.mmas_an_iteration * kind_.shape.flop();
    return {flop / middle, flop * sms_ / ms * 1e-9, middle / ms * 1e-3,
            telemetry ? telemetry->power_watts : 0};
  }

 private:
  void launch(int iterations) {
    variant_.launch(sms_, warps_, shared_bytes_,
                    {operands_.data(), iterations, d_.data(), clocks_.data()});
  }

  const MmaKind& kind_;
  const IssueVariant variant_;
  const int sms_, shared_bytes_, warps_;
  const DeviceBuffer<uint32_t> operands_, d_;
  const DeviceBuffer<WarpClock> clocks_;
  cudaEvent_t start_{}, stop_{};
};

}  // namespace

LoadRun run_back_to_back(const MmaKind& kind, const Roof& roof, const cudaDeviceProp& device,
                         double seconds) {
  Load load(kind, roof, device);
  LoadRun run;
  for (int i = 0; i < kRestedSamples; ++i) {
    std::this_thread::sleep_for(kPause);
    run.rested = load.sample();
  }
  const auto end = steady_clock::now() + std::chrono::duration<double>(seconds);
  while (steady_clock::now() < end) run.loaded = load.sample();
  return run;
}

}  // namespace day
