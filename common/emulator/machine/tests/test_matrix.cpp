// Tensor core instructions as programs use them: registers in any order, memory in any layout. The
// arithmetic has tests of its own in tensor/; here small integers make every sum exact.
#include "machine/tests/one_instruction.h"
#include "tensor/fragment.h"

using namespace tcd::emu;

namespace {

uint16_t half_of(int v) {  // |v| < 2048
  if (v == 0) return 0;
  const uint16_t sign = v < 0 ? 0x8000 : 0;
  unsigned size = static_cast<unsigned>(v < 0 ? -v : v);
  int exponent = 25;
  while (size < 1024) size <<= 1, --exponent;
  return static_cast<uint16_t>(sign | static_cast<unsigned>(exponent) << 10 | (size & 0x3ff));
}

int cell_value(int i, int j) { return (i * 7 + j * 3 + i * j) % 9 - 4; }

std::vector<uint16_t> halves(int rows, int cols, int seed, bool transposed = false) {
  std::vector<uint16_t> m;
  for (int r = 0; r < (transposed ? cols : rows); ++r) {
    for (int c = 0; c < (transposed ? rows : cols); ++c) {
      m.push_back(half_of(transposed ? cell_value(c + seed, r) : cell_value(r + seed, c)));
    }
  }
  return m;
}

float product(int i, int j, int k, int seed_a, int seed_b) {
  float sum = 0;
  for (int x = 0; x < k; ++x) {
    sum += static_cast<float>(cell_value(i + seed_a, x) * cell_value(x + seed_b, j));
  }
  return sum;
}

std::string kernel(const std::string& lines, const std::string& declarations = {}) {
  return R"(
.version 9.0
.target sm_80
.address_size 64
)" + declarations +
         R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)
{
  .reg .b32 %r<40>, %t, %s;
  .reg .f32 %f<20>, %g<8>;
  .reg .b64 %x<20>, %a, %b, %d;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %d, [d];
  mov.u32 %t, %tid.x;
)" + lines +
         R"(
  ret;
}
)";
}

// Fragments as registers, lane by lane: a_cell and b_cell say which cells.
std::vector<uint32_t> fragments(const std::vector<uint16_t>& m, int cols, int registers,
                                Cell (*cell)(int, int)) {
  std::vector<uint32_t> packed;
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < registers; ++r) {
      const Cell low = cell(lane, 2 * r), high = cell(lane, 2 * r + 1);
      packed.push_back(m[size_t(low.row * cols + low.col)] |
                       uint32_t{m[size_t(high.row * cols + high.col)]} << 16);
    }
  }
  return packed;
}

}  // namespace

TEST_CASE("mma.m16n8k8 and m16n8k16 with registers in any order") {
  for (int k : {8, 16}) {
    const bool deep = k == 16;
    const std::string load_a =
        deep ? "mad.wide.u32 %x1, %t, 16, %a;"
               "ld.global.v4.u32 {%r9, %r2, %r7, %r4}, [%x1];"
             : "mad.wide.u32 %x1, %t, 8, %a; ld.global.v2.u32 {%r9, %r2}, [%x1];";
    const std::string load_b =
        deep ? "mad.wide.u32 %x2, %t, 8, %b; ld.global.v2.u32 {%r20, %r11}, [%x2];"
             : "mad.wide.u32 %x2, %t, 4, %b; ld.global.u32 %r20, [%x2];";
    const std::string a = deep ? "{%r9, %r2, %r7, %r4}" : "{%r9, %r2}";
    const std::string b = deep ? "{%r20, %r11}" : "{%r20}";
    const std::string lines = load_a + load_b + R"(
  mov.f32 %f1, 0f3f800000;
  mov.f32 %f5, 0f00000000;
  mma.sync.aligned.m16n8k)" + std::to_string(k) +
                              ".row.col.f32.f16.f16.f32 {%f7, %f3, %f9, %f2}, " + a + ", " + b +
                              R"(, {%f1, %f1, %f5, %f5};
  mma.sync.aligned.m16n8k)" + std::to_string(k) +
                              ".row.col.f32.f16.f16.f32 {%g1, %g2, %g3, %g4}, " + a + ", " + b +
                              R"(, {%f7, %f3, %f9, %f2};
  mad.wide.u32 %x3, %t, 16, %d;
  st.global.v4.f32 [%x3], {%g1, %g2, %g3, %g4};)";
    Bench bench(kernel(lines));
    const auto ma = halves(16, k, 0), mb = halves(k, 8, 5);
    const uint64_t pa =
        bench.upload(fragments(ma, k, k / 4, [](int l, int e) { return a_cell(l, e); }));
    const uint64_t pb =
        bench.upload(fragments(mb, 8, k / 8, [](int l, int e) { return b_cell(l, e); }));
    const uint64_t pd = bench.upload(std::vector<float>(128, -1));
    const LaunchError e = bench.launch("k", {1}, {32}, Params().add(pa).add(pb).add(pd));
    INFO(e.message);
    REQUIRE(e.fault == Fault::kNone);
    CHECK((deep ? bench.counters.hmma_m16n8k16 : bench.counters.hmma_m16n8k8) == 2);
    const auto d = bench.download<float>(pd, 128);
    for (int lane = 0; lane < 32; ++lane) {
      for (int n = 0; n < 4; ++n) {
        const Cell at = c_cell(lane, n);
        CHECK(d[size_t(lane * 4 + n)] == 2 * product(at.row, at.col, k, 0, 5) + (n < 2 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("ldmatrix takes rows apart as the fragments want them, and .trans turns them") {
  const std::string lines = R"(
  mad.wide.u32 %x1, %t, 16, %a;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%x1];
  mov.u32 %s, tile;
  mad.lo.u32 %r5, %t, 16, %s;
  st.shared.v4.u32 [%r5], {%r1, %r2, %r3, %r4};
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r9, %r8, %r7}, [%r5];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r5];
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r5];
  movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r12;
  mad.wide.u32 %x2, %t, 32, %d;
  st.global.v4.u32 [%x2], {%r6, %r9, %r8, %r7};
  st.global.v4.u32 [%x2+16], {%r10, %r11, %r12, %r13};)";
  Bench bench(kernel(lines, ".shared .align 16 .b8 tile[512];"));
  std::vector<uint16_t> cells(256);  // four 8×8 matrices, rows one after the other
  for (size_t i = 0; i < 256; ++i) cells[i] = static_cast<uint16_t>(i);
  const uint64_t a = bench.upload(cells), d = bench.upload(std::vector<uint32_t>(256));
  const LaunchError e = bench.launch("k", {1}, {32}, Params().add(a).add(a).add(d));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  CHECK(bench.counters.ldmatrix == 3);
  const auto out = bench.download<uint32_t>(d, 256);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t row = lane / 4, col = lane % 4 * 2;
    const auto plain = [&](uint32_t m) {
      const uint32_t first = m * 64 + row * 8 + col;
      return first | (first + 1) << 16;
    };
    const auto turned = [&](uint32_t m) {
      const uint32_t first = m * 64 + col * 8 + row;
      return first | (first + 8) << 16;
    };
    for (uint32_t m = 0; m < 4; ++m) CHECK(out[lane * 8 + m] == plain(m));
    CHECK(out[lane * 8 + 4] == turned(0));
    CHECK(out[lane * 8 + 5] == turned(1));
    CHECK(out[lane * 8 + 6] == plain(0));
    CHECK(out[lane * 8 + 7] == turned(0));
  }
}

