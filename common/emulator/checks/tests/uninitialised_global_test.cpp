// Reads of device memory that neither the host nor a kernel has written.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {

const char* const kFinding = "uninitialised global memory";

constexpr const char* kKernels = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %t, %n;
  .reg .b64 %g;
  ld.param.u64 %g, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %p, %t, %n;
  @%p ret;
  mad.wide.u32 %g, %t, 4, %g;
  st.global.u32 [%g], %t;
  ret;
}
.visible .entry fill_bytes(.param .u64 p)
{
  .reg .b16 %h;
  .reg .b32 %t;
  .reg .b64 %g, %x;
  ld.param.u64 %g, [p];
  mov.u32 %t, %tid.x;
  cvt.u64.u32 %x, %t;
  add.u64 %g, %g, %x;
  mov.u16 %h, 1;
  st.global.u8 [%g], %h;
  ret;
}
.visible .entry read(.param .u64 p)
{
  .reg .b32 %t, %r;
  .reg .b64 %g;
  ld.param.u64 %g, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 4, %g;
  .loc 1 7 1
  ld.global.u32 %r, [%g];
  ret;
}
.visible .entry read_wide(.param .u64 p)
{
  .reg .b32 %t, %r<4>;
  .reg .b64 %g;
  ld.param.u64 %g, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 16, %g;
  .loc 1 8 1
  ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%g];
  ret;
}
.visible .entry copy(.param .u64 p)
{
  .shared .align 16 .b8 buffer[1024];
  .reg .b32 %t, %s;
  .reg .b64 %g;
  ld.param.u64 %g, [p];
  mov.u32 %t, %tid.x;
  mov.u32 %s, buffer;
  mad.lo.u32 %s, %t, 16, %s;
  mad.wide.u32 %g, %t, 16, %g;
  .loc 1 9 1
  cp.async.cg.shared.global [%s], [%g], 16;
  cp.async.wait_all;
  ret;
}
.visible .entry count(.param .u64 p)
{
  .reg .b32 %t, %r;
  .reg .b64 %g;
  ld.param.u64 %g, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 4, %g;
  .loc 1 10 1
  atom.global.add.u32 %r, [%g], 1;
  ret;
}
.file 1 "kernel.cu"
)";

// What an access of 32 lanes is told: "" or the first report.
struct Fresh {
  explicit Fresh(uint64_t bytes, CheckSettings settings = {}) : bench(kKernels) {
    bench.device.set_checks(settings);
    at = bench.device.memory().allocate(bytes);
  }
  std::string run(const char* kernel, uint32_t threads = 32) {
    return launch(kernel, Params().add(at), threads);
  }
  std::string fill(uint32_t words) { return launch("fill", Params().add(at).add(words), 256); }
  void write(uint64_t offset, uint64_t bytes) {
    std::memset(bench.device.memory().host_view(at + offset, bytes), 1, bytes);
  }
  std::string launch(const char* kernel, const Params& params, uint32_t threads) {
    const LaunchError error = bench.launch(kernel, {1}, {threads}, params);
    CHECK(error.fault == Fault::kNone);
    return error.reports.empty() ? "" : error.reports.front().text;
  }
  Bench bench;
  uint64_t at = 0;
};

}  // namespace

TEST_CASE("Memory of cudaMalloc is read after somebody has written it") {
  for (const char* kernel : {"read", "read_wide", "copy", "count"}) {
    INFO(kernel);
    Fresh fresh(4096);
    const std::string text = fresh.run(kernel);
    CHECK_MESSAGE(text.starts_with(kFinding), text);
    Fresh by_host(4096);
    by_host.write(0, 4096);
    CHECK(by_host.run(kernel) == "");
    Fresh by_parts(4096);
    by_parts.write(0, 100);
    by_parts.write(100, 413);
    CHECK(by_parts.run(kernel) == "");
    Fresh by_kernel(4096);
    by_kernel.fill(256);
    CHECK(by_kernel.run(kernel) == "");
    CHECK(by_kernel.run(kernel) == "");  // after the bits were looked at between launches
  }
}

TEST_CASE("The report names the line, the lane and the place in the allocation") {
  Fresh fresh(400);
  fresh.fill(20);
  const std::string text = fresh.run("read");
  INFO(text);
  for (const char* part :
       {"read of 4 bytes at global address 0x", "byte 80 of the allocation", "of 400 bytes",
        "source  kernel.cu:7", "lane 20, thread (20,0,0) of CTA (0,0,0)", "cudaMemset"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
  CHECK(Fresh(400, parse_checks("races,async")).run("read") == "");
  CHECK(Fresh(400, parse_checks("off")).run("read") == "");
  Fresh stopped(400, parse_checks("stop"));
  CHECK(stopped.bench.launch("read", {1}, {32}, Params().add(stopped.at)).fault == Fault::kCheck);
}

TEST_CASE("An atomic writes, and is itself a read") {
  Fresh fresh(4096);
  CHECK(fresh.run("count").starts_with(kFinding));
  CHECK(fresh.run("read") == "");
}

TEST_CASE("A read is no mistake while one of its bytes was written: padding") {
  Fresh fresh(4096);
  fresh.write(0, 512);  // else all is unwritten
  for (uint64_t row = 0; row < 64; ++row) fresh.write(1024 + row * 16, 12);
  CHECK(fresh.launch("read_wide", Params().add(fresh.at + 1024), 32) == "");
  CHECK(fresh.launch("read", Params().add(fresh.at + 1024), 32).starts_with(kFinding));
  Fresh bytes(4096);
  CHECK(bytes.launch("fill_bytes", Params().add(bytes.at + 1), 32) == "");
  CHECK(bytes.run("read", 8) == "");  // byte 0 is missing, byte 1 is there
  CHECK(bytes.run("read", 9) == "");  // byte 32 is the last one
  CHECK(bytes.run("read", 10).starts_with(kFinding));
}

TEST_CASE("Memory that is handed out again is unwritten again") {
  Fresh fresh(4096);
  fresh.fill(256);
  CHECK(fresh.run("read") == "");
  DeviceMemory& memory = fresh.bench.device.memory();
  // Until addresses come back: the emulated device prefers new ones.
  const uint64_t first = fresh.at;
  const uint64_t big = memory.capacity() / 4;
  REQUIRE(memory.release(first));
  bool reused = false;
  for (int i = 0; i < 64 && !reused; ++i) {
    const uint64_t at = memory.allocate(i % 2 == 0 ? big : 4096);
    REQUIRE(at != 0);
    reused = at == first;
    if (reused) {
      fresh.at = at;
    } else {
      REQUIRE(memory.release(at));
    }
  }
  REQUIRE(reused);
  CHECK(fresh.run("read").starts_with(kFinding));
}
