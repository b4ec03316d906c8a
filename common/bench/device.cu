#include "bench/device.h"
#include "harness/device_buffer.h"

namespace tcd::bench {

namespace {

constexpr int kThreads = 256, kCtas = 1024;

__global__ void compare_kernel(const uint16_t* got, const uint16_t* expected,
                               unsigned long long count, Difference* difference) {
  const unsigned long long step = gridDim.x * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    if (got[i] == expected[i]) continue;
    atomicAdd(&difference->wrong, 1ull);
    atomicMin(&difference->first, i);
  }
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

struct Interval {
  long long cycles;
  unsigned long long nanoseconds;
};

constexpr unsigned long long kProbeNanoseconds = 50000;

// From one tick of the timer to another: the timer may tick once a microsecond only.
__global__ void clock_kernel(Interval* interval) {
  const unsigned long long before = nanoseconds();
  unsigned long long start = before, stop;
  while (start == before) start = nanoseconds();
  const long long first = clock64();
  do {
    stop = nanoseconds();
  } while (stop - start < kProbeNanoseconds);
  *interval = {clock64() - first, stop - start};
}

harness::DeviceBuffer<Interval>& interval() {
  static harness::DeviceBuffer<Interval> buffer(1);
  return buffer;
}

}  // namespace

Difference compare_bits(const uint16_t* got, const uint16_t* expected, unsigned long long count) {
  harness::DeviceBuffer<Difference> difference(std::vector<Difference>(1));
  compare_kernel<<<kCtas, kThreads>>>(got, expected, count, difference.data());
  harness::check_launch("comparing the results");
  return difference.download().front();
}

void start_clock_probe() { clock_kernel<<<1, 1>>>(interval().data()); }

double read_clock_probe() {
  harness::check_launch("reading the clock");
  const Interval read = interval().download().front();
  return 1e3 * static_cast<double>(read.cycles) / static_cast<double>(read.nanoseconds);
}

}  // namespace tcd::bench
