// The timeline of a small pipeline, step by step.
#include "counters/timeline.h"

#include <doctest/doctest.h>

#include <string>

#include "machine/tests/bench.h"

namespace tcd::emu {
namespace {

// Each warp: a copy (zero-filled in part, which is two operations of ours), a commit, then twice
// wait, barrier, ldmatrix, two mma with an addition between them. Odd CTAs copy once more.
constexpr const char* kPipeline = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry run(.param .u64 data) {
  .shared .align 128 .b8 tile[2048];
  .reg .pred %p, %q;
  .reg .b32 %t, %s, %n, %i, %x;
  .reg .b32 %a<4>;
  .reg .f32 %d<4>;
  .reg .b64 %g;
  ld.param.u64 %g, [data];
  mov.u32 %x, %ctaid.x;
  and.b32 %x, %x, 1;
  setp.ne.u32 %q, %x, 0;
  mov.u32 %t, %tid.x;
  shl.b32 %t, %t, 4;
  mov.u32 %s, tile;
  add.u32 %s, %s, %t;
  setp.eq.u32 %p, %t, 0;
  cp.async.cg.shared.global [%s], [%g], 16, %p;
  @%q cp.async.cg.shared.global [%s], [%g], 16;
  cp.async.commit_group;
  mov.f32 %d0, 0f00000000; mov.f32 %d1, 0f00000000; mov.f32 %d2, 0f00000000; mov.f32 %d3, 0f00000000;
  mov.u32 %n, 2;
LOOP:
  cp.async.wait_group 0;
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%s];
  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%a2}, {%d0,%d1,%d2,%d3};
  add.u32 %i, %n, 1;
  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%a3}, {%d0,%d1,%d2,%d3};
  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
  bar.warp.sync 0xffffffff;
  ret;
})";

std::vector<StepRun> timeline_of(int threads, bool wanted) {
  Bench bench(kPipeline, threads);
  const uint64_t data = bench.upload(std::vector<uint32_t>(64, 0));
  const Params params = Params().add(data);
  LaunchRequest request;
  request.kernel = bench.program->find_kernel("run");
  request.grid = {6, 1, 1};
  request.block = {64, 1, 1};
  request.params = params.bytes();
  request.record_timeline = wanted;
  LaunchDetail detail;
  REQUIRE(bench.device.launch(request, &bench.counters, &detail).fault == Fault::kNone);
  return detail.timeline;
}

std::string text_of(const std::vector<StepRun>& runs, uint32_t warp) {
  std::string text;
  for (const StepRun& run : runs) {
    if (run.warp != warp) continue;
    text += std::string(name_of(run.step)) + "*" + std::to_string(run.count) + " ";
  }
  return text;
}

TEST_CASE("The first CTA's warps, step by step, on any number of threads") {
  for (const int threads : {1, 3}) {
    const std::vector<StepRun> runs = timeline_of(threads, true);
    for (const uint32_t warp : {0u, 1u}) {
      CHECK(text_of(runs, warp) ==
            "cp.async*1 commit*1 wait*1 barrier*1 ldmatrix*1 mma*2 wait*1 barrier*1 ldmatrix*1 "
            "mma*2 ");
    }
  }
}

TEST_CASE("Steps are numbered by the instructions of the warp, all of them counted") {
  const std::vector<StepRun> runs = timeline_of(1, true);
  std::vector<StepRun> first;
  for (const StepRun& run : runs) {
    if (run.warp == 0) first.push_back(run);
  }
  REQUIRE(first.size() == 10);
  CHECK(first[0].first == 9);   // the tenth instruction of the text is the copy
  CHECK(first[1].first == 11);  // the guarded copy is an instruction too, and did not run
  CHECK(first[2].first == 17);
  CHECK(first[5].first == 20);
  CHECK(first[5].last == 22);       // an addition between the two mma
  CHECK(first[6].first == 17 + 9);  // nine instructions an iteration
  CHECK(first[2].pending == 0);
}

TEST_CASE("Nobody who does not ask gets a timeline") { CHECK(timeline_of(1, false).empty()); }

}  // namespace
}  // namespace tcd::emu
