// What the probes must show: ownership by unique values, C and D by one-hot products, one tile.
#include <algorithm>
#include <span>
#include <string>

#include "day.h"
#include "gates/fragment_gate.h"
#include "gates/gemm_gate.h"
#include "gates/inputs.h"
#include "gates/product.h"
#include "probe.h"

namespace day {

namespace {

namespace fragment = tcd::fragment;

constexpr int kM = fragment::kTileM, kN = fragment::kTileN;

template <typename Registers>
std::span<const float> flat(const Registers& registers, size_t count) {
  return {&registers[0][0], count};
}

std::string coordinate(fragment::Coord at) {
  return "(" + std::to_string(at.row) + "," + std::to_string(at.col) + ")";
}

std::string predicted_map(int k, int lane) {
  std::string a, b;
  for (int i = 0; i < fragment::a_elements(k); ++i)
    a += " " + coordinate(fragment::a_coord(k, lane, i));
  for (int i = 0; i < fragment::b_elements(k); ++i)
    b += " " + coordinate(fragment::b_coord(k, lane, i));
  return "lane " + std::to_string(lane) + "  A:" + a + "   B:" + b;
}

// Which cell of the probe's tiles each register of `lane` held, in the words of predicted_map().
template <int K>
std::string received_map(const WarpRegisters<K>& registers, int lane) {
  std::string a, b;
  for (float value : registers.a[lane]) {
    const int cell = static_cast<int>(value) - tcd::probe_value_a(K, 0, 0);
    a += " " + coordinate({cell / K, cell % K});
  }
  for (float value : registers.b[lane]) {
    const int cell = static_cast<int>(value) - tcd::probe_value_b(K, 0, 0);
    b += " " + coordinate({cell / kN, cell % kN});
  }
  return "lane " + std::to_string(lane) + "  A:" + a + "   B:" + b;
}

// Tiles in which every cell is unique, so that a value names the place it came from.
template <int K>
WarpRegisters<K> gate_ownership(Session& session, Control control, bool& held) {
  tcd::HalfMatrix a(tcd::row_major(kM, K)), b(tcd::row_major(K, kN));
  for (int row = 0; row < kM; ++row) {
    for (int k = 0; k < K; ++k) a.set(row, k, tcd::probe_value_a(K, row, k));
  }
  for (int k = 0; k < K; ++k) {
    for (int column = 0; column < kN; ++column) {
      b.set(k, column, tcd::probe_value_b(K, k, column));
    }
  }
  WarpRegisters<K> registers = run_probe<K>({a}, {b}).front();
  if (control == Control::kSwappedFragments) {
    for (auto& lane : registers.a) std::swap_ranges(&lane[0], &lane[2], &lane[2]);
  }
  held = session.gate(tcd::ownership_gate(K, flat(registers.a, 32 * fragment::a_elements(K)),
                                          flat(registers.b, 32 * fragment::b_elements(K))));
  return registers;
}

// 128 products e_r e_k × e_k e_c: the tensor core itself says where row r and column c are.
template <int K>
void gate_accumulators(Session& session) {
  std::vector<tcd::HalfMatrix> a, b;
  for (int product = 0; product < kM * kN; ++product) {
    const int k = tcd::one_hot_k(K, product);
    a.push_back(tcd::one_hot(tcd::row_major(kM, K), product / kN, k));
    b.push_back(tcd::one_hot(tcd::row_major(K, kN), k, product % kN));
  }
  std::vector<float> d;
  for (const auto& registers : run_probe<K>(a, b)) {
    const float* first = &registers.d[0][0];
    d.insert(d.end(), first, first + 32 * fragment::kAccumulators);
  }
  session.gate(tcd::accumulator_gate(K, d));
}

// One tile of quarters, every element against the double reference, bit for bit.
template <int K>
void gate_tile(Session& session) {
  const auto a = tcd::quarters(tcd::row_major(kM, K), session.seed());
  const auto b = tcd::quarters(tcd::row_major(K, kN), session.seed() + 1);
  const auto registers = run_probe<K>({a}, {b}).front();
  std::vector<float> d(kM * kN);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < fragment::kAccumulators; ++i) {
      const auto at = fragment::c_m16n8(lane, i);
      d[at.row * kN + at.col] = registers.d[lane][i];
    }
  }
  const tcd::Product product = tcd::double_reference(a, b);
  tcd::GemmCase gemm;
  gemm.a = &a;
  gemm.b = &b;
  gemm.expected = {&product, tcd::OutputType::kF32, {}};
  const tcd::OutputView view = {tcd::OutputType::kF32, tcd::row_major(kM, kN), d.data()};
  session.gate(tcd::gemm_gate(
      "one m16n8k" + std::to_string(K) + " tile against the double reference", gemm, view));
}

template <int K>
void probe_shape(Session& session, Control control) {
  session.say("predicted, from the PTX tables:");
  for (int lane : {0, 5}) session.say("  " + predicted_map(K, lane));
  bool map_held = true;
  const WarpRegisters<K> registers = gate_ownership<K>(session, control, map_held);
  session.say("received:");
  bool lanes_held = true;
  for (int lane : {0, 5}) {
    session.say("  " + received_map(registers, lane));
    lanes_held = lanes_held && received_map(registers, lane) == predicted_map(K, lane);
  }
  gate_accumulators<K>(session);
  gate_tile<K>(session);
  if (K == 8) {
    session.predict(1, "all 192 elements are owned as the tables say", map_held);
    session.predict(2, "lanes 0 and 5 hold the elements named on the page", lanes_held);
  }
}

}  // namespace

void probe_m16n8k8(Session& session, Control control) {
  session.section("mma.sync.m16n8k8, one warp");
  probe_shape<8>(session, control);
}

void probe_m16n8k16(Session& session) {
  session.section("mma.sync.m16n8k16, one warp");
  const bool has_shape = session.device().compute >= 80;
  const std::string text = "the m16n8k16 probe runs on sm_80 and newer, and says so elsewhere";
  if (!has_shape) {
    session.not_run("m16n8k16", "needs sm_80, this is " + session.device().architecture());
  } else {
    probe_shape<16>(session, Control::kNone);
  }
  session.predict(5, text, true);
}

}  // namespace day
