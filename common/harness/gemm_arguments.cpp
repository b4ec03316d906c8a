#include "harness/gemm_arguments.h"

#include <climits>
#include <cstdint>
#include <string>

#include "harness/usage.h"

namespace tcd {

namespace {

constexpr int kChunk = 8;   // halves in one 16-byte copy
constexpr int kTile = 128;  // no day has a smaller one beside it, and the limits are rough

[[noreturn]] void refuse(const std::string& text) { throw harness::UsageError(text); }

bool aligned(const void* pointer, uintptr_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

void require_size(const char* name, int value) {
  if (value < 1)
    refuse(std::string(name) + " is " + std::to_string(value) + ", it must be positive");
  if (value > INT_MAX - kTile) {
    refuse(std::string(name) + " is " + std::to_string(value) + ": rounded up to whole tiles it " +
           "overflows 32 bits; allowed: up to " + std::to_string(INT_MAX - kTile));
  }
}

void require_input(const char* name, const void* pointer, int ld, int k) {
  const std::string text(name);
  if (!pointer) refuse(text + " is a null pointer");
  if (!aligned(pointer, 16)) {
    refuse(text + " does not start on a 16-byte boundary, which cp.async needs; it is off by " +
           std::to_string(reinterpret_cast<uintptr_t>(pointer) % 16) + " bytes");
  }
  if (ld < k) {
    refuse("the leading dimension of " + text + " is " + std::to_string(ld) +
           ", less than the K = " + std::to_string(k) + " elements of a line");
  }
  if (ld % kChunk != 0) {
    refuse("the leading dimension of " + text + " is " + std::to_string(ld) +
           ", no multiple of 8: its second line would leave the 16-byte boundary; pad it to " +
           std::to_string(ld / kChunk * kChunk + kChunk));
  }
}

}  // namespace

template <typename Output>
void require_supported(const GemmArguments<Output>& gemm, bool needs_bias) {
  require_size("M", gemm.m);
  require_size("N", gemm.n);
  require_size("K", gemm.k);
  if (gemm.k % kChunk != 0) {
    refuse("K is " + std::to_string(gemm.k) +
           ", no multiple of 8: a copy moves 8 halves; pad A and " +
           "B with zeros to K = " + std::to_string(gemm.k / kChunk * kChunk + kChunk));
  }
  require_input("A", gemm.a, gemm.lda, gemm.k);
  require_input("B", gemm.b, gemm.ldb, gemm.k);
  if (!gemm.d) refuse("D is a null pointer");
  if (!aligned(gemm.d, sizeof(Output))) refuse("D does not start on a boundary of its elements");
  if (gemm.ldd < gemm.n) {
    refuse("the leading dimension of D is " + std::to_string(gemm.ldd) +
           ", less than the N = " + std::to_string(gemm.n) + " elements of a row");
  }
  if (needs_bias && !gemm.bias) refuse("bias is a null pointer, and this epilogue adds it");
  if (gemm.group < 1) {
    refuse("group is " + std::to_string(gemm.group) +
           ", it must be positive: 1 is row-major order");
  }
  const int64_t rows = (int64_t{gemm.m} + kTile - 1) / kTile;
  const int64_t columns = (int64_t{gemm.n} + kTile - 1) / kTile;
  if (rows * columns > INT_MAX || gemm.group * columns > INT_MAX) {
    refuse("M = " + std::to_string(gemm.m) + " and N = " + std::to_string(gemm.n) + " make " +
           std::to_string(rows) + " × " + std::to_string(columns) + " tiles in groups of " +
           std::to_string(gemm.group) + ": more than 32 bits can number; split the matrix");
  }
}

template <typename Output>
bool pairs_aligned(const GemmArguments<Output>& gemm) {
  return gemm.ldd % 2 == 0 && aligned(gemm.d, 2 * sizeof(Output)) &&
         aligned(gemm.bias, 2 * sizeof(float));
}

template void require_supported<float>(const GemmArguments<float>&, bool);
template void require_supported<__half>(const GemmArguments<__half>&, bool);
template bool pairs_aligned<float>(const GemmArguments<float>&);
template bool pairs_aligned<__half>(const GemmArguments<__half>&);

}  // namespace tcd
