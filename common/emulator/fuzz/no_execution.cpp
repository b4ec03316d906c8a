// Stands in for machine/exec in a libFuzzer build, where programs are decoded and never run: clang
// 14 takes more than ten minutes for the lanes' vector code, most of it for nothing here.
#include <cstdlib>

#include "machine/micro_op.h"

namespace tcd::emu::isa_sse2 {
namespace {

const MicroOp* never(Warp&, const MicroOp*, uint32_t) { std::abort(); }

}  // namespace

const HandlerPair* handlers();

const HandlerPair* handlers() {
  static HandlerPair entries[kMaxMicro];
  for (HandlerPair& entry : entries) entry = {&never, &never};
  return entries;
}

}  // namespace tcd::emu::isa_sse2
