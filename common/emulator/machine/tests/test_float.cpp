#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

u32 bits(float v) { return v == v ? std::bit_cast<u32>(v) : 0x7fffffffu; }
u64 bits(double v) { return std::bit_cast<u64>(v); }
float f(u64 v) { return std::bit_cast<float>(static_cast<u32>(v)); }
double d(u64 v) { return std::bit_cast<double>(v); }

std::vector<u64> float_values() {
  std::vector<u64> v;
  for (float x :
       {0.0f, -0.0f, 1.0f, -1.5f, 3.14159274f, 1e-40f, -1e-45f, 1.17549435e-38f, 1e30f, -3.4e38f,
        16777215.0f, 0.1f, 5.96e-8f, std::numeric_limits<float>::infinity(), std::nanf("1")}) {
    v.push_back(std::bit_cast<u32>(x));
  }
  v.push_back(0xffc12345u);  // a negative NaN with a payload
  return v;
}

std::vector<u64> double_values() {
  std::vector<u64> v;
  for (double x : {0.0, -0.0, 1.0, -1.5, 3.141592653589793, 1e-310, 1e300, -1e-300, 0.1,
                   9007199254740993.0, std::numeric_limits<double>::infinity(), std::nan("1")}) {
    v.push_back(std::bit_cast<u64>(x));
  }
  return v;
}

void check_f32(const std::string& line, const std::function<float(float, float, float)>& g) {
  check_lines(line, pairs_of(float_values()),
              [&](const Inputs& x) -> u64 { return bits(g(f(x.a), f(x.b), f(x.c))); });
}
void check_f64(const std::string& line, const std::function<double(double, double, double)>& g) {
  check_lines(line, pairs_of(double_values()),
              [&](const Inputs& x) { return bits(g(d(x.a), d(x.b), d(x.c))); });
}

float ftz(float v) { return std::fabs(v) < 1.17549435e-38f ? std::copysign(0.0f, v) : v; }

// The host's own arithmetic in another rounding direction; volatile keeps it at run time.
template <class G>
auto rounded(int mode, G&& g) {
  std::fesetround(mode);
  const auto r = g();
  std::fesetround(FE_TONEAREST);
  return r;
}

}  // namespace

TEST_CASE("f32 arithmetic rounds as told and makes one kind of NaN") {
  check_f32("add.f32 %d, %a, %b;", [](float a, float b, float) { return a + b; });
  check_f32("sub.rn.f32 %d, %a, %b;", [](float a, float b, float) { return a - b; });
  check_f32("mul.f32 %d, %a, %b;", [](float a, float b, float) { return a * b; });
  check_f32("fma.rn.f32 %d, %a, %b, %c;",
            [](float a, float b, float c) { return std::fma(a, b, c); });
  check_f32("div.rn.f32 %d, %a, %b;", [](float a, float b, float) { return a / b; });
  check_f32("sqrt.rn.f32 %d, %a;", [](float a, float, float) { return std::sqrt(a); });
  check_f32("rcp.rn.f32 %d, %a;", [](float a, float, float) { return 1.0f / a; });
  check_f32("add.ftz.f32 %d, %a, %b;",
            [](float a, float b, float) { return ftz(ftz(a) + ftz(b)); });
  check_f32("mul.rn.ftz.f32 %d, %a, %b;",
            [](float a, float b, float) { return ftz(ftz(a) * ftz(b)); });
}

TEST_CASE("directed roundings and saturation") {
  const struct {
    const char* name;
    int mode;
  } modes[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& m : modes) {
    const std::string r = m.name;
    check_f32("add." + r + ".f32 %d, %a, %b;", [&](float a, float b, float) {
      const volatile float x = a, y = b;
      return rounded(m.mode, [&] {
        const volatile float s = x + y;
        return float{s};
      });
    });
    check_f32("fma." + r + ".f32 %d, %a, %b, %c;", [&](float a, float b, float c) {
      const volatile float x = a, y = b, z = c;
      return rounded(m.mode, [&] {
        const volatile float s = std::fma(x, y, z);
        return float{s};
      });
    });
    check_f32("div." + r + ".f32 %d, %a, %b;", [&](float a, float b, float) {
      const volatile float x = a, y = b;
      return rounded(m.mode, [&] {
        const volatile float s = x / y;
        return float{s};
      });
    });
    check_f64("mul." + r + ".f64 %D, %A, %B;", [&](double a, double b, double) {
      const volatile double x = a, y = b;
      return rounded(m.mode, [&] {
        const volatile double s = x * y;
        return double{s};
      });
    });
  }
  check_f32("add.sat.f32 %d, %a, %b;", [](float a, float b, float) {
    const float s = a + b;
    return s > 0 ? (s < 1 ? s : 1.0f) : 0.0f;
  });
}

