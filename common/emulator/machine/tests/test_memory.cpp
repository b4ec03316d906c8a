// Loads, stores, atomics, shared memory, asynchronous copies, address spaces.
#include <numeric>

#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

// A kernel with one pointer parameter; the lines see %t (thread) and %g (pointer).
std::string pointer_kernel(const std::string& declarations, const std::string& lines) {
  return R"(
.version 9.0
.target sm_90
.address_size 64
)" + declarations +
         R"(
.visible .entry k(.param .u64 g)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<20>, %t;
  .reg .f32 %f<8>;
  .reg .b64 %x<20>, %g;
  ld.param.u64 %g, [g];
  cvta.to.global.u64 %g, %g;
  mov.u32 %t, %tid.x;
)" + lines +
         R"(
  ret;
}
)";
}

template <class T>
std::vector<T> run(const std::string& ptx, std::vector<T> data, uint32_t threads,
                   uint32_t shared = 0, LaunchCounters* counters = nullptr) {
  Bench bench(ptx, 1, "h100");
  const uint64_t at = bench.upload(data);
  const LaunchError e = bench.launch("k", {1}, {threads}, Params().add(at), shared);
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  if (counters != nullptr) *counters = bench.counters;
  return bench.download<T>(at, data.size());
}

}  // namespace

TEST_CASE("every width of load extends as its type says") {
  const struct {
    const char* type;
    uint32_t want;  // of bytes f1 f2 83 84
  } cases[] = {
      {"u8", 0xf1}, {"s8", 0xfffffff1}, {"u16", 0xf2f1}, {"s16", 0xfffff2f1}, {"b32", 0x8483f2f1}};
  for (const auto& c : cases) {
    const std::string lines = std::string("mad.wide.u32 %x1, %t, 4, %g; ld.global.") + c.type +
                              " %r1, [%x1]; st.global.u32 [%x1], %r1;";
    for (uint32_t threads : {32u, 20u}) {
      const auto out =
          run(pointer_kernel("", lines), std::vector<uint32_t>(32, 0x8483f2f1), threads);
      for (uint32_t i = 0; i < 32; ++i) CHECK(out[i] == (i < threads ? c.want : 0x8483f2f1));
    }
  }
  const auto wide = run(pointer_kernel("",
                                       "mad.wide.u32 %x1, %t, 8, %g; ld.global.s32 %x2, [%x1];"
                                       "st.global.u64 [%x1], %x2;"),
                        std::vector<uint64_t>(32, 0x80000000), 32);
  CHECK(wide[5] == 0xffffffff80000000);
}

TEST_CASE("vectors, strided and permuted addresses, in global and shared memory") {
  std::vector<uint32_t> data(33 * 4);
  std::iota(data.begin(), data.end(), 0u);
  // Each lane takes the vector of lane t ^ 5, adds one, and puts it back reversed.
  const std::string global = R"(
  xor.b32 %r1, %t, 5;
  mad.wide.u32 %x1, %r1, 16, %g;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%x1];
  add.u32 %r2, %r2, 1;
  bar.warp.sync 0xffffffff;
  st.global.v4.b32 [%x1], {%r5, %r4, %r3, %r2};)";
  for (uint32_t threads : {32u, 24u}) {
    const auto out = run(pointer_kernel("", global), data, threads);
    for (uint32_t i = 0; i < threads; ++i) {
      CHECK(out[4 * i + 3] == 4 * i + 1);
      CHECK(out[4 * i] == 4 * i + 3);
    }
    CHECK(out[4 * threads] == 4 * threads);
  }
  const std::string shared = R"(
  mad.wide.u32 %x1, %t, 16, %g;
  ld.global.v2.u64 {%x2, %x3}, [%x1];
  mov.u32 %r1, buffer;
  mad.lo.u32 %r2, %t, 16, %r1;
  st.shared.v2.b64 [%r2], {%x2, %x3};
  bar.sync 0;
  xor.b32 %r3, %t, 3;
  mad.lo.u32 %r3, %r3, 16, %r1;
  ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r3];
  st.global.v4.f32 [%x1], {%f1, %f2, %f3, %f4};)";
  LaunchCounters counters;
  const auto out =
      run(pointer_kernel(".shared .align 16 .b8 buffer[1024];", shared), data, 32, 0, &counters);
  for (uint32_t i = 0; i < 32; ++i) CHECK(out[4 * i + 1] == 4 * (i ^ 3) + 1);
  CHECK(counters.shared_loads == 1);
  CHECK(counters.shared_stores == 1);
  CHECK(counters.global_loads == 1);
  CHECK(counters.global_stores == 1);
  CHECK(counters.barriers == 1);
}

