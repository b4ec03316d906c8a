// Grids, threads of the host, printf, barriers across a grid, counters, device memory.
#include <unistd.h>

#include <cstdio>

#include "machine/control.h"
#include "machine/decode/decoder.h"
#include "machine/micro_list.h"
#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

const char* const kHistogram = R"(
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 g, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %x<8>;
  ld.param.u64 %x1, [g];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mov.u32 %r6, 0;
LOOP:
  mad.lo.u32 %r5, %r5, 1664525, 1013904223;
  and.b32 %r7, %r5, 15;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, %r7;
  @%p2 bra LOOP;
  mad.wide.u32 %x2, %r7, 4, %x1;
  red.global.add.u32 [%x2], %r6;
DONE:
  ret;
}
)";

}  // namespace

TEST_CASE("results and counters do not depend on the number of host threads") {
  std::vector<uint32_t> first;
  LaunchCounters first_counters;
  for (int threads : {1, 2, 4}) {
    Bench bench(kHistogram, threads);
    const uint64_t at = bench.upload(std::vector<uint32_t>(16));
    REQUIRE(bench.launch("k", {100}, {96}, Params().add(at).add(9555)).fault == Fault::kNone);
    const auto bins = bench.download<uint32_t>(at, 16);
    if (first.empty()) {
      first = bins;
      first_counters = bench.counters;
      CHECK(first_counters.atomics == 99 * 3 + 2);
    }
    CHECK(bins == first);
    CHECK(bench.counters.warp_instructions == first_counters.warp_instructions);
    CHECK(bench.counters.atomics == first_counters.atomics);
  }
}

TEST_CASE("coordinates of grids and blocks in three dimensions") {
  Bench bench(R"(
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 g)
{
  .reg .b32 %r<20>;
  .reg .b64 %x<4>;
  ld.param.u64 %x1, [g];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
  mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;
  mad.lo.u32 %r12, %r9, %r11, %r8;
  mad.lo.u32 %r12, %r12, %r10, %r7;
  mad.lo.u32 %r13, %r3, %r5, %r2;
  mad.lo.u32 %r13, %r13, %r4, %r1;
  mul.lo.u32 %r14, %r4, %r5;
  mul.lo.u32 %r14, %r14, %r6;
  mad.lo.u32 %r15, %r12, %r14, %r13;
  mad.wide.u32 %x2, %r15, 4, %x1;
  atom.global.add.u32 %r16, [%x2], %r15;
  ret;
})");
  const uint32_t count = 2 * 3 * 4 * 5 * 6 * 7;
  const uint64_t at = bench.upload(std::vector<uint32_t>(count));
  REQUIRE(bench.launch("k", {2, 3, 4}, {5, 6, 7}, Params().add(at)).fault == Fault::kNone);
  const auto out = bench.download<uint32_t>(at, count);
  for (uint32_t i = 0; i < count; ++i) CHECK(out[i] == i);
}

TEST_CASE("a cooperative grid meets at a barrier in global memory") {
  const char* const text = R"(
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 g)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %x<4>;
  ld.param.u64 %x1, [g];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %nctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  membar.gl;
  atom.global.add.u32 %r3, [%x1], 1;
SPIN:
  ld.acquire.gpu.global.u32 %r4, [%x1];
  setp.lt.u32 %p2, %r4, %r2;
  @%p2 bra SPIN;
WAIT:
  bar.sync 0;
  atom.global.add.u32 %r5, [%x1+4], 1;
  ret;
})";
  for (int threads : {1, 2}) {
    Bench bench(text, threads, "rtx4060-laptop", 200);  // sanitizers, busy machines
    const uint64_t at = bench.upload(std::vector<uint32_t>(2));
    const LaunchError e = bench.launch("k", {48}, {64}, Params().add(at), 0, true);
    INFO(e.message);
    REQUIRE(e.fault == Fault::kNone);
    CHECK(bench.download<uint32_t>(at, 2) == std::vector<uint32_t>{48, 48 * 64});
    // A thread that polls while its warp waits for it hands on soon.
    if (threads == 1) CHECK(bench.counters.warp_instructions < 20'000);
    CHECK(bench.launch("k", {100000}, {64}, Params().add(at), 0, true).fault ==
          Fault::kInvalidConfiguration);
  }
}

