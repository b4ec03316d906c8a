// Blocked like any CPU GEMM: B is packed into panels of kNr columns, A into panels of kMr rows, and
// k is kept in pairs because the multiply instruction (pmaddwd, vpdpwssd) adds two 16-bit products
// into each 32-bit sum.
#include "gates/integer_gemm.h"

#include <algorithm>
#include <stdexcept>

#include "gates/integer_kernels.h"
#include "gates/parallel.h"

namespace tcd {
namespace {

using integer_kernels::Kernel;
using integer_kernels::kMr;
using integer_kernels::kNr;

constexpr int kKc = 512;  // k per block: a B panel of 32 x 512 int16 is 32 KiB, it stays in L1
constexpr int kMc = 96;   // rows per block: an A block of 96 x 512 int16 is 96 KiB, it stays in L2

// Packs `width` lines of a k-pair-major panel: out[pair][line][2], zeros beyond `count` or `depth`.
template <class At>
void pack_panel(int count, int depth, int width, const At& at, std::int16_t* out) {
  for (int pair = 0; pair < (depth + 1) / 2; ++pair) {
    for (int line = 0; line < width; ++line) {
      for (int half = 0; half < 2; ++half) {
        const int k = pair * 2 + half;
        *out++ = line < count && k < depth ? at(line, k) : std::int16_t{0};
      }
    }
  }
}

const Kernel& kernel_named(const std::string& name) {
  for (const Kernel& kernel : integer_kernels::available()) {
    if (name == kernel.name) return kernel;
  }
  throw std::invalid_argument("no integer kernel named '" + name + "' runs on this CPU");
}

// Rows [row_begin, row_end) of the result, for one k block whose B panels are packed.
void multiply_rows(const Kernel& kernel, int row_begin, int row_end, int n, int k, int k_begin,
                   int depth, const std::int16_t* a, const std::int16_t* packed_b,
                   std::int32_t* out) {
  const int pairs = (depth + 1) / 2;
  const std::size_t panel_b = static_cast<std::size_t>(pairs) * kNr * 2;
  const std::size_t panel_a = static_cast<std::size_t>(pairs) * kMr * 2;
  std::vector<std::int16_t> packed_a(panel_a * ((kMc + kMr - 1) / kMr));
  std::int32_t tile[kMr * kNr];
  for (int block = row_begin; block < row_end; block += kMc) {
    const int block_rows = std::min(kMc, row_end - block);
    for (int r = 0; r < block_rows; r += kMr) {
      const std::int16_t* from = a + static_cast<std::int64_t>(block + r) * k + k_begin;
      pack_panel(
          std::min(kMr, block_rows - r), depth, kMr,
          [&](int line, int kk) { return from[static_cast<std::int64_t>(line) * k + kk]; },
          packed_a.data() + panel_a * static_cast<std::size_t>(r / kMr));
    }
    for (int col = 0; col < n; col += kNr) {
      const int cols = std::min(kNr, n - col);
      for (int r = 0; r < block_rows; r += kMr) {
        kernel.multiply(pairs, packed_a.data() + panel_a * static_cast<std::size_t>(r / kMr),
                        packed_b + panel_b * static_cast<std::size_t>(col / kNr), tile);
        for (int i = 0; i < std::min(kMr, block_rows - r); ++i) {
          std::int32_t* to = out + static_cast<std::int64_t>(block + r + i) * n + col;
          for (int j = 0; j < cols; ++j) to[j] += tile[i * kNr + j];
        }
      }
    }
  }
}

std::vector<std::int32_t> multiply(const Kernel& kernel, int m, int n, int k,
                                   const std::vector<std::int16_t>& a,
                                   const std::vector<std::int16_t>& b) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  const int panels = (n + kNr - 1) / kNr;
  std::vector<std::int16_t> packed_b;
  for (int k_begin = 0; k_begin < k; k_begin += kKc) {
    const int depth = std::min(kKc, k - k_begin);
    const std::size_t panel = static_cast<std::size_t>((depth + 1) / 2) * kNr * 2;
    packed_b.resize(panel * static_cast<std::size_t>(panels));
    parallel_for(panels, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int16_t* from = b.data() + static_cast<std::int64_t>(k_begin) * n + p * kNr;
        pack_panel(
            std::min<int>(kNr, n - static_cast<int>(p) * kNr), depth, kNr,
            [&](int line, int kk) { return from[static_cast<std::int64_t>(kk) * n + line]; },
            packed_b.data() + panel * static_cast<std::size_t>(p));
      }
    });
    parallel_for(m, kMr, [&](std::int64_t begin, std::int64_t end) {
      multiply_rows(kernel, static_cast<int>(begin), static_cast<int>(end), n, k, k_begin, depth,
                    a.data(), packed_b.data(), out.data());
    });
  }
  return out;
}

}  // namespace

std::vector<std::int32_t> integer_gemm(int m, int n, int k, const std::vector<std::int16_t>& a,
                                       const std::vector<std::int16_t>& b) {
  return multiply(integer_kernels::available().front(), m, n, k, a, b);
}

std::vector<std::string> integer_gemm_paths() {
  std::vector<std::string> names;
  for (const Kernel& kernel : integer_kernels::available()) names.emplace_back(kernel.name);
  return names;
}

std::vector<std::int32_t> integer_gemm_on(const std::string& path, int m, int n, int k,
                                          const std::vector<std::int16_t>& a,
                                          const std::vector<std::int16_t>& b) {
  return multiply(kernel_named(path), m, n, k, a, b);
}

}  // namespace tcd
