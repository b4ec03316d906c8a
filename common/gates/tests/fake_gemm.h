// A GEMM on the host that makes the mistake a test asks for.
#pragma once

#include <cstring>
#include <functional>
#include <string>

#include "gates/exactness.h"
#include "gates/gemm_gate.h"
#include "gates/inputs.h"
#include "gates/output.h"

namespace tcd::test {

inline bool says(const GateResult& result, const std::string& words) {
  return result.text().find(words) != std::string::npos;
}

inline void store(GuardedOutput& d, OutputType type, std::int64_t index, double value) {
  const std::uint32_t bits = bits_of_value(type, value);
  std::memcpy(static_cast<std::byte*>(d.payload()) +
                  index * static_cast<std::int64_t>(bytes_per_element(type)),
              &bits, bytes_per_element(type));  // little endian, as the device
}

// A shape with everything different: M, N, K, all leading dimensions.
struct Problem {
  HalfMatrix a;
  HalfMatrix b;
  Product product;
  GuardedOutput d;
  GemmCase gemm;

  Problem(OutputType type, int m, int n, int k, Epilogue epilogue = {}, bool b_rows = true)
      : a(quarters(row_major(m, k, 8), 21)),
        b(quarters(b_rows ? row_major(k, n, 24) : column_major(k, n, 16), 22)),
        product(integer_reference(a, b)),
        d(type, row_major(m, n, 40)) {
    gemm.a = &a;
    gemm.b = &b;
    gemm.expected = {&product, type, std::move(epilogue)};
    gemm.tiling = Tiling{32, 32, 2, 2};
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // What the kernel believes; the defaults are right.
  std::function<double(int row, int k)> read_a = [this](int r, int k) { return a.at(r, k); };
  std::function<double(int k, int col)> read_b = [this](int k, int c) { return b.at(k, c); };
  std::function<double(int row, int col, double sum)> finish = [](int, int, double s) { return s; };
  std::function<bool(int row, int col)> skips = [](int, int) { return false; };
  std::function<std::int64_t(int row, int col)> index = [this](int r, int c) {
    return d.view().layout.index(r, c);
  };
  std::function<double(int row, int col, int k)> weight = [](int, int, int) { return 1.0; };

  GateResult run() {
    d.fill();
    for (int row = 0; row < gemm.m(); ++row) {
      for (int col = 0; col < gemm.n(); ++col) {
        if (skips(row, col)) continue;
        double sum = 0;
        for (int k = 0; k < gemm.k(); ++k)
          sum += read_a(row, k) * read_b(k, col) * weight(row, col, k);
        store(d, gemm.expected.type, index(row, col),
              finish(row, col, gemm.expected.epilogue.apply(sum, col)));
      }
    }
    return gemm_gate("control", gemm, d.view());
  }
};

}  // namespace tcd::test
