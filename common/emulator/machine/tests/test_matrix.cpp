// Tensor core instructions as programs use them: registers in any order, memory in any layout. The
// arithmetic has tests of its own in tensor/; here small integers make every sum exact.
#include <bit>
#include <cmath>

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

namespace {

// One wmma of any type: loads A (m x k) and B (k x n) in the given layouts, adds C = 2 everywhere,
// stores D by rows.
struct WmmaForm {
  std::string shape, types, a_type, d_type;  // "m16n16k16", ".s32.s8.s8.s32", "s8", "s32"
  int m, n, k, a_registers, b_registers, d_registers;
  std::string wide;  // register prefix of D: "%f", "%r", "%x"; of A: see list()
};

std::string list(const std::string& prefix, int first, int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i ? "," : "") + prefix + std::to_string(first + i);
  return out + "}";
}

template <class A, class D>
void check_wmma(const WmmaForm& f, const std::string& a_layout, const std::string& b_layout,
                const std::string& a_prefix, const std::string& two, A (*make)(int)) {
  const std::string d_prefix = f.wide, sync = ".sync.aligned.";
  const int d_first = d_prefix == "%x" ? 10 : d_prefix == "%f" ? 0 : 20;
  std::string lines;
  for (int i = 0; i < f.d_registers; ++i) {
    lines += "mov." + std::string(sizeof(D) == 8 ? "b64 " : "b32 ") + d_prefix +
             std::to_string(d_first + i) + ", " + two + ";\n";
  }
  const std::string d = list(d_prefix, d_first, f.d_registers),
                    a = list(a_prefix, 0, f.a_registers), b = list(a_prefix, 8, f.b_registers);
  const std::string lda = std::to_string((a_layout == "row" ? f.k : f.m) + 16);
  const std::string ldb = std::to_string((b_layout == "row" ? f.n : f.k) + 16);
  lines += "mov.u32 %r38, " + lda + "; mov.u32 %r39, " + ldb + "; mov.u32 %s, " +
           std::to_string(f.n) + ";\n";
  lines += "wmma.load.a" + sync + a_layout + "." + f.shape + ".global." + f.a_type + " " + a +
           ", [%a], %r38;\n";
  lines += "wmma.load.b" + sync + b_layout + "." + f.shape + ".global." + f.a_type + " " + b +
           ", [%b], %r39;\n";
  lines += "wmma.mma" + sync + a_layout + "." + b_layout + "." + f.shape + f.types + " " + d +
           ", " + a + ", " + b + ", " + d + ";\n";
  lines +=
      "wmma.store.d" + sync + "row." + f.shape + ".global." + f.d_type + " [%d], " + d + ", %s;\n";
  Bench bench(kernel(lines));
  const auto pack = [&](int rows, int cols, int seed, bool by_rows) {
    const int lines_of = by_rows ? rows : cols, length = (by_rows ? cols : rows) + 16;
    std::vector<A> m(static_cast<size_t>(lines_of * length), make(1));
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        m[static_cast<size_t>(by_rows ? r * length + c : c * length + r)] =
            make(cell_value(r + seed, c));
      }
    }
    return m;
  };
  const uint64_t ga = bench.upload(pack(f.m, f.k, 0, a_layout == "row"));
  const uint64_t gb = bench.upload(pack(f.k, f.n, 5, b_layout == "row"));
  const uint64_t gd = bench.upload(std::vector<D>(static_cast<size_t>(f.m * f.n)));
  const LaunchError e = bench.launch("k", {1}, {32}, Params().add(ga).add(gb).add(gd));
  INFO(f.shape << f.types << " " << a_layout << " " << b_layout << " " << e.message);
  REQUIRE(e.fault == Fault::kNone);
  const auto out = bench.download<D>(gd, static_cast<size_t>(f.m * f.n));
  for (int i = 0; i < f.m; ++i) {
    for (int j = 0; j < f.n; ++j) {
      CHECK(out[static_cast<size_t>(i * f.n + j)] == static_cast<D>(product(i, j, f.k, 0, 5) + 2));
    }
  }
}

}  // namespace

