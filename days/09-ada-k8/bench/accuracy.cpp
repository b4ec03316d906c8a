// What FP16 sums cost: the error over K, and the law it follows.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/random_run.h"
#include "gates/half.h"

namespace day::bench {

namespace {

constexpr int kDepths[] = {128, 256, 512, 1024, 2048, 4096, 8192};
// For the file: more digits say nothing.
double one_decimal(double value) { return std::round(value * 10) / 10; }

constexpr int kCorner = 64;  // 4,096 elements: a ratio of norms good to about a percent

double relative_error(const RandomRun& run, const Instance& instance,
                      const std::vector<double>& reference) {
  const Configuration configuration = {&instance, 3, 3, 1};
  const auto d = run.run([&](const auto& gemm) { launch(configuration, gemm); });
  double error = 0, norm = 0;
  for (int row = 0; row < kCorner; ++row) {
    for (int column = 0; column < kCorner; ++column) {
      const double exact = reference[static_cast<size_t>(row) * kCorner + column];
      const double got = tcd::half_to_float(d[static_cast<size_t>(row) * run.size.n + column]);
      error += (got - exact) * (got - exact);
      norm += exact * exact;
    }
  }
  return std::sqrt(error / norm);
}

}  // namespace

std::vector<AccuracyPoint> measure_accuracy(Mma mma, uint64_t seed) {
  Options options;
  options.mma = mma;
  options.tile = 0;
  const Instance& f32 = instance_of(options);
  options.accumulator = Accumulator::kF16;
  const Instance& f16 = instance_of(options);
  std::vector<AccuracyPoint> points;
  for (const int k : kDepths) {
    const RandomRun run({kCorner, kCorner, k}, seed);
    const auto reference = corner_product(run.a, run.b, kCorner, kCorner);
    points.push_back({k, relative_error(run, f16, reference), relative_error(run, f32, reference)});
  }
  return points;
}

PowerLaw fit(const std::vector<AccuracyPoint>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const AccuracyPoint& point : points) {
    const double log_k = std::log(point.k), log_error = std::log(point.f16);
    x += log_k;
    y += log_error;
    xx += log_k * log_k;
    xy += log_k * log_error;
  }
  const double exponent = (n * xy - x * y) / (n * xx - x * x);
  return {std::exp((y - exponent * x) / n), exponent};
}

void show_accuracy(tcd::harness::Session& session, Mma mma) {
  const auto points = measure_accuracy(mma, session.seed());
  const PowerLaw law = fit(points);
  const std::string name = mma == Mma::kK8 ? "k8" : "k16";
  session.section("Sums in FP16, " + name + ": ‖err‖/‖ref‖ over K, uniform inputs in [−1, 1)");
  session.say("     K    FP16 sums    FP32 sums   √K · 2⁻¹¹");
  for (const AccuracyPoint& point : points) {
    char line[96];
    std::snprintf(line, sizeof line, "%6d   %.3e    %.3e   %.3e", point.k, point.f16, point.f32,
                  std::sqrt(point.k) * 0x1p-11);
    session.say(line);
    std::snprintf(line, sizeof line, "sums, %s, K = %4d", name.c_str(), point.k);  // they sort
    session.derive(line, {{"f16_error_ppm", one_decimal(point.f16 * 1e6)},
                          {"f32_error_ppm", one_decimal(point.f32 * 1e6)}});
  }
  char line[128];
  std::snprintf(line, sizeof line, "FP16 fitted: %.3f · 2⁻¹¹ · K^%.3f", law.constant * 0x1p11,
                law.exponent);
  session.say(line);
  session.derive("sums, " + name + ", fitted",
                 {{"exponent_percent", one_decimal(law.exponent * 100)},
                  {"constant_ppm", one_decimal(law.constant * 1e6)}});
}

}  // namespace day::bench
