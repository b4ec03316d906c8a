// What goes wrong is said in words: what, where, who, what next.
#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

// -lineinfo as nvcc writes it: line 17 of kernel.cu, and line 5 of helper.h inlined at line 20.
std::string kernel(const std::string& lines, const std::string& shared = {}) {
  return R"(
.version 9.0
.target sm_80
.address_size 64
)" + shared +
         R"(
.visible .entry _Z4workPfi(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .f32 %f<4>;
  .reg .b64 %x<10>;
  .loc 1 17 3
  ld.param.u64 %x1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %x2, %r2, 4, %x1;
)" + lines +
         R"(
  ret;
}
.file 1 "kernel.cu"
.file 2 "helper.h"
)";
}

struct Outcome {
  LaunchError error;
  bool says(const std::string& text) const { return error.message.find(text) != std::string::npos; }
};

#define CHECK_SAYS(outcome, text) \
  CHECK_MESSAGE((outcome).says(text), "expected '", text, "' in:\n", (outcome).error.message)

Outcome run(const std::string& ptx, Dim3 grid = {1}, Dim3 block = {64}, uint32_t shared = 0,
            const char* gpu = "rtx4060-laptop", int threads = 1, double timeout = 20) {
  Bench bench(ptx, threads, gpu, timeout);
  const uint64_t at = bench.device.memory().allocate(256);
  return {bench.launch("_Z4workPfi", grid, block, Params().add(at).add(64), shared)};
}

}  // namespace

TEST_CASE("a correct kernel has no message") {
  const Outcome o = run(kernel("st.global.f32 [%x2], 0f3f800000;"));
  CHECK(o.error.fault == Fault::kNone);
  CHECK(o.error.message.empty());
}

TEST_CASE("out of bounds names the allocation, the distance and the thread") {
  const Outcome o = run(kernel("ld.global.f32 %f1, [%x2];"), {2}, {96});
  CHECK(o.error.fault == Fault::kIllegalAddress);
  CHECK_SAYS(o, "illegal address: read of 4 bytes");
  CHECK_SAYS(o, "0 bytes past the end of the nearest allocation");
  CHECK_SAYS(o, "of 256 bytes");
  CHECK_SAYS(o, "work(float*, int)");
  CHECK_SAYS(o, "kernel.cu:17");
  CHECK_SAYS(o, "ld.global.f32 %f1, [%x2];");
  CHECK_SAYS(o, "thread  (64,0,0) of CTA (0,0,0): warp 2, lane 0; 31 more");
}

