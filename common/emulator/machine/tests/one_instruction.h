// Runs a few lines of PTX on many operand values, in a full warp and in a partial one, so that both
// handlers of an instruction are tested, and on every instruction set this processor has.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "machine/micro_op.h"
#include "machine/tests/bench.h"

namespace tcd::emu {

// Registers for the lines: %a %b %c (32 bits) and %A %B %C (64 bits) hold the same 64-bit inputs;
// %ha %hb %hc their low 16 bits; results go to %d, or to %D.  %p %q are predicates.
inline std::string lines_kernel(const std::string& lines) {
  return R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p, %q, %outside;
  .reg .b16 %ha, %hb, %hc, %hd;
  .reg .b32 %a, %b, %c, %d, %e, %i, %n;
  .reg .b64 %A, %B, %C, %D, %E, %in, %out, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x;
  setp.ge.u32 %outside, %i, %n;
  @%outside bra DONE;
  mad.wide.u32 %at, %i, 24, %in;
  ld.global.u64 %A, [%at];
  ld.global.u64 %B, [%at+8];
  ld.global.u64 %C, [%at+16];
  cvt.u32.u64 %a, %A;
  cvt.u32.u64 %b, %B;
  cvt.u32.u64 %c, %C;
  cvt.u16.u64 %ha, %A;
  cvt.u16.u64 %hb, %B;
  cvt.u16.u64 %hc, %C;
  mov.u64 %D, 0;
  mov.u32 %d, 0;
  mov.u32 %e, 0;
)" + lines +
         R"(
  mov.b64 %E, {%d, %e};
  or.b64 %D, %D, %E;
  mad.wide.u32 %at, %i, 8, %out;
  st.global.u64 [%at], %D;
DONE:
  ret;
}
)";
}

struct Inputs {
  uint64_t a = 0, b = 0, c = 0;
};

inline const std::vector<Isa>& isas() {
  static const std::vector<Isa> all = [] {
    std::vector<Isa> list;
    for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
      if (isa_available(isa)) list.push_back(isa);
    }
    return list;
  }();
  return all;
}

// Results of the lines for each input: %D | %e << 32 | %d.
inline std::vector<uint64_t> run_lines(const std::string& lines, std::vector<Inputs> inputs,
                                       Isa isa) {
  setenv("TCD_ISA", name_of(isa), 1);
  Bench bench(lines_kernel(lines), 1, "h100");
  unsetenv("TCD_ISA");
  const size_t count = inputs.size();
  REQUIRE(count <= 1024);
  const uint64_t in = bench.upload(inputs);
  const uint64_t out = bench.upload(std::vector<uint64_t>(count));
  const LaunchError e = bench.launch("k", {1}, {static_cast<uint32_t>((count + 31) / 32 * 32)},
                                     Params().add(in).add(out).add(static_cast<uint32_t>(count)));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  return bench.download<uint64_t>(out, count);
}

// Every pair of values as a and b, a third as c; at least one full warp and one partial.
inline std::vector<Inputs> pairs_of(const std::vector<uint64_t>& values) {
  std::vector<Inputs> inputs;
  size_t k = 0;
  for (uint64_t a : values) {
    for (uint64_t b : values) inputs.push_back({a, b, values[k++ % values.size()]});
  }
  while (inputs.size() < 45) inputs.push_back(inputs[inputs.size() % values.size()]);
  if (inputs.size() % 32 == 0) inputs.pop_back();
  return inputs;
}

inline void check_lines(const std::string& lines, const std::vector<Inputs>& inputs,
                        const std::function<uint64_t(const Inputs&)>& expected) {
  for (Isa isa : isas()) {
    const auto results = run_lines(lines, inputs, isa);
    size_t wrong = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const uint64_t want = expected(inputs[i]);
      if (results[i] == want || ++wrong > 3) continue;
      INFO(lines, " on ", std::string(name_of(isa)), ", lane ", i % 32, " of warp ", i / 32);
      INFO("a=", inputs[i].a, " b=", inputs[i].b, " c=", inputs[i].c);
      CHECK(results[i] == want);
    }
    CHECK_MESSAGE(wrong == 0, lines, ": ", wrong, " of ", inputs.size(), " lanes wrong");
  }
}

}  // namespace tcd::emu
