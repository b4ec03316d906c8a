// Counters of running kernels: every recorded pattern as a PTX kernel, executed, counted, compared.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>

#include "counters/counter_table.h"
#include "counters/tests/recording.h"
#include "machine/tests/bench.h"

namespace tcd::emu {
namespace {

constexpr uint64_t kRepeats = 5;

const std::map<std::string, std::string>& instructions() {
  static const std::map<std::string, std::string> all = {
      {"ld2", "ld.shared.u16 %h1, [%s];"},
      {"ld4", "ld.shared.u32 %v1, [%s];"},
      {"ld8", "ld.shared.v2.u32 {%v1,%v2}, [%s];"},
      {"ld16", "ld.shared.v4.u32 {%v1,%v2,%v3,%v4}, [%s];"},
      {"st1", "st.shared.u8 [%s], %v1;"},
      {"st2", "st.shared.u16 [%s], %h1;"},
      {"st4", "st.shared.u32 [%s], %v1;"},
      {"st8", "st.shared.v2.u32 [%s], {%v1,%v2};"},
      {"st16", "st.shared.v4.u32 [%s], {%v1,%v2,%v3,%v4};"},
      {"ldmatrix1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v1}, [%s];"},
      {"ldmatrix2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%v1,%v2}, [%s];"},
      {"ldmatrix4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%v1,%v2,%v3,%v4}, [%s];"},
      {"cp4", "cp.async.ca.shared.global [%s], [%g], 4;"},
      {"cp8", "cp.async.ca.shared.global [%s], [%g], 8;"},
      {"cp16", "cp.async.ca.shared.global [%s], [%g], 16;"},
      {"cpcg16", "cp.async.cg.shared.global [%s], [%g], 16;"},
      {"gld4", "ld.global.u32 %v1, [%g];"},
      {"gld16", "ld.global.v4.u32 {%v1,%v2,%v3,%v4}, [%g];"},
      {"gst4", "st.global.u32 [%g], %v1;"},
      {"gst16", "st.global.v4.u32 [%g], {%v1,%v2,%v3,%v4};"},
  };
  return all;
}

// The kernel reads its offsets from constant memory, so that only the instruction in question
// touches global and shared memory.
std::string kernel(const std::string& instruction) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b32 offsets[64];
.visible .entry run(.param .u64 data, .param .u32 mask) {
  .shared .align 1024 .b8 tile[32768];
  .reg .pred %p, %q;
  .reg .b16 %h1;
  .reg .b32 %t, %s, %n, %m, %o, %v1, %v2, %v3, %v4;
  .reg .b64 %g, %c, %l, %w;
  mov.u32 %t, %tid.x;
  ld.param.u64 %g, [data];
  ld.param.u32 %m, [mask];
  mov.u64 %c, offsets;
  mul.wide.u32 %l, %t, 4;
  add.u64 %c, %c, %l;
  ld.const.u32 %o, [%c];
  mov.u32 %s, tile;
  cvt.u64.u32 %w, %s;
  add.u32 %s, %s, %o;
  ld.const.u32 %o, [%c+128];
  cvt.u64.u32 %l, %o;
  add.u64 %g, %g, %l;
  mov.u32 %v1, 0; mov.u32 %v2, 0; mov.u32 %v3, 0; mov.u32 %v4, 0; mov.u16 %h1, 0;
  shr.u32 %m, %m, %t;
  and.b32 %m, %m, 1;
  setp.eq.u32 %p, %m, 0;
  @%p bra DONE;
  mov.u32 %n, 5;
LOOP:
  )" + instruction +
         R"(
  sub.u32 %n, %n, 1;
  setp.ne.u32 %q, %n, 0;
  @%q bra LOOP;
DONE:
  cp.async.wait_all;
  ret;
})";
}

LaunchCounters run(const std::string& instruction, const Recorded& r, int threads = 1,
                   uint32_t ctas = 1) {
  Bench bench(kernel(instruction), threads);
  const auto symbol = bench.program->find_symbol("offsets");
  REQUIRE(symbol);
  uint32_t offsets[64];
  for (int i = 0; i < 32; ++i) {
    offsets[i] = r.shared[i];
    offsets[32 + i] = static_cast<uint32_t>(r.global[i]);
  }
  std::memcpy(bench.device.memory().host_view(symbol->address, sizeof offsets), offsets,
              sizeof offsets);
  const uint64_t data = bench.device.memory().allocate(1 << 20, 1024);
  const LaunchError e = bench.launch("run", {ctas}, {32}, Params().add(data).add(r.mask));
  REQUIRE_MESSAGE(e.fault == Fault::kNone, e.message);
  return bench.counters;
}

SiteKind kind_of(const Recorded& r) {
  if (r.is("ldmatrix")) return SiteKind::kMatrixLoad;
  if (r.is("ld")) return SiteKind::kSharedLoad;
  if (r.is("st")) return SiteKind::kSharedStore;
  if (r.is("cp")) return SiteKind::kAsyncCopy;
  return r.is("gld") ? SiteKind::kGlobalLoad : SiteKind::kGlobalStore;
}

uint64_t value(const char* name, const LaunchCounters& c) {
  const Counter* counter = find_counter(name);
  REQUIRE(counter != nullptr);
  return counter->value(c);
}

