// Chooses the build of the kernels that this CPU can run.
#include <cpuid.h>

#include <cstdlib>
#include <string_view>

#include "tensor/mma_kernels.h"

namespace tcd::emu {

namespace sse2 {
extern const MmaKernels kMmaKernels;
}
#ifdef TCD_HAS_AVX2
namespace avx2 {
extern const MmaKernels kMmaKernels;
}
#endif
#ifdef TCD_HAS_AVX512
namespace avx512 {
extern const MmaKernels kMmaKernels;
}
#endif

namespace {

bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

// The builtin also asks the operating system whether it saves the registers.
[[maybe_unused]] bool can_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

[[maybe_unused]] bool can_avx512() {
  return can_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const MmaKernels& choose() {
  if (const char* wanted = std::getenv("TCD_ISA"); wanted && *wanted) {
    if (const MmaKernels* kernels = mma_kernels(wanted)) return *kernels;
  }  // one that cannot be used: runtime/settings.cpp has said so
  for (const char* isa : {"avx512", "avx2"}) {
    if (const MmaKernels* kernels = mma_kernels(isa)) return *kernels;
  }
  return sse2::kMmaKernels;
}

}  // namespace

const MmaKernels* mma_kernels(const char* isa) {
  std::string_view name = isa;
  if (name == "sse2") return &sse2::kMmaKernels;
#ifdef TCD_HAS_AVX2
  if (name == "avx2" && can_avx2()) return &avx2::kMmaKernels;
#endif
#ifdef TCD_HAS_AVX512
  if (name == "avx512" && can_avx512()) return &avx512::kMmaKernels;
#endif
  return nullptr;
}

const MmaKernels& mma_kernels() {
  static const MmaKernels& chosen = choose();
  return chosen;
}

}  // namespace tcd::emu