TEST_CASE("lines of inlined functions: the user's first") {
  const Outcome o = run(kernel(R"(
  .loc 1 20 7
  .loc 2 5 9, function_name $name, inlined_at 1 20 7
  ld.global.f32 %f1, [%x2+1024];)"));
  CHECK_SAYS(o, "kernel.cu:20 (inlined from helper.h:5)");
}

TEST_CASE("null, host pointers, use after free, constant memory") {
  CHECK_SAYS(run(kernel("mov.u64 %x3, 0; ld.global.u32 %r3, [%x3+4];")),
             "a null pointer plus 4 was dereferenced");
  static int on_host = 0;
  const auto address = std::to_string(reinterpret_cast<uint64_t>(&on_host));
  CHECK_SAYS(run(kernel("mov.u64 %x3, " + address + "; st.u32 [%x3], %r2;")),
             "is it a host pointer?");
  Bench bench(kernel("ld.global.u32 %r3, [%x2];"));
  const uint64_t at = bench.device.memory().allocate(256);
  bench.device.memory().release(at);
  const Outcome freed{bench.launch("_Z4workPfi", {1}, {1}, Params().add(at).add(0))};
  CHECK_SAYS(freed, "use after free");
  CHECK_SAYS(run(kernel("mov.u64 %x3, table; st.global.u32 [%x3], %r2;",
                        ".const .align 4 .u32 table[4];")),
             "constant memory");
}

TEST_CASE("sizes that no device has are refused before anything is laid out") {
  const auto refused_for = [](const std::string& ptx) {
    try {
      Bench bench(ptx);
      return bench.launch("_Z4workPfi", {1}, {1}, Params().add(uint64_t{0}).add(0)).message;
    } catch (const ptx::ParseError& error) {
      return std::string(error.what());
    } catch (const OutOfDeviceMemory& error) {
      return std::string(error.what());
    }
  };
  const auto says = [&](const char* what, const std::string& ptx) {
    const std::string text = refused_for(ptx);
    CHECK_MESSAGE(text.find(what) != std::string::npos, what, " is not in: ", text);
  };
  // 2^32 + 64 bytes: 64 in 32 bits.
  says("bytes of shared memory",
       kernel("mov.u32 %r3, s; st.shared.u32 [%r3], %r2;", ".shared .b8 s[4294967360];"));
  says("bytes of local memory", kernel(".local .b8 a[4294967360]; mov.u64 %x3, a;"));
  says("bytes of a parameter", kernel("{ .param .b8 p[4294967360]; }"));
  says("bytes of parameters", kernel("ret;", ".func f(.param .b8 p[70000]) { ret; }"));
  says("bytes of results", kernel("ret;", ".func (.param .b8 p[70000]) f() { ret; }"));
  says("no device memory for the variable g", kernel("ret;", ".global .b8 g[1000000000000];"));
  says("more than 16 MiB a warp", kernel(".reg .b64 %many<1000000>; mov.u64 %many1, 1;"));
  says("it leaves the parameters", kernel("ld.param.u32 %r3, [p-4];"));  // 2^32 - 4 in 32 bits
  std::string chain = ".func f0() { ret; }\n";
  constexpr int kCalls = 50000;
  for (int i = 1; i < kCalls; ++i) {
    chain += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
  }
  // The control: a long chain of calls that nobody makes does load.
  CHECK(refused_for(kernel("@%p1 call f" + std::to_string(kCalls - 1) + ";",
                           ".extern .shared .b8 unused[];" + chain)) == "");
}

TEST_CASE("a call whose parameters are not the function's") {
  const char* const wide = ".func (.param .b8 r[4096]) f(.param .b8 p[4096]) { ret; }";
  const std::string call = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;";
  CHECK_SAYS(run(kernel(call + "call (b), f, (a); }", wide)), "'a' has 4 bytes, f wants 4096");
  // Through a pointer it is only known when it is called; no memory but the caller's may be
  // touched.
  const Outcome indirect = run(kernel(
      call + "mov.u64 %x3, f; proto: .callprototype (.param .b8 _[4096]) _ (.param .b8 _[4096]);"
             "call (b), %x3, (a), proto; }",
      wide));
  CHECK_MESSAGE(indirect.error.fault == Fault::kNone, indirect.error.message);
}

TEST_CASE("misaligned addresses") {
  const Outcome global = run(kernel("ld.global.u32 %r3, [%x1+2];"));
  CHECK(global.error.fault == Fault::kMisalignedAddress);
  CHECK_SAYS(global, "no multiple of 4 (off by 2)");
  const Outcome vector = run(kernel("ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%x1+8];"));
  CHECK(vector.error.fault == Fault::kMisalignedAddress);
  const Outcome shared = run(kernel("ld.shared.u64 %x3, [s+12];", ".shared .align 8 .b8 s[64];"));
  CHECK(shared.error.fault == Fault::kMisalignedAddress);
  CHECK_SAYS(shared, "shared address 0xc");
}

TEST_CASE("shared and local memory have ends") {
  const Outcome o = run(kernel("mad.lo.u32 %r3, %r2, 4, 0; st.shared.u32 [%r3], %r2;",
                               ".shared .align 4 .b8 s[128];"));
  CHECK(o.error.fault == Fault::kIllegalAddress);
  (void)o;
  const Outcome used =
      run(kernel("mov.u32 %r4, s; mad.lo.u32 %r3, %r2, 4, %r4;"
                 "st.shared.u32 [%r3], %r2;",
                 ".shared .align 4 .b8 s[128];"));
  CHECK_SAYS(used, "past the end of the CTA's 128 bytes of shared memory (128 static, 0 dynamic)");
  CHECK_SAYS(used, "warp 1, lane 0");
  const Outcome local =
      run(kernel(".local .align 4 .b8 a[16]; mov.u64 %x3, a; mad.wide.u32 %x4, %r2, 4, %x3;"
                 "st.local.u32 [%x4], %r2;"));
  CHECK_SAYS(local, "local memory");
  CHECK_SAYS(local, "lane 4");
}

TEST_CASE("ldmatrix on sm_75 wants a valid address from lanes it ignores, newer devices do not") {
  // Lane i names row i: 8 rows exist, .x1 reads 8, lanes 8–31 point past the end.
  std::string ptx = kernel(R"(
  mov.u32 %r3, tile;
  mad.lo.u32 %r3, %r2, 16, %r3;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];
)",
                           ".shared .align 16 .b8 tile[128];");
  ptx.replace(ptx.find("sm_80"), 5, "sm_75");
  CHECK(run(ptx, {1}, {32}).error.fault == Fault::kNone);
  const Outcome o = run(ptx, {1}, {32}, 0, "t4");
  CHECK(o.error.fault == Fault::kIllegalAddress);
  CHECK_SAYS(o, "ldmatrix ignores the row this lane names");
  CHECK_SAYS(o, "warp 0, lane 8; 23 more");
}