TEST_CASE("min and max order signed zeros and drop NaN") {
  const auto less = [](float a, float b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  check_f32("min.f32 %d, %a, %b;", [&](float a, float b, float) {
    return a != a ? b : b != b ? a : less(b, a) ? b : a;
  });
  check_f32("max.f32 %d, %a, %b;", [&](float a, float b, float) {
    return a != a ? b : b != b ? a : less(a, b) ? b : a;
  });
  check_f32("max.NaN.f32 %d, %a, %b;", [&](float a, float b, float) {
    return a != a || b != b ? NAN : less(a, b) ? b : a;
  });
  check_lines("neg.f32 %d, %a;", pairs_of(float_values()),
              [](const Inputs& x) -> u64 { return bits(-f(x.a)); });
  check_lines("abs.f32 %d, %a;", pairs_of(float_values()),
              [](const Inputs& x) -> u64 { return bits(std::fabs(f(x.a))); });
}

TEST_CASE("f64 arithmetic") {
  check_f64("add.f64 %D, %A, %B;", [](double a, double b, double) { return a + b; });
  check_f64("fma.rn.f64 %D, %A, %B, %C;",
            [](double a, double b, double c) { return std::fma(a, b, c); });
  check_f64("div.rn.f64 %D, %A, %B;", [](double a, double b, double) { return a / b; });
  check_f64("sqrt.rn.f64 %D, %A;", [](double a, double, double) { return std::sqrt(a); });
  check_f64("max.f64 %D, %A, %B;", [](double a, double b, double) {
    if (a == b) return std::signbit(a) ? b : a;
    return a != a ? b : b != b ? a : a > b ? a : b;
  });
}

TEST_CASE("comparisons: ordered, unordered, equal zeros") {
  const auto values = pairs_of(float_values());
  const struct {
    const char* name;
    bool (*holds)(float, float);
  } cases[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"geu", [](float a, float b) { return !(a < b); }},
      {"neu", [](float a, float b) { return a != b; }},
      {"equ", [](float a, float b) { return !(a < b || a > b); }},
      {"num", [](float a, float b) { return a == a && b == b; }},
      {"nan", [](float a, float b) { return a != a || b != b; }},
  };
  for (const auto& c : cases) {
    check_lines(std::string("setp.") + c.name + ".f32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", values,
                [&](const Inputs& x) -> u64 { return c.holds(f(x.a), f(x.b)) ? 1 : 0; });
  }
  check_lines("setp.gt.ftz.f32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", values,
              [](const Inputs& x) -> u64 { return ftz(f(x.a)) > ftz(f(x.b)) ? 1 : 0; });
  check_lines("setp.le.f64 %p, %A, %B; selp.b32 %d, 1, 0, %p;", pairs_of(double_values()),
              [](const Inputs& x) -> u64 { return d(x.a) <= d(x.b) ? 1 : 0; });
}

