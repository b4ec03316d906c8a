// Which build of the execution code this processor can run.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "machine/micro_op.h"

namespace tcd::emu {

namespace isa_sse2 {
const HandlerPair* handlers();
}
namespace isa_avx2 {
const HandlerPair* handlers();
}
namespace isa_avx512 {
const HandlerPair* handlers();
}

bool isa_available(Isa isa) {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  switch (isa) {
    case Isa::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Isa::kAvx2:
      return avx2;
    default:
      return true;
  }
}

const char* name_of(Isa isa) {
  return isa == Isa::kAvx512 ? "avx512" : isa == Isa::kAvx2 ? "avx2" : "sse2";
}

// An impossible TCD_ISA is told to the user once, by tensor/isa/dispatch.cpp.
Isa best_isa() {
  if (const char* wanted = std::getenv("TCD_ISA"); wanted != nullptr) {
    for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
      if (std::string_view(wanted) == name_of(isa) && isa_available(isa)) return isa;
    }
  }
  for (Isa isa : {Isa::kAvx512, Isa::kAvx2}) {
    if (isa_available(isa)) return isa;
  }
  return Isa::kSse2;
}

const HandlerPair* handler_table(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return isa_avx512::handlers();
    case Isa::kAvx2:
      return isa_avx2::handlers();
    default:
      return isa_sse2::handlers();
  }
}

}  // namespace tcd::emu
