#include <algorithm>
#include <cmath>
#include <random>

#include "exercises/kinds.h"
#include "exercises/product_gates.h"
#include "gates/inputs.h"

namespace tcd::exercises {
namespace {

// device/gemm.cuh's GemmArguments, seen from the host.
struct GemmParameters {
  int32_t m, n, k, unused = 0;
  uint64_t a;
  int64_t lda;  // an int and its padding
  uint64_t b;
  int64_t ldb;
  uint64_t d;
  int64_t ldd;
  uint64_t bias;
};
static_assert(sizeof(GemmParameters) == 72);

// Elements after each row, so that ld is not the shape. 64 halves are one 128-byte line: rows start
// where lines do, which the write wavefronts of cp.async depend on.
constexpr int kGemmPadding = 64;

// The same for A and B, whose rows start on 16 bytes whatever their length: copies need it.
int input_padding(int length) { return kGemmPadding + (8 - length % 8) % 8; }

// Sums of K products scatter by about 1.5·√K around zero. With a bias of twice that ReLU seldom
// hides a wrong one behind a zero, and sometimes has to.
std::vector<float> positive_bias(int n, int k, uint64_t seed) {
  const float shift = std::round(3.0f * std::sqrt(static_cast<float>(k)));
  std::vector<float> bias(static_cast<size_t>(n));
  for (size_t column = 0; column < bias.size(); ++column) {
    bias[column] = shift + 0.25f * static_cast<float>(random_bits(seed, column) % 33);
  }
  return bias;
}

void launch(const GemmSetup& setup, Workbench& bench, const HalfMatrix& a, const HalfMatrix& b,
            const DeviceOutput& output, const std::vector<float>& bias) {
  const int m = a.layout.rows, n = b.layout.cols;
  const GemmParameters parameters = {m,
                                     n,
                                     a.layout.cols,
                                     0,
                                     bench.upload<uint16_t>(a.bits),
                                     a.layout.ld,
                                     bench.upload<uint16_t>(b.bits),
                                     b.layout.ld,
                                     output.address(),
                                     n + kGemmPadding,
                                     bias.empty() ? 0 : bench.upload<float>(bias)};
  const auto tiles = [](int size, int tile) {  // the last one may be cut off
    return static_cast<uint32_t>((size + tile - 1) / tile);
  };
  bench.launch({tiles(n, setup.tile[1]), tiles(m, setup.tile[0]), 1},
               static_cast<uint32_t>(setup.warps_m * setup.warps_n * 32),
               setup.dynamic_shared_bytes, as_params(parameters));
}

}  // namespace

std::vector<std::array<int, 3>> draw_shapes(const GemmSetup& setup, uint64_t seed, uint64_t count) {
  // At most so many tiles: 2·3·8 take an emulated GEMM about as long as the exercises' own shapes.
  constexpr std::array<uint64_t, 3> kMostTiles = {2, 3, 8};
  std::mt19937_64 random(seed);
  std::vector<std::array<int, 3>> shapes;
  while (shapes.size() < count) {
    std::array<int, 3> shape{};
    for (size_t i = 0; i < 3; ++i) {  // % and not a distribution: those differ between libraries
      shape[i] = setup.tile[i] * static_cast<int>(1 + random() % kMostTiles[i]);
    }
    const auto among = [&](const auto& others) {
      return std::find(others.begin(), others.end(), shape) != others.end();
    };
    if (!among(setup.shapes) && !among(shapes)) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<GateResult> judge_gemm(const Manifest& manifest, Workbench& bench, uint64_t seed) {
  const GemmSetup& setup = manifest.gemm;
  const Tiling tiling = {setup.tile[0], setup.tile[1], setup.warps_m, setup.warps_n};
  std::vector<GateResult> gates;
  for (const auto& shape : setup.shapes) {
    const auto [m, n, k] = shape;
    HalfMatrix a = quarters(row_major(m, k, input_padding(k)), seed++);
    const HalfMatrix b =
        quarters(setup.order_b == Order::kRowMajor ? row_major(k, n, input_padding(n))
                                                   : column_major(k, n, input_padding(k)),
                 seed++);
    Epilogue epilogue;
    if (setup.bias_relu) epilogue = {positive_bias(n, k, seed), true};
    DeviceOutput output(bench, row_major(m, n, kGemmPadding));
    launch(setup, bench, a, b, output, epilogue.bias);
    const std::string suffix =
        " " + std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
    for (GateResult& gate : output.judge(a, b, tiling, suffix, epilogue)) {
      gates.push_back(std::move(gate));
    }
    if (!gates.back().passed()) break;
    if (!setup.bias_relu || &shape != &setup.shapes.back()) continue;
    const int row = m - 1;
    a.bits[static_cast<size_t>(a.layout.index(row, k / 2))] = kInputPadding;  // a NaN
    DeviceOutput with_nan(bench, row_major(m, n, kGemmPadding));
    launch(setup, bench, a, b, with_nan, epilogue.bias);
    gates.push_back(with_nan.judge_nan_row("a NaN stays one", row));
  }
  return gates;
}

}  // namespace tcd::exercises
