// Which build of the execution code this processor can run.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "machine/micro_op.h"

namespace tcd::emu {

namespace isa_sse2 {
const HandlerPair* handlers();
}
#ifdef TCD_HAS_AVX2
namespace isa_avx2 {
const HandlerPair* handlers();
}
#endif
#ifdef TCD_HAS_AVX512
namespace isa_avx512 {
const HandlerPair* handlers();
}
#endif

namespace {

[[maybe_unused]] bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

[[maybe_unused]] bool cpu_has_avx512() {
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

// Null: this build has none, or the processor cannot run it.
const HandlerPair* usable_handlers(Isa isa) {
#ifdef TCD_HAS_AVX512
  if (isa == Isa::kAvx512) return cpu_has_avx512() ? isa_avx512::handlers() : nullptr;
#endif
#ifdef TCD_HAS_AVX2
  if (isa == Isa::kAvx2) return cpu_has_avx2() ? isa_avx2::handlers() : nullptr;
#endif
  return isa == Isa::kSse2 ? isa_sse2::handlers() : nullptr;
}

}  // namespace

bool isa_available(Isa isa) { return usable_handlers(isa) != nullptr; }

const char* name_of(Isa isa) {
  return isa == Isa::kAvx512 ? "avx512" : isa == Isa::kAvx2 ? "avx2" : "sse2";
}

std::optional<Isa> isa_named(std::string_view name) {
  for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (name == name_of(isa) && isa_available(isa)) return isa;
  }
  return {};
}

std::string available_isas() {
  std::string text = name_of(Isa::kSse2);
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (isa_available(isa)) text += std::string(", ") + name_of(isa);
  }
  return text;
}

// An impossible TCD_ISA is told to the user by runtime/settings.cpp.
Isa best_isa() {
  if (const char* wanted = std::getenv("TCD_ISA"); wanted != nullptr) {
    if (const auto isa = isa_named(wanted)) return *isa;
  }
  for (Isa isa : {Isa::kAvx512, Isa::kAvx2}) {
    if (isa_available(isa)) return isa;
  }
  return Isa::kSse2;
}

const HandlerPair* handler_table(Isa isa) {
  const HandlerPair* handlers = usable_handlers(isa);
  return handlers != nullptr ? handlers : isa_sse2::handlers();
}

}  // namespace tcd::emu