TEST_CASE("dynamic shared memory follows the static one") {
  const std::string lines = R"(
  mov.u32 %r1, more;
  mov.u32 %r2, fixed;
  mad.lo.u32 %r3, %t, 4, %r1;
  st.shared.u32 [%r3], %t;
  bar.sync 0;
  ld.shared.u32 %r4, [more+8];
  sub.u32 %r5, %r1, %r2;
  mov.u32 %r6, %dynamic_smem_size;
  mad.wide.u32 %x1, %t, 12, %g;
  st.global.u32 [%x1], %r4;
  st.global.u32 [%x1+4], %r5;
  st.global.u32 [%x1+8], %r6;)";
  const auto out = run(pointer_kernel(".extern .shared .align 16 .b8 more[];\n"
                                      ".shared .align 4 .b8 fixed[20];",
                                      lines),
                       std::vector<uint32_t>(96), 32, 128);
  CHECK(out[0] == 2);
  CHECK(out[1] == 32);
  CHECK(out[2] == 128);
}

TEST_CASE("generic addresses reach shared, local and global memory") {
  const std::string lines = R"(
  .local .align 8 .b8 mine[32];
  mov.u64 %x1, mine;
  cvta.local.u64 %x2, %x1;
  mul.wide.u32 %x3, %t, 3;
  st.u64 [%x2+8], %x3;
  ld.local.u32 %r1, [%x1+8];
  mov.u64 %x4, buffer;
  cvta.shared.u64 %x5, %x4;
  mad.wide.u32 %x6, %t, 4, %x5;
  st.u32 [%x6], %r1;
  bar.sync 0;
  cvta.to.shared.u64 %x7, %x6;
  cvt.u32.u64 %r2, %x7;
  ld.shared.u32 %r3, [%r2];
  isspacep.shared %p1, %x6;
  isspacep.local %p2, %x2;
  isspacep.global %p3, %g;
  isspacep.global %p4, %x6;
  selp.u32 %r4, 1, 0, %p1;
  @%p2 add.u32 %r4, %r4, 2;
  @%p3 add.u32 %r4, %r4, 4;
  @%p4 add.u32 %r4, %r4, 8;
  mad.wide.u32 %x8, %t, 8, %g;
  st.v2.u32 [%x8], {%r3, %r4};)";
  const auto out = run(pointer_kernel(".shared .align 4 .b8 buffer[128];", lines),
                       std::vector<uint32_t>(64), 32);
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(out[2 * i] == 3 * i);
    CHECK(out[2 * i + 1] == 7);
  }
}

TEST_CASE("local memory is each thread's own, at any width") {
  const std::string lines = R"(
  .local .align 16 .b8 mine[64];
  mov.u64 %x1, mine;
  and.b32 %r1, %t, 7;
  mad.wide.u32 %x2, %r1, 4, %x1;
  st.local.u32 [%x2], %t;
  cvt.u16.u32 %h1, %t;
  st.local.u8 [%x1+33], %h1;
  ld.local.u32 %r2, [%x2];
  ld.local.s8 %r3, [%x1+33];
  st.local.v2.u32 [%x1+40], {%r2, %r3};
  ld.local.u64 %x3, [%x1+40];
  mad.wide.u32 %x4, %t, 8, %g;
  st.global.u64 [%x4], %x3;)";
  const auto out = run(pointer_kernel("", lines), std::vector<uint64_t>(64), 64);
  for (uint64_t i = 0; i < 64; ++i) CHECK(out[i] == (i | i << 32));
}