TEST_CASE("what is not supported is named when its kernel is launched") {
  const Outcome o = run(kernel("wgmma.fence.sync.aligned;"));
  CHECK(o.error.fault == Fault::kUnsupported);
  CHECK_SAYS(o, "unsupported instruction: wgmma.fence.sync.aligned");
  CHECK_SAYS(o, "kernel.cu:17");
  const Outcome modifier = run(kernel("add.wild.u32 %r3, %r2, 1;"));
  CHECK_SAYS(modifier, ".wild is not known");
  // Loading such a module and launching its other kernels is fine.
  std::string both = kernel("wgmma.fence.sync.aligned;");
  both += ".visible .entry fine() { ret; }";
  Bench bench(both);
  CHECK(bench.launch("fine", {1}, {1}, Params()).fault == Fault::kNone);
}

TEST_CASE("instructions newer than the device") {
  const std::string copy = kernel("cp.async.commit_group;");
  CHECK(run(copy).error.fault == Fault::kNone);
  const Outcome o = run(copy, {1}, {32}, 0, "t4");
  CHECK(o.error.fault == Fault::kIllegalInstruction);
  CHECK_SAYS(o, "needs sm_80, but Tesla T4 is sm_75");
}

TEST_CASE("deadlocks say who waits where") {
  // Warp 0 waits at the barrier, warp 1 spins for ever? No: it waits at another barrier.
  const Outcome o = run(kernel(R"(
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra FIRST;
  .loc 1 30 1
  bar.sync 1;
  bra JOIN;
FIRST:
  .loc 1 31 1
  bar.sync 0;
JOIN:
)"));
  CHECK(o.error.fault == Fault::kDeadlock);
  CHECK_SAYS(o, "warp 0 waits at barrier 0: kernel.cu:31");
  CHECK_SAYS(o, "warp 1 waits at barrier 1: kernel.cu:30");
}

TEST_CASE("a barrier that half a warp never reaches") {
  const Outcome o = run(kernel(R"(
  setp.lt.u32 %p1, %r2, 16;
  @%p1 bar.sync 0;
  @!%p1 bar.warp.sync 0xffffffff;
)"),
                        {1}, {32});
  CHECK(o.error.fault == Fault::kDeadlock);
  // Both halves of a warp at different bar.sync of the same barrier do meet, as on the hardware.
  const Outcome met = run(kernel(R"(
  setp.lt.u32 %p1, %r2, 16;
  @%p1 bra FIRST;
  bar.sync 0;
  bra JOIN;
FIRST:
  bar.sync 0;
JOIN:
)"),
                          {1}, {64});
  CHECK(met.error.fault == Fault::kNone);
  // And lanes that have exited are not waited for.
  CHECK(run(kernel("setp.lt.u32 %p1, %r2, 40; @!%p1 exit; bar.sync 0;")).error.fault ==
        Fault::kNone);
}

TEST_CASE("endless loops end at the watchdog") {
  const Outcome o =
      run(kernel("LOOP: add.u32 %r3, %r3, 1; bra LOOP;"), {1}, {64}, 0, "rtx4060-laptop", 1, 0.2);
  CHECK(o.error.fault == Fault::kTimeout);
  CHECK_SAYS(o, "timeout");
  CHECK_SAYS(o, "kernel.cu:17");
}

TEST_CASE("the watchdog also stops a grid whose every CTA ends within its turn") {
  // 2^31 - 1 of them: without the watchdog, minutes.
  for (int threads : {1, 3}) {
    const Outcome o =
        run(kernel("add.u32 %r3, %r3, 1;"), {0x7fffffff}, {32}, 0, "rtx4060-laptop", threads, 0.05);
    CHECK(o.error.fault == Fault::kTimeout);
    CHECK_SAYS(o, " of 2147483647 CTAs had started");
    CHECK_SAYS(o, "TCD_TIMEOUT");
  }
  CHECK(run(kernel("add.u32 %r3, %r3, 1;"), {1000}, {32}).error.fault == Fault::kNone);
}

TEST_CASE("trap and stack overflow") {
  CHECK(run(kernel("setp.eq.u32 %p1, %r2, 33; @%p1 trap;")).error.fault == Fault::kTrap);
  const std::string forever = R"(
.func f()
{
  call.uni f;
  ret;
}
)";
  std::string ptx = kernel("call.uni f;");
  ptx.insert(ptx.find(".visible"), forever);
  CHECK_SAYS(run(ptx), "stack overflow");
}

