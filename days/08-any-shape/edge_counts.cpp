// One launch on the emulated device, where it is counted.
#include "day.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

std::map<std::string, uint64_t> count_launch(const Launch& launch, int m, int n, int k) {
  const auto a = tcd::quarters(tcd::row_major(m, k), 1);
  const auto b = tcd::quarters(tcd::column_major(k, n), 2);
  const tcd::harness::DeviceBuffer<uint16_t> device_a(a.bits), device_b(b.bits);
  const tcd::harness::DeviceBuffer<__half> d(static_cast<size_t>(m) * n);
  tcd::harness::reset_counters();
  launch({m, n, k, device_a.as<__half>(), k, device_b.as<__half>(), k, d.data(), n, nullptr, 1});
  tcd::harness::check_launch("the counted launch");
  return tcd::harness::read_counters();
}

}  // namespace day