TEST_CASE("constant and initialised global variables, and pointers in them") {
  const std::string variables = R"(
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 4 .u32 counter = 7;
.global .align 8 .u64 where = generic(counter);)";
  const std::string lines = R"(
  ld.const.u32 %r1, [table+8];
  ld.global.u64 %x1, [where];
  atom.add.u32 %r2, [%x1], 1;
  ld.global.u32 %r3, [counter];
  st.global.u32 [%g], %r1;
  st.global.u32 [%g+4], %r2;
  st.global.u32 [%g+8], %r3;)";
  const auto out = run(pointer_kernel(variables, lines), std::vector<uint32_t>(3), 1);
  CHECK(out == std::vector<uint32_t>{30, 7, 8});
}

TEST_CASE("atomics of every kind") {
  const auto one = [](const std::string& op, const std::string& value, uint32_t start) {
    return run(
        pointer_kernel("", "add.u32 %r1, %t, 1; atom.global." + op + " %r2, [%g], " + value + ";"),
        std::vector<uint32_t>{start}, 40)[0];
  };
  CHECK(one("add.u32", "%r1", 5) == 5 + 820);
  CHECK(one("max.s32", "%r1", 0xffffffff) == 40);
  CHECK(one("min.u32", "%r1", 77) == 1);
  CHECK(one("inc.u32", "9", 0) == 0);
  CHECK(one("and.b32", "%r1", 0xff) == 0);
  CHECK(one("or.b32", "%r1", 0) == 63);
  CHECK(one("exch.b32", "%r1", 0) == 40);
  CHECK(one("cas.b32", "0, %r1", 0) == 1);
  const auto floats =
      run(pointer_kernel("", "cvt.rn.f32.u32 %f1, %t; red.global.add.f32 [%g], %f1;"),
          std::vector<float>{0.5f}, 40);
  CHECK(floats[0] == 780.5f);
  const auto halves = run(pointer_kernel("",
                                         "mov.u32 %r1, 0x3c004000;"
                                         "red.global.add.noftz.f16x2 [%g], %r1;"),
                          std::vector<uint32_t>{0}, 32);
  CHECK(halves[0] == 0x50005400);  // 32 and 64
  const auto shared = run(pointer_kernel(".shared .align 8 .u64 sum;", R"(
    setp.eq.u32 %p1, %t, 0;
    @%p1 st.shared.u64 [sum], 100;
    bar.sync 0;
    cvt.u64.u32 %x1, %t;
    atom.shared.add.u64 %x2, [sum], %x1;
    bar.sync 0;
    ld.shared.u64 %x3, [sum];
    @%p1 st.global.u64 [%g], %x3;)"),
                          std::vector<uint64_t>{0}, 64);
  CHECK(shared[0] == 100 + 2016);
}

TEST_CASE("an asynchronous copy lands at its wait and not before") {
  const std::string lines = R"(
  mov.u32 %r1, buffer;
  mad.lo.u32 %r2, %t, 16, %r1;
  mad.wide.u32 %x1, %t, 16, %g;
  mov.u32 %r9, 77;
  st.shared.u32 [%r2], %r9;
  cp.async.cg.shared.global [%r2], [%x1], 16;
  cp.async.commit_group;
  add.u32 %r3, %r2, 512;
  cp.async.ca.shared.global [%r3], [%x1+4], 4, 2;
  cp.async.commit_group;
  ld.shared.u32 %r4, [%r2];
  cp.async.wait_group 1;
  ld.shared.u32 %r5, [%r2];
  ld.shared.u32 %r6, [%r3];
  cp.async.wait_all;
  ld.shared.u32 %r7, [%r3];
  bar.sync 0;
  st.global.v4.u32 [%x1], {%r4, %r5, %r6, %r7};)";
  std::vector<uint32_t> data(128);
  for (uint32_t i = 0; i < 128; ++i) data[i] = 0x01020304u * (i % 4 + 1);
  const auto out = run(pointer_kernel(".shared .align 16 .b8 buffer[1024];", lines), data, 32);
  CHECK(out[4] == 77);          // read too early: what was there before
  CHECK(out[5] == 0x01020304);  // landed
  CHECK(out[6] == 0);           // the second group still flies
  CHECK(out[7] == 0x00000608);  // two bytes of 0x02040608, the rest is zero
}
