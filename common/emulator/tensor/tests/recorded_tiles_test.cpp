// The kernels against whole tiles recorded on a card: every shape and type, and the edges (signed
// zeros, subnormals, overflow, infinities, NaN). The file is named by TCD_HARDWARE_TILES and is not
// part of this repository; without it the test says that it was skipped.
//
// Format: '#' lines are comments (one of them names sm_90 or another architecture), then
// op,category,A,B,C,D with row-major matrices as fixed-width hex; op like m16n8k16.f32.bf16.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tensor/mma.h"
#include "tensor/tests/tiles.h"

namespace {

using namespace tcd::emu;

constexpr int kSkipped = 77;

std::vector<uint32_t> numbers(const std::string& text, size_t count) {
  std::vector<uint32_t> out;
  const size_t digits = text.size() / count;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(uint32_t(std::strtoul(text.substr(i * digits, digits).c_str(), nullptr, 16)));
  }
  return out;
}

struct Op {
  int k, bits;
  bool half;
  void (*run)(const TensorNumerics&, tiles::Fragments&, Row*);
};

template <auto function>
void plain(const TensorNumerics& chip, tiles::Fragments& f, Row* d) {
  function(chip, f.a, f.b, f.c, d);
}
template <int k, bool is_signed, bool saturate>
void integer(const TensorNumerics&, tiles::Fragments& f, Row* d) {
  mma_s32({16, k, 8, is_signed, is_signed, saturate}, f.a, f.b, f.c, d);
}
template <Fp8 type>
void fp8(const TensorNumerics& chip, tiles::Fragments& f, Row* d) {
  mma_m16n8k32_f32_fp8(chip, type, type, f.a, f.b, f.c, d);
}

const std::map<std::string, Op> kOps = {
    {"m16n8k8.f32.f16", {8, 16, false, plain<mma_m16n8k8_f32_f16>}},
    {"m16n8k16.f32.f16", {16, 16, false, plain<mma_m16n8k16_f32_f16>}},
    {"m16n8k8.f16.f16", {8, 16, true, plain<mma_m16n8k8_f16_f16>}},
    {"m16n8k16.f16.f16", {16, 16, true, plain<mma_m16n8k16_f16_f16>}},
    {"m16n8k8.f32.bf16", {8, 16, false, plain<mma_m16n8k8_f32_bf16>}},
    {"m16n8k16.f32.bf16", {16, 16, false, plain<mma_m16n8k16_f32_bf16>}},
    {"m16n8k4.f32.tf32", {4, 32, false, plain<mma_m16n8k4_f32_tf32>}},
    {"m16n8k8.f32.tf32", {8, 32, false, plain<mma_m16n8k8_f32_tf32>}},
    {"m16n8k16.s32.s8", {16, 8, false, integer<16, true, false>}},
    {"m16n8k32.s32.s8", {32, 8, false, integer<32, true, false>}},
    {"m16n8k16.s32.u8", {16, 8, false, integer<16, false, false>}},
    {"m16n8k32.s32.u8", {32, 8, false, integer<32, false, false>}},
    {"m16n8k16.s32.s8.satfinite", {16, 8, false, integer<16, true, true>}},
    {"m16n8k32.s32.s8.satfinite", {32, 8, false, integer<32, true, true>}},
    {"m16n8k32.f32.e4m3", {32, 8, false, fp8<Fp8::kE4m3>}},
    {"m16n8k32.f32.e5m2", {32, 8, false, fp8<Fp8::kE5m2>}},
};

struct Tally {
  int elements = 0, wrong = 0;
  std::string first;
};

}  // namespace

int main() {
  const char* path = std::getenv("TCD_HARDWARE_TILES");
  if (path == nullptr || *path == 0) {
    std::printf("skipped: TCD_HARDWARE_TILES does not name a file of recorded tiles\n");
    return kSkipped;
  }
  std::ifstream in(path);
  if (!in) {
    std::printf("FAILED: %s cannot be read\n", path);
    return 1;
  }
  TensorNumerics chip{8, 24, ""};
  std::map<std::pair<std::string, int>, Tally> tallies;
  std::string line;
  while (std::getline(in, line)) {
    if (line.find("sm_90") != std::string::npos) chip = {16, 25, "", 7};
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> field(1);
    for (char ch : line) {
      if (ch == ',')
        field.emplace_back();
      else
        field.back() += ch;
    }
    auto op = kOps.find(field[0]);
    if (field.size() != 6 || op == kOps.end()) continue;  // the header, or an op not known here
    const Op& shape = op->second;
    tiles::Tile tile{shape.k, shape.half, numbers(field[2], size_t(16 * shape.k)),
                     numbers(field[3], size_t(8 * shape.k)), numbers(field[4], 128)};
    std::vector<uint32_t> expected = numbers(field[5], 128);
    tiles::Fragments f = tiles::fragments_of_words(tile, shape.bits);
    Row d[4];
    shape.run(chip, f, d);
    std::vector<uint32_t> got = tiles::matrix_of(d, shape.half);
    Tally& tally = tallies[{field[0], std::atoi(field[1].c_str())}];
    for (size_t i = 0; i < 128; ++i) {
      ++tally.elements;
      if (got[i] == expected[i]) continue;
      if (++tally.wrong == 1) {
        char text[120];
        std::snprintf(text, sizeof text, "row %zu column %zu: c %x, chip %x, emulator %x", i / 8,
                      i % 8, tile.c[i], expected[i], got[i]);
        tally.first = text;
      }
    }
  }
  int total = 0, wrong = 0;
  for (const auto& [key, tally] : tallies) {
    std::printf("%-28s category %d: %6d elements, %d differ %s\n", key.first.c_str(), key.second,
                tally.elements, tally.wrong, tally.first.c_str());
    total += tally.elements;
    wrong += tally.wrong;
  }
  std::printf("%s: %d elements, %d differ\n", wrong == 0 && total > 0 ? "passed" : "FAILED", total,
              wrong);
  return wrong == 0 && total > 0 ? 0 : 1;
}
