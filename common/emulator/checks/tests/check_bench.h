// Small kernels for the checks: every line of PTX is a source line of "kernel.cu", so that a test
// can ask which line was blamed.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "machine/tests/one_instruction.h"

namespace tcd::emu {

using Lines = std::vector<std::string>;

// The lines see %t (thread), %w (warp), %g (a pointer), %s (the shared address of the thread's own
// word of `buffer`), %o (that of the same lane in the next warp), %base (of the buffer), and
// registers %r0–%r19, %x0–%x19, %p0–%p7, %h0–%h7. Line 1 is the first of them.
inline std::string checked_kernel(const Lines& lines, int threads) {
  std::string text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 g)
{
  .shared .align 1024 .b8 buffer[8192];
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<20>, %t, %w, %s, %o, %base;
  .reg .b64 %x<20>, %g;
  ld.param.u64 %g, [g];
  mov.u32 %t, %tid.x;
  shr.u32 %w, %t, 5;
  mov.u32 %base, buffer;
  mad.lo.u32 %s, %t, 4, %base;
  add.u32 %o, %t, 32;
  rem.u32 %o, %o, )" +
                     std::to_string(threads) + R"(;
  mad.lo.u32 %o, %o, 4, %base;
  mov.u32 %r0, 0;
)";
  for (size_t i = 0; i < lines.size(); ++i) {
    text += ".loc 1 " + std::to_string(i + 1) + " 1\n" + lines[i] + "\n";
  }
  return text + "ret;\n}\n.file 1 \"kernel.cu\"\n";
}

struct Checked {
  LaunchError error;
  uint64_t counted = 0;
  std::vector<uint32_t> memory;

  // The reports as "line finding", e.g. "3 race in shared memory: read".
  bool has(int line, const std::string& finding) const {
    return std::any_of(error.reports.begin(), error.reports.end(), [&](const auto& r) {
      return r.text.starts_with(finding) &&
             r.text.find("source  kernel.cu:" + std::to_string(line) + "\n") != std::string::npos;
    });
  }
  std::string all() const {
    std::string text;
    for (const auto& r : error.reports) text += r.text + "\n";
    return text;
  }
};

struct CheckRun {
  int threads = 64;
  uint32_t ctas = 1;
  int host_threads = 1;
  CheckSettings settings = {};
};

inline Checked run_checked(const Lines& lines, const CheckRun& how = {}) {
  Bench bench(checked_kernel(lines, how.threads), how.host_threads, "rtx4090", 20);
  bench.device.set_checks(how.settings);
  std::vector<uint32_t> data(16384);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint32_t>(i) + 1;
  const uint64_t at = bench.upload(data);
  Checked result;
  result.error =
      bench.launch("k", {how.ctas}, {static_cast<uint32_t>(how.threads)}, Params().add(at));
  result.counted = bench.counters.check_reports;
  result.memory = bench.download<uint32_t>(at, data.size());
  return result;
}

// The mistake must be found at this line with every instruction set and without the fast paths'
// help; the corrected program must be silent.
inline void expect_found(const Lines& wrong, int line, const std::string& finding,
                         const CheckRun& how = {}) {
  for (Isa isa : isas()) {
    setenv("TCD_ISA", name_of(isa), 1);
    const Checked result = run_checked(wrong, how);
    unsetenv("TCD_ISA");
    INFO(result.error.message, "\n", result.all());
    CHECK(result.error.fault == Fault::kNone);
    CHECK_MESSAGE(result.has(line, finding), "not found at line ", line, ": ", finding);
    CHECK(result.counted == result.error.reports.size());
  }
}

inline void expect_silence(const Lines& right, const CheckRun& how = {}) {
  for (Isa isa : isas()) {
    setenv("TCD_ISA", name_of(isa), 1);
    const Checked result = run_checked(right, how);
    unsetenv("TCD_ISA");
    INFO(result.error.message, "\n", result.all());
    CHECK(result.error.fault == Fault::kNone);
    CHECK(result.error.reports.empty());
    CHECK(result.counted == 0);
  }
}

}  // namespace tcd::emu
