#include <algorithm>
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
};
static_assert(sizeof(GemmParameters) == 64);

// Elements after each row, so that ld is not the shape. 64 halves are one 128-byte line: rows start
// where lines do, which the write wavefronts of cp.async depend on.
constexpr int kGemmPadding = 64;

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
  for (const auto& [m, n, k] : setup.shapes) {
    const HalfMatrix a = quarters(row_major(m, k, kGemmPadding), seed++);
    const HalfMatrix b =
        quarters(setup.order_b == Order::kRowMajor ? row_major(k, n, kGemmPadding)
                                                   : column_major(k, n, kGemmPadding),
                 seed++);
    const MatrixLayout layout = row_major(m, n, kGemmPadding);
    DeviceOutput output(bench, layout);
    const GemmParameters parameters = {m,
                                       n,
                                       k,
                                       0,
                                       bench.upload<uint16_t>(a.bits),
                                       a.layout.ld,
                                       bench.upload<uint16_t>(b.bits),
                                       b.layout.ld,
                                       output.address(),
                                       layout.ld};
    const emu::Dim3 grid = {static_cast<uint32_t>(n / setup.tile[1]),
                            static_cast<uint32_t>(m / setup.tile[0]), 1};
    bench.launch(grid, static_cast<uint32_t>(setup.warps_m * setup.warps_n * 32),
                 setup.dynamic_shared_bytes, as_params(parameters));
    const std::string suffix =
        " " + std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
    for (GateResult& gate : output.judge(a, b, tiling, suffix)) gates.push_back(std::move(gate));
    if (!gates.back().passed()) break;
  }
  return gates;
}

}  // namespace tcd::exercises