TEST_CASE("wmma loads, multiplies and stores in every layout") {
  struct Case {
    const char *a_layout, *b_layout, *d_layout;
    bool shared;
  };
  for (const Case& c : {Case{"row", "col", "row", false}, Case{"col", "row", "col", false},
                        Case{"row", "row", "row", true}}) {
    const std::string space = c.shared ? "shared" : "global", from = c.shared ? "%s" : "%b";
    const std::string copy = c.shared ? R"(
  mad.wide.u32 %x1, %t, 16, %b;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%x1];
  mov.u32 %s, tile;
  mad.lo.u32 %r5, %t, 16, %s;
  st.shared.v4.u32 [%r5], {%r1, %r2, %r3, %r4};
  bar.warp.sync -1;)"
                                      : std::string();
    const std::string lines =
        copy + R"(
  mov.u32 %r30, 16;
  mov.f32 %f0, 0f40000000;
  wmma.load.a.sync.aligned.)" +
        c.a_layout + R"(.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%a], %r30;
  wmma.load.b.sync.aligned.)" +
        c.b_layout + ".m16n16k16." + space + R"(.f16 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [)" +
        from + R"(], %r30;
  wmma.mma.sync.aligned.)" +
        c.a_layout + "." + c.b_layout + R"(.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},
    {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, {%f0,%f0,%f0,%f0,%f0,%f0,%f0,%f0};
  mov.u32 %r31, 20;
  wmma.store.d.sync.aligned.)" +
        c.d_layout + R"(.m16n16k16.global.f32 [%d], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r31;)";
    Bench bench(kernel(lines, ".shared .align 32 .b8 tile[512];"));
    const auto is_col = [](const char* layout) { return std::string(layout) == "col"; };
    const uint64_t a = bench.upload(halves(16, 16, 0, is_col(c.a_layout)));
    const uint64_t b = bench.upload(halves(16, 16, 5, is_col(c.b_layout)));
    const uint64_t d = bench.upload(std::vector<float>(16 * 20, -1));
    const LaunchError e = bench.launch("k", {1}, {32}, Params().add(a).add(b).add(d));
    INFO(e.message);
    REQUIRE(e.fault == Fault::kNone);
    CHECK(bench.counters.wmma == 1);
    const auto out = bench.download<float>(d, 16 * 20);
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 20; ++j) {
        const float got = out[size_t(i * 20 + j)];
        const int row = is_col(c.d_layout) ? j : i, col = is_col(c.d_layout) ? i : j;
        CHECK(got == (j < 16 ? product(row, col, 16, 0, 5) + 2 : -1));
      }
    }
  }
}

TEST_CASE("m16n8k16 is refused where the device lacks it") {
  const std::string lines = R"(
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};)";
  Bench turing(kernel(lines), 1, "t4");
  const LaunchError e =
      turing.launch("k", {1}, {32}, Params().add(uint64_t{0}).add(uint64_t{0}).add(uint64_t{0}));
  CHECK(e.fault == Fault::kIllegalInstruction);
  CHECK(e.message.find("mma.m16n8k16 needs sm_80") != std::string::npos);
}

TEST_CASE("mma waits for the whole warp, and says so when it cannot come") {
  const std::string lines = R"(
  .reg .pred %p;
  setp.lt.u32 %p, %t, 16;
  @%p mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, %f4};)";
  Bench bench(kernel(lines));
  const LaunchError e =
      bench.launch("k", {1}, {32}, Params().add(uint64_t{0}).add(uint64_t{0}).add(uint64_t{0}));
  CHECK(e.fault == Fault::kDeadlock);
}
