#include <cmath>

#include "exercises/kinds.h"
#include "exercises/product_gates.h"
#include "gates/fragment_gate.h"
#include "gates/inputs.h"

namespace tcd::exercises {
namespace {

// The parameter block of device/fragment_map.cu's kernel.
struct MapParameters {
  uint64_t a, b, d;
  int32_t ldd, unused;
  uint64_t held_a, held_b;
};

constexpr int kLanes = fragment::kWarpLanes;
constexpr int kMapPadding = 8;

struct Held {
  std::vector<float> a, b;
};

// Loads the tiles by the submission's map; what every lane then holds, and D through `output`.
Held multiply(Workbench& bench, int k, const HalfMatrix& a, const HalfMatrix& b,
              const DeviceOutput& output, int ldd) {
  const auto size = [](int each) { return static_cast<size_t>(kLanes * each); };
  Held held = {std::vector<float>(size(fragment::a_elements(k)), std::nanf("")),
               std::vector<float>(size(fragment::b_elements(k)), std::nanf(""))};
  const MapParameters parameters = {
      bench.upload<uint16_t>(a.bits), bench.upload<uint16_t>(b.bits), output.address(), ldd, 0,
      bench.upload<float>(held.a),    bench.upload<float>(held.b)};
  bench.launch({1, 1, 1}, kLanes, 0, as_params(parameters));
  bench.download(parameters.held_a, held.a.data(), held.a.size() * sizeof(float));
  bench.download(parameters.held_b, held.b.data(), held.b.size() * sizeof(float));
  return held;
}

GateResult judge_ownership(Workbench& bench, int k) {
  HalfMatrix a(row_major(fragment::kTileM, k)), b(row_major(k, fragment::kTileN));
  for (int row = 0; row < fragment::kTileM; ++row) {
    for (int col = 0; col < k; ++col) {
      a.set(row, col, static_cast<float>(probe_value_a(k, row, col)));
    }
  }
  for (int row = 0; row < k; ++row) {
    for (int col = 0; col < fragment::kTileN; ++col) {
      b.set(row, col, static_cast<float>(probe_value_b(k, row, col)));
    }
  }
  const MatrixLayout layout = row_major(fragment::kTileM, fragment::kTileN);
  const DeviceOutput ignored(bench, layout);
  const Held held = multiply(bench, k, a, b, ignored, static_cast<int>(layout.ld));
  return ownership_gate(k, held.a, held.b);
}

}  // namespace

std::vector<GateResult> judge_fragment_map(const Manifest& manifest, Workbench& bench,
                                           uint64_t seed) {
  const int k = manifest.mma_k;
  std::vector<GateResult> gates = {judge_ownership(bench, k)};
  if (!gates.back().passed()) return gates;

  const HalfMatrix a = quarters(row_major(fragment::kTileM, k), seed);
  const HalfMatrix b = quarters(row_major(k, fragment::kTileN), seed + 1);
  const MatrixLayout layout = row_major(fragment::kTileM, fragment::kTileN, kMapPadding);
  DeviceOutput output(bench, layout);
  multiply(bench, k, a, b, output, static_cast<int>(layout.ld));
  const Tiling one_warp = {fragment::kTileM, fragment::kTileN, 1, 1};
  for (GateResult& gate : output.judge(a, b, one_warp, "")) gates.push_back(std::move(gate));
  return gates;
}

}  // namespace tcd::exercises