TEST_CASE("barriers: reductions, subsets of warps, producers that only arrive") {
  Bench bench(R"(
.version 9.0
.target sm_80
.address_size 64
.shared .align 4 .b8 box[64];
.visible .entry k(.param .u64 g)
{
  .reg .pred %p<6>;
  .reg .b32 %r<12>;
  .reg .b64 %x<4>;
  ld.param.u64 %x1, [g];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %x2, %r1, 16, %x1;
  setp.lt.u32 %p1, %r1, 70;
  bar.red.popc.u32 %r2, 0, %p1;
  bar.red.and.pred %p2, 0, %p1;
  bar.red.or.pred %p3, 0, !%p1;
  selp.u32 %r3, 1, 0, %p2;
  @%p3 add.u32 %r3, %r3, 2;
  setp.lt.u32 %p4, %r1, 64;
  @!%p4 bra REST;
  setp.lt.u32 %p5, %r1, 32;
  @%p5 bra PRODUCE;
  bar.sync 3, 64;
  ld.shared.u32 %r4, [box];
  bra REST;
PRODUCE:
  st.shared.u32 [box], 42;
  membar.cta;
  bar.arrive 3, 64;
REST:
  st.global.v4.u32 [%x2], {%r2, %r3, %r4, %r1};
  ret;
})");
  const uint64_t at = bench.upload(std::vector<uint32_t>(4 * 96));
  const LaunchError e = bench.launch("k", {1}, {96}, Params().add(at));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  const auto out = bench.download<uint32_t>(at, 4 * 96);
  for (uint32_t t = 0; t < 96; ++t) {
    CHECK(out[4 * t] == 70);
    CHECK(out[4 * t + 1] == 2);
    if (t >= 32 && t < 64) CHECK(out[4 * t + 2] == 42);
  }
}

TEST_CASE("an mbarrier hands data from one warp to another, phase after phase") {
  Bench bench(R"(
.version 9.0
.target sm_80
.address_size 64
.shared .align 8 .b8 full[8];
.shared .align 8 .b8 empty[8];
.shared .align 4 .b8 box[4];
.visible .entry k(.param .u64 g)
{
  .reg .pred %p<6>;
  .reg .b32 %r<12>;
  .reg .b64 %x<6>;
  ld.param.u64 %x1, [g];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [full], 32;
  @%p1 mbarrier.init.shared.b64 [empty], 32;
  bar.sync 0;
  mov.u32 %r2, 0;
  mov.u32 %r5, 0;
  setp.lt.u32 %p2, %r1, 32;
LOOP:
  and.b32 %r3, %r2, 1;
  @%p2 bra CONSUME;
  mul.lo.u32 %r4, %r2, %r2;
  @!%p2 st.shared.u32 [box], %r4;
  mbarrier.arrive.shared.b64 %x3, [full];
WAIT1:
  mbarrier.test_wait.parity.shared.b64 %p3, [empty], %r3;
  @!%p3 bra WAIT1;
  bra NEXT;
CONSUME:
  mbarrier.test_wait.parity.shared.b64 %p4, [full], %r3;
  @!%p4 bra CONSUME;
  ld.shared.u32 %r6, [box];
  add.u32 %r5, %r5, %r6;
  mbarrier.arrive.shared.b64 %x4, [empty];
NEXT:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p5, %r2, 5;
  @%p5 bra LOOP;
  mad.wide.u32 %x2, %r1, 4, %x1;
  st.global.u32 [%x2], %r5;
  ret;
})");
  const uint64_t at = bench.upload(std::vector<uint32_t>(64, 9));
  const LaunchError e = bench.launch("k", {1}, {64}, Params().add(at));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  const auto out = bench.download<uint32_t>(at, 64);
  for (uint32_t t = 0; t < 64; ++t) CHECK(out[t] == (t < 32 ? 0 + 1 + 4 + 9 + 16 : 0));
}

TEST_CASE("device malloc gives blocks with bounds, and free takes each once") {
  const std::string head = R"(
.version 9.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 g)
{
  .reg .b32 %r<6>;
  .reg .b64 %x<6>;
  ld.param.u64 %x1, [g];
  mov.u32 %r1, %tid.x;
  mov.u64 %x2, 8;
  { .param .b64 n; .param .b64 r;
    st.param.b64 [n], %x2;
    call.uni (r), malloc, (n);
    ld.param.b64 %x3, [r]; }
  st.u32 [%x3+4], %r1;
  ld.u32 %r2, [%x3+4];
  mad.wide.u32 %x4, %r1, 4, %x1;
  st.global.u32 [%x4], %r2;
)";
  const std::string give_back = "{ .param .b64 p; st.param.b64 [p], %x3; call.uni free, (p); }";
  const auto run = [&](const std::string& tail, uint64_t* used) {
    Bench bench(head + tail + " ret; }");
    const uint64_t at = bench.upload(std::vector<uint32_t>(32));
    const uint64_t before = bench.device.memory().used();
    const LaunchError e = bench.launch("k", {1}, {32}, Params().add(at));
    *used = bench.device.memory().used() - before;
    if (e.fault == Fault::kNone) {
      for (uint32_t t = 0; t < 32; ++t) CHECK(bench.download<uint32_t>(at, 32)[t] == t);
    }
    return e;
  };
  uint64_t used = 0;
  CHECK(run(give_back, &used).fault == Fault::kNone);
  CHECK(used == 0);
  CHECK(run("", &used).fault == Fault::kNone);
  CHECK(used == 32 * 512);  // the control: not freed, still taken
  CHECK(run(give_back + give_back, &used).message.find("use after free") != std::string::npos);
  CHECK(run("st.u32 [%x3+8], %r1;", &used).fault == Fault::kIllegalAddress);
}