TEST_CASE("a kernel that launches a kernel is told that there is no device runtime") {
  for (const std::string name : {"__cudaCDP2LaunchDeviceV2", "cudaGetDevice"}) {
    std::string ptx = kernel("call.uni " + name + ";");
    ptx.insert(ptx.find(".visible"), ".extern .func " + name + "();\n");
    const Outcome o = run(ptx);
    CHECK_SAYS(o, "'" + name + "' is a function the emulated device does not have: kernels cannot");
  }
  std::string ptx = kernel("call.uni other;");
  ptx.insert(ptx.find(".visible"), ".extern .func other();\n");
  CHECK_FALSE(run(ptx).says("kernels cannot launch"));
}

TEST_CASE("the first CTA in grid order reports, whatever the threads do") {
  const std::string ptx = kernel(R"(
  mov.u32 %r3, %ctaid.x;
  setp.lt.u32 %p1, %r3, 37;
  @%p1 exit;
  ld.global.u32 %r4, [%x1+4096];)");
  for (int threads : {1, 2, 3}) {
    const Outcome o = run(ptx, {500}, {32}, 0, "rtx4060-laptop", threads);
    CHECK_SAYS(o, "CTA (37,0,0)");
  }
}

TEST_CASE("configurations the device cannot run") {
  const std::string ptx = kernel("");
  const auto fault = [&](Dim3 grid, Dim3 block, uint32_t shared = 0) {
    return run(ptx, grid, block, shared).error.fault;
  };
  CHECK(fault({1}, {1024}) == Fault::kNone);
  CHECK(fault({1}, {1025}) == Fault::kInvalidConfiguration);
  CHECK(fault({0}, {32}) == Fault::kInvalidConfiguration);
  CHECK(fault({1, 65536}, {32}) == Fault::kInvalidConfiguration);
  CHECK(fault({1}, {32}, 99 * 1024) == Fault::kNone);
  CHECK(fault({1}, {32}, 99 * 1024 + 1) == Fault::kInvalidConfiguration);
}