TEST_CASE("approximate functions stay inside the documented error") {
  const struct {
    const char* line;
    double (*exact)(double);
    double low, high, error;  // of inputs; relative error
  } cases[] = {
      {"rcp.approx.f32 %d, %a;", [](double x) { return 1 / x; }, 0.01, 1000, 1.2e-7},
      {"sqrt.approx.f32 %d, %a;", [](double x) { return std::sqrt(x); }, 0.01, 1000, 1.2e-7},
      {"rsqrt.approx.f32 %d, %a;", [](double x) { return 1 / std::sqrt(x); }, 0.01, 1000, 2e-7},
      {"ex2.approx.f32 %d, %a;", [](double x) { return std::exp2(x); }, -20, 20, 2e-7},
      {"lg2.approx.f32 %d, %a;", [](double x) { return std::log2(x); }, 2.5, 1000, 2e-7},
      {"sin.approx.f32 %d, %a;", [](double x) { return std::sin(x); }, 0.1, 3, 5e-7},
      {"cos.approx.f32 %d, %a;", [](double x) { return std::cos(x); }, 0.1, 1.2, 5e-7},
      {"tanh.approx.f32 %d, %a;", [](double x) { return std::tanh(x); }, 0.1, 3, 5e-4},
  };
  for (const auto& c : cases) {
    std::vector<Inputs> inputs;
    for (int i = 0; i < 45; ++i) {
      const double x = c.low + (c.high - c.low) * i / 44;
      inputs.push_back({bits(static_cast<float>(x)), 0, 0});
    }
    for (Isa isa : isas()) {
      const auto got = run_lines(c.line, inputs, isa);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const double want = c.exact(static_cast<double>(f(inputs[i].a)));
        INFO(std::string(c.line), " of ", f(inputs[i].a));
        // sin is allowed an absolute error, the others a relative one.
        const double unit = c.exact(0.0) == 0 ? std::max(1.0, std::fabs(want)) : std::fabs(want);
        CHECK(std::fabs(f(got[i]) - want) <= c.error * unit);
      }
    }
  }
}

TEST_CASE("every instruction set gives the same bits") {
  const std::string line =
      "fma.rn.f32 %d, %a, %b, %c; ex2.approx.f32 %e, %a; add.f32 %d, %d, %e;"
      "fma.rn.f16x2 %e, %a, %b, %c; sin.approx.f32 %a, %b; xor.b32 %e, %e, %a;";
  const auto inputs = pairs_of(float_values());
  const auto first = run_lines(line, inputs, isas().front());
  for (Isa isa : isas()) CHECK(run_lines(line, inputs, isa) == first);
}

TEST_CASE("two roundings instead of one are noticed") {  // the control of everything above
  const auto inputs = pairs_of(float_values());
  const auto got = run_lines("fma.rn.f32 %d, %a, %b, %c;", inputs, isas().back());
  size_t differ = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const volatile float product = f(inputs[i].a) * f(inputs[i].b);
    differ += got[i] != bits(product + f(inputs[i].c));
  }
  CHECK(differ > 0);
}

TEST_CASE("the host's rounding, flushing and trapping change no result, on any worker") {
  const std::string lines = R"(
  add.rn.f32 %d, %a, %b;
  div.rn.f32 %e, %c, %b;
  xor.b32 %d, %d, %e;
  mul.rn.f32 %e, %a, %c;
  fma.rn.f64 %D, %A, %B, %C;
  add.rn.f16 %hd, %ha, %hb;
  cvt.u64.u16 %E, %hd;
  add.u64 %D, %D, %E;
)";
  std::vector<u64> values = float_values();
  for (double x : {0.1, -1e-310, 5e-324, 1e300, 0.0}) values.push_back(bits(x));
  const std::vector<Inputs> inputs = pairs_of(values);
  const auto count = static_cast<uint32_t>(inputs.size());
  constexpr unsigned kDefault = 0x1f80, kFlush = 0x8040, kUp = 0x4000, kZero = 0x6000;
  constexpr unsigned kTrapping = 0;
  for (Isa isa : isas()) {
    const auto expected = run_lines(lines, inputs, isa);
    setenv("TCD_ISA", name_of(isa), 1);
    Bench bench(lines_kernel(lines), 3, "h100");
    unsetenv("TCD_ISA");
    const uint64_t in = bench.upload(inputs);
    for (unsigned host :
         {kDefault, kDefault | kFlush, kDefault | kUp, kDefault | kZero | kFlush, kTrapping}) {
      const uint64_t out = bench.upload(std::vector<uint64_t>(count));
      const Params params = Params().add(in).add(out).add(count);
      _mm_setcsr(host);
      const LaunchError e = bench.launch("k", {8}, {(count + 31) / 32 * 32}, params);
      const unsigned after = _mm_getcsr();
      _mm_setcsr(kDefault);
      INFO(std::string(name_of(isa)), " under host mode ", host, ": ", e.message);
      REQUIRE(e.fault == Fault::kNone);
      CHECK(after == host);  // no flag added either
      CHECK(bench.download<uint64_t>(out, count) == expected);
    }
  }
}
