// The fragment map WMMA does not promise, as this device happens to have it.
//
// "The mapping of matrix elements into fragment internal storage is unspecified and subject to
// change in future architectures" (CUDA C++ Programming Guide, warp matrix functions). Nothing is
// gated here but that the map is a map: every element is held by somebody, and what is held exists.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "day.h"
#include "gates/half.h"
#include "harness/device_buffer.h"
#include "ptx/fragments.h"

namespace day {

namespace {

using tcd::harness::DeviceBuffer;
namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;
using FragmentA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

struct WmmaRegisters {
  float a[32][FragmentA::num_elements];
  float b[32][FragmentB::num_elements];
  float c[32][FragmentC::num_elements];
};

// Every tile holds row·16 + column, so a value names its coordinate.
__global__ void dump_wmma(const half* halves, const float* floats, WmmaRegisters* out) {
  FragmentA a;
  FragmentB b;
  FragmentC c;
  wmma::load_matrix_sync(a, halves, kTile);
  wmma::load_matrix_sync(b, halves, kTile);
  wmma::load_matrix_sync(c, floats, kTile, wmma::mem_row_major);
  for (int i = 0; i < a.num_elements; ++i) out->a[threadIdx.x][i] = __half2float(a.x[i]);
  for (int i = 0; i < b.num_elements; ++i) out->b[threadIdx.x][i] = __half2float(b.x[i]);
  for (int i = 0; i < c.num_elements; ++i) out->c[threadIdx.x][i] = c.x[i];
}

std::string coordinates(const float* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int cell = static_cast<int>(values[i]);
    char one[48];
    std::snprintf(one, sizeof one, "%s(%d,%d)", i ? " " : "", cell / kTile, cell % kTile);
    text += one;
  }
  return text;
}

// How many of the 256 cells are held by some lane; -1 when a register holds no cell's value.
template <int kElements>
int cells_held(const float (&registers)[32][kElements]) {
  std::set<int> cells;
  for (const auto& lane : registers) {
    for (float value : lane) {
      const int cell = static_cast<int>(value);
      if (value != static_cast<float>(cell) || cell < 0 || cell >= kTile * kTile) return -1;
      cells.insert(cell);
    }
  }
  return static_cast<int>(cells.size());
}

tcd::GateResult gate_cells(const std::string& operand, int held) {
  const std::string name = "WMMA's " + operand + " is held completely";
  if (held == kTile * kTile) return tcd::GateResult::pass(name, held);
  return tcd::GateResult::fail(
      name, kTile * kTile,
      {held < 0 ? "a register holds a value that is in no cell of the tile"
                : std::to_string(held) + " of 256 cells are held by some lane"});
}

}  // namespace

void probe_wmma(Session& session) {
  session.section("WMMA's map, as observed on this device (16×16×16, A and B row-major)");
  std::vector<half> halves(kTile * kTile);
  std::vector<float> floats(kTile * kTile);
  for (int cell = 0; cell < kTile * kTile; ++cell) {
    halves[cell] = __float2half(static_cast<float>(cell));
    floats[cell] = static_cast<float>(cell);
  }
  DeviceBuffer<half> device_halves(halves);
  DeviceBuffer<float> device_floats(floats);
  DeviceBuffer<WmmaRegisters> device_registers(1);
  dump_wmma<<<1, 32>>>(device_halves.data(), device_floats.data(), device_registers.data());
  tcd::harness::check_launch("dump_wmma");
  const WmmaRegisters registers = device_registers.download().front();

  for (int lane : {0, 5}) {
    session.say("lane " + std::to_string(lane) + "  WMMA A     " +
                coordinates(registers.a[lane], FragmentA::num_elements));
    std::string table;
    for (int i = 0; i < 8; ++i) {
      const auto at = tcd::fragment::a_m16n8k16(lane, i);
      table += (i ? " (" : "(") + std::to_string(at.row) + "," + std::to_string(at.col) + ")";
    }
    session.say("        PTX table  " + table + "   <- m16n8k16, A");
    session.say("        WMMA C     " + coordinates(registers.c[lane], FragmentC::num_elements));
  }
  session.say(
      "Only the PTX table is a contract. WMMA's map is \"unspecified and subject to change\".");
  session.gate(gate_cells("A", cells_held(registers.a)));
  session.gate(gate_cells("B", cells_held(registers.b)));
  session.gate(gate_cells("C", cells_held(registers.c)));
}

}  // namespace day
