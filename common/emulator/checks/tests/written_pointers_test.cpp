// Through which pointers a kernel stores: asked of the text alone.
#include "checks/written_pointers.h"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser.h"

namespace tcd::emu {
namespace {

// A kernel with pointers at offsets 0, 8 and 24 of its parameters, and a __device__ variable.
WrittenPointers of(const std::string& body) {
  const ptx::Module module = ptx::parse(R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 total;
.func fill(.param .b64 to) { .reg .b64 %x; ld.param.u64 %x, [to]; st.u16 [%x], 0; ret; }
.func look(.param .b64 at) { .reg .b64 %x; .reg .b32 %r; ld.param.u64 %x, [at]; ld.u32 %r, [%x]; ret; }
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .align 8 .b8 s[16])
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %x<9>;
  .shared .align 4 .b8 tile[64];
  ld.param.u64 %x0, [a];
  ld.param.u64 %x1, [b];
  ld.param.u64 %x2, [s];
)" + body + "\nret;\n}\n");
  for (const auto& f : module.functions) {
    if (f.name != "k") continue;
    KernelInfo info;
    info.params = {{0, 8, 8}, {8, 8, 8}, {16, 4, 4}, {24, 16, 8}};
    return written_pointers(module, f, info);
  }
  FAIL("no kernel k");
  return {};
}

}  // namespace

TEST_CASE("only parameters that a store leads back to") {
  const WrittenPointers found = of(
      "cvta.to.global.u64 %x3, %x1; mul.wide.u32 %x4, %r1, 4; add.s64 %x5, %x3, %x4;"
      "ld.global.u32 %r2, [%x0]; st.global.u32 [%x5+16], %r2; atom.global.add.u32 %r3, [%x2], 1;");
  CHECK(found.params == std::vector<uint32_t>{8});
  CHECK(found.symbols.empty());
  CHECK_FALSE(found.unknown);
  CHECK_FALSE(found.orders);
  CHECK(found.smallest == 4);
}

TEST_CASE("atomics count where the memory is accessed plainly too") {
  const WrittenPointers summed =
      of("red.global.add.u32 [%x2], 1; bar.sync 0; ld.global.u32 %r1, [%x2+4];");
  CHECK(summed.atomics);
  CHECK(summed.params == std::vector<uint32_t>{24});
  CHECK(summed.smallest == 4);
  CHECK_FALSE(of("red.global.add.u32 [%x2], 1; ld.global.u32 %r1, [%x1];").atomics);
  CHECK_FALSE(of("red.shared.add.u32 [tile], 1; ld.global.u32 %r1, [%x1];").atomics);
  // A guess, and a counter that is set back by the last one: they belong to the atomic.
  const std::string guess = "ld.global.u32 %r1, [%x2];", store = "st.global.u32 [%x2], 0;",
                    atomic = "atom.global.cas.b32 %r2, [%x2], %r1, %r3;";
  CHECK_FALSE(of(guess + atomic).atomics);
  CHECK_FALSE(of(atomic + store).atomics);
  CHECK(of(store + atomic).atomics);
  CHECK(of(atomic + guess).atomics);
  // In a loop each comes after the other.
  CHECK_FALSE(of("L: " + store + atomic + guess + "@%p bra L;").atomics);
  CHECK(of("L: " + store + "@%p bra L; M: " + atomic + "@%p bra M;").atomics);
}

TEST_CASE("a pointer in a structure, and one that a loop moves on") {
  CHECK(of("st.global.v4.f32 [%x2], {%r1, %r2, %r3, %r4};").params == std::vector<uint32_t>{24});
  CHECK(of("st.global.v4.f32 [%x2], {%r1, %r2, %r3, %r4};").smallest == 16);
  const WrittenPointers moved =
      of("mov.u64 %x6, %x0;\nL: st.global.u8 [%x6], %r1; add.s64 %x7, %x6, 4;"
         "selp.b64 %x6, %x7, %x1, %p; setp.ne.u64 %p, %x7, %x2; @%p bra L;");
  CHECK(moved.params == std::vector<uint32_t>{0, 8});  // not what the predicate compares with
  CHECK(moved.smallest == 1);
}

TEST_CASE("variables, and what no other CTA sees") {
  const WrittenPointers variable = of("mov.u64 %x3, total; st.global.u32 [%x3], %r1;");
  CHECK(variable.symbols == std::vector<std::string>{"total"});
  CHECK(of("st.global.u32 [total], %r1;").symbols == std::vector<std::string>{"total"});
  const WrittenPointers shared = of(
      "mov.u64 %x3, tile; cvta.shared.u64 %x4, %x3; st.u32 [%x4], %r1; st.shared.u32 [tile], %r1;"
      "st.volatile.global.u32 [%x0], %r1; red.global.add.u32 [%x1], %r1;");
  CHECK(shared.smallest == 0);
  CHECK_FALSE(shared.unknown);
}

TEST_CASE("pointers from memory and in functions are not known") {
  CHECK(of("ld.global.u64 %x3, [%x0]; st.global.u32 [%x3], %r1;").unknown);
  CHECK(of("mov.b64 %x3, {%r1, %r2}; st.global.u32 [%x3], %r1;").unknown);
  const WrittenPointers called = of("{ .param .b64 p; st.param.b64 [p], %x0; call fill, (p); }");
  CHECK(called.unknown);
  CHECK(called.smallest == 2);
  const WrittenPointers read = of("{ .param .b64 p; st.param.b64 [p], %x0; call look, (p); }");
  CHECK_FALSE(read.unknown);
  CHECK(read.smallest == 0);
}

TEST_CASE("fences beyond the CTA") {
  CHECK(of("membar.gl;").orders);
  CHECK(of("fence.acq_rel.sys;").orders);
  CHECK(of("atom.add.release.gpu.global.u32 %r1, [%x0], 1;").orders);
  CHECK_FALSE(
      of("membar.cta; fence.sc.cta; atom.global.add.u32 %r1, [%x0], 1; bar.sync 0;").orders);
}

}  // namespace tcd::emu
