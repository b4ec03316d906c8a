// The kernels against results recorded on real chips. The recordings are not part of this
// repository: name their folder in TCD_HARDWARE_VECTORS (files ada.csv, a100.csv, h100.csv; columns
// a, b, c, d in hex), otherwise every case says that it was skipped.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/tests/tiles.h"

namespace {

using namespace tcd::emu;

constexpr int kSkipped = 77;  // the ctest entry's SKIP_RETURN_CODE

struct Recording {
  const char* file;
  int products;
  TensorNumerics numerics;
};

struct Vector {
  std::vector<uint32_t> a, b;
  uint32_t c, d;
};

std::vector<uint32_t> halves(const std::string& text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i + 4 <= text.size(); i += 4) {
    out.push_back(uint32_t(std::strtoul(text.substr(i, 4).c_str(), nullptr, 16)));
  }
  return out;
}

bool read(const std::string& path, int products, std::vector<Vector>& out) {
  std::ifstream in(path);
  if (!in) return false;
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    std::string field[4];
    size_t from = 0;
    for (std::string& f : field) {
      size_t comma = line.find(',', from);
      f = line.substr(from, comma == std::string::npos ? comma : comma - from);
      from = comma == std::string::npos ? line.size() : comma + 1;
    }
    Vector v{halves(field[0]), halves(field[1]),
             uint32_t(std::strtoul(field[2].c_str(), nullptr, 16)),
             uint32_t(std::strtoul(field[3].c_str(), nullptr, 16))};
    if (int(v.a.size()) != products || v.a.size() != v.b.size()) {
      std::cerr << path << ": a row with " << v.a.size() << " products, expected " << products
                << ": " << line << '\n';
      return false;
    }
    out.push_back(v);
  }
  return !out.empty();
}

// Eight vectors at a time on the diagonal of one tile (row i, column i); the rest is their cross
// terms, which nobody recorded.
int mismatches(const std::vector<Vector>& vectors, const TensorNumerics& numerics, int products) {
  int wrong = 0;
  for (size_t first = 0; first + 8 <= vectors.size(); first += 8) {
    tiles::Tile tile = {products, false, std::vector<uint32_t>(size_t(16 * products)),
                        std::vector<uint32_t>(size_t(8 * products)), std::vector<uint32_t>(128)};
    for (size_t i = 0; i < 8; ++i) {
      for (size_t k = 0; k < size_t(products); ++k) {
        tile.a[i * size_t(products) + k] = vectors[first + i].a[k];
        tile.b[k * 8 + i] = vectors[first + i].b[k];
      }
      tile.c[i * 8 + i] = vectors[first + i].c;
    }
    tiles::Fragments f = tiles::fragments_of(tile);
    Row d[4];
    (products == 8 ? mma_m16n8k8_f32_f16 : mma_m16n8k16_f32_f16)(numerics, f.a, f.b, f.c, d);
    std::vector<uint32_t> result = tiles::matrix_of(d, false);
    for (size_t i = 0; i < 8; ++i) wrong += result[i * 8 + i] != vectors[first + i].d;
  }
  return wrong;
}

}  // namespace

int main() {
  const char* folder = std::getenv("TCD_HARDWARE_VECTORS");
  if (folder == nullptr || *folder == 0) {
    std::printf("skipped: TCD_HARDWARE_VECTORS does not name the folder of the recordings\n");
    return kSkipped;
  }
  const Recording recordings[] = {
      {"ada.csv", 8, {8, 24, ""}}, {"a100.csv", 8, {8, 24, ""}}, {"h100.csv", 16, {16, 25, ""}}};
  bool good = true;
  for (const Recording& r : recordings) {
    std::vector<Vector> vectors;
    if (!read(std::string(folder) + "/" + r.file, r.products, vectors)) {
      std::printf("FAILED: %s/%s cannot be read\n", folder, r.file);
      return 1;
    }
    int wrong = mismatches(vectors, r.numerics, r.products);
    // Controls: a neighbouring F, and on Hopper two chunks of 8, must disagree with the chip.
    TensorNumerics other_f = r.numerics, other_chunk = r.numerics;
    other_f.fraction_bits = r.numerics.fraction_bits == 24 ? 25 : 24;
    other_chunk.chunk_k16 = 8;
    int wrong_f = mismatches(vectors, other_f, r.products);
    int wrong_chunk = r.products == 16 ? mismatches(vectors, other_chunk, r.products) : -1;
    std::printf("%s (%s): %zu of %zu rows match; control F=%d: %d differ", r.file,
                mma_kernels().isa, vectors.size() - size_t(wrong), vectors.size(),
                other_f.fraction_bits, wrong_f);
    if (wrong_chunk >= 0) std::printf("; control two chunks of 8: %d differ", wrong_chunk);
    std::printf("\n");
    good = good && wrong == 0 && vectors.size() % 8 == 0 && wrong_f > 100 && wrong_chunk != 0;
  }
  std::printf(good ? "passed\n" : "FAILED\n");
  return good ? 0 : 1;
}