TEST_CASE("wmma of bf16, tf32, bytes and doubles, in every layout and shape") {
  const auto bf16 = [](int v) {
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(v)) >> 16);
  };
  const auto byte = [](int v) { return static_cast<int8_t>(v); };
  const auto single = [](int v) { return static_cast<float>(v); };
  const auto wide = [](int v) { return static_cast<double>(v); };
  const std::string two = "0f40000000";
  for (const std::string a : {"row", "col"}) {
    for (const std::string b : {"row", "col"}) {
      const std::string bf = ".f32.bf16.bf16.f32", s8 = ".s32.s8.s8.s32";
      struct Shape {
        std::string name;
        int m, n, bf_a, bf_b;
      };
      for (const Shape& s : {Shape{"m16n16k16", 16, 16, 4, 4}, Shape{"m32n8k16", 32, 8, 8, 2},
                             Shape{"m8n32k16", 8, 32, 2, 8}}) {
        check_wmma<uint16_t, float>(
            {s.name, bf, "bf16", "f32", s.m, s.n, 16, s.bf_a, s.bf_b, 8, "%f"}, a, b, "%r", two,
            +bf16);
        check_wmma<int8_t, int32_t>(
            {s.name, s8, "s8", "s32", s.m, s.n, 16, s.bf_a / 2, s.bf_b / 2, 8, "%r"}, a, b, "%r",
            "2", +byte);
      }
      check_wmma<float, float>(
          {"m16n16k8", ".f32.tf32.tf32.f32", "tf32", "f32", 16, 16, 8, 4, 4, 8, "%f"}, a, b, "%r",
          two, +single);
      check_wmma<double, double>(
          {"m8n8k4", ".f64.f64.f64.f64", "f64", "f64", 8, 8, 4, 1, 1, 2, "%x"}, a, b, "%x",
          "0d4000000000000000", +wide);
    }
  }
}

TEST_CASE("wmma of 4-bit integers") {
  const auto pack = [](int seed, bool by_rows) {  // 8 lines of 32 along k
    std::vector<uint32_t> words(32);
    for (int line = 0; line < 8; ++line) {
      for (int k = 0; k < 32; ++k) {
        const int v = by_rows ? cell_value(line + seed, k) : cell_value(k + seed, line);
        words[static_cast<size_t>(line * 4 + k / 8)] |= (static_cast<uint32_t>(v) & 15)
                                                        << 4 * (k % 8);
      }
    }
    return words;
  };
  Bench bench(kernel(R"(
  mov.u32 %r30, 32;
  mov.u32 %r20, 2;
  wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%a], %r30;
  wmma.load.b.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%b], %r30;
  wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r2, %r3}, {%r0}, {%r1}, {%r20, %r20};
  wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%d], {%r2, %r3};)"));
  const uint64_t a = bench.upload(pack(0, true)), b = bench.upload(pack(5, false));
  const uint64_t d = bench.upload(std::vector<int>(64));
  const LaunchError e = bench.launch("k", {1}, {32}, Params().add(a).add(b).add(d));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  const auto out = bench.download<int>(d, 64);
  for (int i = 0; i < 64; ++i) {
    CHECK(static_cast<float>(out[size_t(i)]) == product(i / 8, i % 8, 32, 0, 5) + 2);
  }
}

TEST_CASE("mma of doubles: fused, and in the larger shapes of sm_90") {
  // 1 + 2^-52 squared is 1 + 2^-51 + 2^-104: C = -1 shows whether the product was rounded.
  const std::string lines = R"(
  cvta.to.global.u64 %d, %d;
  mov.f64 %x0, 0d3FF0000000000001;
  mov.f64 %x1, 0d0000000000000000;
  and.b32 %r1, %t, 3;
  setp.eq.u32 %p, %r1, 0;
  selp.f64 %x2, %x0, %x1, %p;
  mov.f64 %x3, 0dBFF0000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%x4, %x5}, {%x2}, {%x2}, {%x3, %x3};
  mad.wide.u32 %d, %t, 16, %d;
  st.global.v2.f64 [%d], {%x4, %x5};)";
  Bench bench(kernel(".reg .pred %p;\n" + lines));
  const uint64_t d = bench.upload(std::vector<double>(64));
  REQUIRE(bench.launch("k", {1}, {32}, Params().add(d).add(d).add(d)).fault == Fault::kNone);
  CHECK(bench.counters.mma_f64 == 1);
  const double exact = std::ldexp(1.0, -51) + std::ldexp(1.0, -104);
  for (const double v : bench.download<double>(d, 64)) CHECK(v == exact);

  std::string big = "mov.f64 %x19, 0d3FF0000000000000;\n";
  for (int i = 0; i < 12; ++i) big += "mov.f64 %x" + std::to_string(i) + ", %x19;\n";
  big +=
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%x12,%x13,%x14,%x15}, "
      "{%x0,%x1,%x2,%x3,%x4,%x5,%x6,%x7}, {%x8,%x9,%x10,%x11}, {%x19,%x19,%x19,%x19};\n"
      "mad.wide.u32 %d, %t, 8, %d;\nst.global.f64 [%d], %x15;";
  Bench hopper(kernel(big), 1, "h200");
  const uint64_t e = hopper.upload(std::vector<double>(32));
  REQUIRE(hopper.launch("k", {1}, {32}, Params().add(e).add(e).add(e)).fault == Fault::kNone);
  for (const double v : hopper.download<double>(e, 32)) CHECK(v == 17);
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