TEST_CASE("printf comes in CTA order and formats as C does") {
  const char* const text = R"(
.version 9.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[24] = {37, 117, 58, 37, 53, 46, 50, 102, 58, 37, 115, 58, 37, 108, 108, 120, 10, 0};
.global .align 1 .b8 word[3] = {104, 105, 0};
.visible .entry k()
{
  .local .align 8 .b8 args[32];
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f64 %d;
  .reg .b64 %x<8>;
  mov.u64 %x1, args;
  cvta.local.u64 %x2, %x1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p, %r2, 1;
  @%p exit;
  st.local.u32 [%x1], %r1;
  cvt.rn.f64.u32 %d, %r1;
  st.local.f64 [%x1+8], %d;
  mov.u64 %x3, word;
  cvta.global.u64 %x3, %x3;
  st.local.u64 [%x1+16], %x3;
  mov.u64 %x4, 0x123456789ab;
  st.local.u64 [%x1+24], %x4;
  mov.u64 %x5, format;
  cvta.global.u64 %x5, %x5;
  { .param .b64 f; .param .b64 a; .param .b32 n;
    st.param.b64 [f], %x5;
    st.param.b64 [a], %x2;
    call.uni (n), vprintf, (f, a);
    ld.param.b32 %r3, [n]; }
  ret;
})";
  for (int threads : {1, 3}) {
    std::fflush(stdout);
    std::FILE* const file = std::tmpfile();
    const int saved = dup(1);
    dup2(fileno(file), 1);
    Bench bench(text, threads);
    const LaunchError e = bench.launch("k", {4}, {32}, Params());
    std::fflush(stdout);
    dup2(saved, 1);
    close(saved);
    std::rewind(file);
    std::string out(1000, '\0');
    out.resize(std::fread(out.data(), 1, out.size(), file));
    std::fclose(file);
    INFO(e.message);
    REQUIRE(e.fault == Fault::kNone);
    CHECK(out ==
          "0: 0.00:hi:123456789ab\n1: 1.00:hi:123456789ab\n2: 2.00:hi:123456789ab\n"
          "3: 3.00:hi:123456789ab\n");
  }
}

TEST_CASE("device memory: bounds, reuse, capacity") {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(1000), b = memory.allocate(1000);
  CHECK(a % 256 == 0);
  CHECK(a != b);
  CHECK(memory.is_device_address(a));
  CHECK(memory.host_view(a, 1000) != nullptr);
  CHECK(memory.host_view(a + 999, 1) != nullptr);
  CHECK(memory.host_view(a, 1001) == nullptr);
  CHECK(memory.host_view(a - 1, 1) == nullptr);
  CHECK(memory.used() == 2048);
  CHECK(memory.allocate(2 << 20) == 0);
  CHECK_FALSE(memory.release(a + 4));
  CHECK(memory.release(a));
  CHECK_FALSE(memory.release(a));
  CHECK(memory.host_view(a, 1) == nullptr);
  for (int i = 0; i < 100000; ++i) {  // addresses are reused once the range is used up
    const uint64_t c = memory.allocate(4096);
    REQUIRE(c != 0);
    REQUIRE(memory.release(c));
  }
  int on_host[4] = {1, 2, 3, 4};
  memory.map_host(on_host, sizeof on_host);
  CHECK(memory.host_view(reinterpret_cast<uint64_t>(on_host), 16) ==
        reinterpret_cast<std::byte*>(on_host));
  memory.unmap_host(on_host);
  CHECK(memory.host_view(reinterpret_cast<uint64_t>(on_host), 16) == nullptr);
}

TEST_CASE("every micro-operation has its handlers on every instruction set") {
  for (Isa isa : isas()) {
    const HandlerPair* table = handler_table(isa);
    for (int m = 1; m < static_cast<int>(Micro::kCount); ++m) {
      const HandlerPair control = control_handler(static_cast<Micro>(m));
      INFO("micro-operation ", m, " on ", std::string(name_of(isa)));
      CHECK(((control.full != nullptr && control.masked != nullptr) ||
             (table[m].full != nullptr && table[m].masked != nullptr)));
    }
    CHECK_FALSE(static_cast<bool>(table[0].full));
  }
}

TEST_CASE("kernel information") {
  Bench bench(R"(
.version 9.0
.target sm_80
.address_size 64
.shared .align 8 .b8 unused[512];
.visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20])
.maxntid 128, 2, 1
{
  .shared .align 4 .b8 used[100];
  .local .align 8 .b8 mine[40];
  .reg .b32 %r<2>;
  ld.shared.u32 %r1, [used];
  ret;
})");
  const KernelInfo& info = kernel_info(*bench.program->find_kernel("k"));
  REQUIRE(info.params.size() == 3);
  CHECK(info.params[1].offset == 8);
  CHECK(info.params[2].offset == 16);
  CHECK(info.param_bytes == 36);
  CHECK(info.static_shared_bytes == 100);
  CHECK(info.local_bytes == 40);
  CHECK(info.max_threads == 256);
  CHECK(bench.program->find_kernel("nothing") == nullptr);
}
