// One run on random inputs: what the oracles compare.
#pragma once

#include "bench/bench.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"

namespace day::bench {

// A and B on host and device, D on the device. No padding.
struct RandomRun {
  Size size;
  tcd::HalfMatrix a, b;
  tcd::harness::DeviceBuffer<uint16_t> device_a, device_b;
  tcd::harness::DeviceBuffer<__half> d;
  tcd::harness::DeviceBuffer<float> bias;

  RandomRun(const Size& where, tcd::HalfMatrix from_a, tcd::HalfMatrix from_b)
      : size(where),
        a(std::move(from_a)),
        b(std::move(from_b)),
        device_a(a.bits),
        device_b(b.bits),
        d(static_cast<size_t>(where.m) * where.n),
        bias(std::vector<float>(where.n, 1.0f)) {}
  RandomRun(const Size& where, uint64_t seed)
      : RandomRun(where, tcd::random_for_timing(tcd::row_major(where.m, where.k), seed),
                  tcd::random_for_timing(tcd::column_major(where.k, where.n), seed + 1)) {}
  static RandomRun exact(const Size& where, uint64_t seed) {
    return {where, tcd::quarters(tcd::row_major(where.m, where.k), seed),
            tcd::quarters(tcd::column_major(where.k, where.n), seed + 1)};
  }

  tcd::GemmArguments<__half> arguments() const {
    return {size.m, size.n,   size.k, device_a.as<__half>(), size.k, device_b.as<__half>(),
            size.k, d.data(), size.n, bias.data(),           1};
  }
  // Runs and brings D back, as bits.
  template <typename Launch>
  std::vector<uint16_t> run(const Launch& launch_it) const {
    launch_it(arguments());
    tcd::harness::check_launch("the kernel");
    const std::vector<__half> host = d.download();
    std::vector<uint16_t> bits(host.size());
    for (size_t i = 0; i < host.size(); ++i) bits[i] = __half_as_ushort(host[i]);
    return bits;
  }
};

// rows × columns of A × B in double, row-major: the corner at (0, 0). Uses all cores.
std::vector<double> corner_product(const tcd::HalfMatrix& a, const tcd::HalfMatrix& b, int rows,
                                   int columns);

}  // namespace day::bench