TEST_CASE("Executed, every recorded pattern counts as on the H200") {
  int compared = 0;
  for (const Recorded& r : recording()) {
    CAPTURE(r.name);
    CAPTURE(r.operation);
    const LaunchCounters c = run(instructions().at(r.operation), r);
    for (int k = 0; k < kSiteKinds; ++k) {  // nothing is counted under another kind
      const bool own = k == static_cast<int>(kind_of(r));
      CHECK(c.memory[static_cast<size_t>(k)].executed == (own ? kRepeats : 0));
    }
    const MemoryTotals& m = c.memory[static_cast<size_t>(kind_of(r))];
    const bool approximate = r.is("cp") && !r.is("cpcg");
    if (r.wavefronts >= 0 && !approximate) {
      CHECK(m.wavefronts == kRepeats * static_cast<uint64_t>(r.wavefronts));
      ++compared;
    }
    if (r.sectors >= 0) {
      CHECK(m.sectors == kRepeats * static_cast<uint64_t>(r.sectors));
      ++compared;
    }
  }
  CHECK(compared == 437 + 40);
}

const Recorded& pattern(const char* name, const char* operation) {
  for (const Recorded& r : recording()) {
    if (r.name == name && r.operation == operation) return r;
  }
  FAIL("no such pattern");
  return recording().front();
}

TEST_CASE("Names: what tcd_counter answers") {
  const LaunchCounters c =
      run(instructions().at("ldmatrix4"), pattern("ldmatrix_row64_0", "ldmatrix4"));
  CHECK(value("ldmatrix", c) == kRepeats);
  CHECK(value("ldmatrix_wavefronts", c) == 16 * kRepeats);
  CHECK(value("ldmatrix_ideal_wavefronts", c) == 4 * kRepeats);
  CHECK(value("ldmatrix_bank_conflicts", c) == 12 * kRepeats);
  CHECK(value("cp_async_wavefronts", c) == 0);
  CHECK(find_counter("ldmatrix_bank_conflict") == nullptr);
  for (const Counter& a : counter_table()) {
    CHECK(std::string(a.words) != "");
    CHECK(find_counter(a.name) == &a);  // else the name stands there twice
  }
}

TEST_CASE("A generic address that means shared memory counts as shared memory") {
  Recorded r = pattern("stride32", "ld4");
  const std::string generic =
      "cvta.shared.u64 %w, %w; cvt.u64.u32 %l, %o; cvt.u64.u32 %c, %s; cvta.shared.u64 %c, %c;"
      "ld.u32 %v1, [%c];";
  const LaunchCounters c = run(generic, r);
  CHECK(value("shared_loads", c) == kRepeats);
  CHECK(value("shared_load_wavefronts", c) == 32 * kRepeats);
  CHECK(value("global_loads", c) == 0);
  const LaunchCounters g = run("ld.u32 %v1, [%g];", pattern("spread", "gld4"));
  CHECK(value("global_loads", g) == kRepeats);
  CHECK(value("global_load_sectors", g) == 32 * kRepeats);
  CHECK(value("shared_loads", g) == 0);
}

// The pattern changes with every execution: the cached cost must not be used.
TEST_CASE("Alternating patterns") {
  Recorded r = pattern("contiguous", "ld4");
  // Stride 4·n bytes, n = 5…1: 1, 4, 1, 2 and 1 wavefronts.
  const LaunchCounters c =
      run("mul.lo.u32 %o, %t, %n; shl.b32 %o, %o, 2; mov.u32 %s, tile; add.u32 %s, %s, %o;"
          "ld.shared.u32 %v1, [%s];",
          r);
  CHECK(value("shared_load_wavefronts", c) == 1 + 4 + 1 + 2 + 1);
  CHECK(value("shared_load_bank_conflicts", c) == 4);
}

TEST_CASE("Zero-filled copies read nothing") {
  Recorded r = pattern("linear_at16", "cpcg16");
  const LaunchCounters whole = run("cp.async.cg.shared.global [%s], [%g], 16, 16;", r);
  CHECK(value("cp_async_sectors", whole) == 16 * kRepeats);
  CHECK(value("cp_async_bytes", whole) == 512 * kRepeats);
  const LaunchCounters none = run("cp.async.cg.shared.global [%s], [%g], 16, 0;", r);
  CHECK(value("async_copies", none) == kRepeats);
  CHECK(value("cp_async_sectors", none) == 0);
  CHECK(value("cp_async_bytes", none) == 0);
  const LaunchCounters part = run("cp.async.cg.shared.global [%s], [%g], 16, 4;", r);
  CHECK(value("cp_async_bytes", part) == 128 * kRepeats);
}

TEST_CASE("The number of threads changes no counter") {
  const Recorded& r = pattern("gemm_pad80_k0", "cpcg16");
  const LaunchCounters one = run(instructions().at("cpcg16"), r, 1, 37);
  const LaunchCounters four = run(instructions().at("cpcg16"), r, 4, 37);
  CHECK(value("cp_async_wavefronts", one) == 37 * kRepeats * 15);
  for (const Counter& c : counter_table()) {
    CAPTURE(c.name);
    CHECK(c.value(one) == c.value(four));
  }
}

}  // namespace
}  // namespace tcd::emu
