// The caches: against a slow list, by hand-made traces, and under kernels.
#include "counters/cache_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <random>

#include "counters/floors.h"
#include "machine/tests/bench.h"

namespace tcd::emu {
namespace {

// The same cache as a list from the latest line to the oldest.
class SlowCache {
 public:
  explicit SlowCache(size_t lines) : lines_(lines) {}
  uint32_t touch(uint64_t line, uint32_t sectors, bool dirty) {
    auto at = std::find_if(all_.begin(), all_.end(), [&](const Line& l) { return l.line == line; });
    if (at == all_.end()) {
      if (all_.size() == lines_) {
        evicted_dirty += static_cast<uint64_t>(std::popcount(all_.back().dirty));
        all_.pop_back();
      }
      all_.push_front({line, 0, 0});
    } else {
      all_.splice(all_.begin(), all_, at);
    }
    Line& l = all_.front();
    const uint32_t missing = sectors & ~l.present;
    l.present |= sectors;
    if (dirty) l.dirty |= sectors;
    return missing;
  }
  uint64_t evicted_dirty = 0;

 private:
  struct Line {
    uint64_t line;
    uint32_t present, dirty;
  };
  std::list<Line> all_;
  size_t lines_;
};

TEST_CASE("The cache forgets as a list that keeps the lines used last") {
  for (const uint64_t lines : {1, 2, 7, 64}) {
    std::mt19937_64 random(lines);
    SectorCache cache(lines * kCacheLineBytes);
    SlowCache slow(lines);
    uint64_t missing = 0, expected = 0;
    for (int i = 0; i < 5000; ++i) {
      const uint64_t line = random() % (2 * lines + 1);
      const auto sectors = static_cast<uint32_t>(1 + random() % 15);
      const bool dirty = random() % 3 == 0;
      missing += static_cast<uint64_t>(std::popcount(cache.touch(line, sectors, dirty)));
      expected += static_cast<uint64_t>(std::popcount(slow.touch(line, sectors, dirty)));
    }
    CHECK(missing == expected);
    CHECK(missing > 1000);  // lines did go
    CHECK(cache.evicted_dirty() == slow.evicted_dirty);
  }
}

// Reads `lines` whole lines from `first` on, around L1.
AccessTrace reads(uint64_t first, uint64_t lines) {
  AccessTrace trace;
  trace.start(1 << 20);
  for (uint64_t l = first; l < first + lines; ++l) {
    const uint64_t address = l * kCacheLineBytes;
    for (uint64_t sector = 0; sector < 4; ++sector) {
      trace.add(1, AccessPath::kBypass, 1, &address, 32 * sector, 32);
    }
  }
  return trace;
}

CacheTraffic traffic(const CacheShape& shape, std::vector<AccessTrace> traces,
                     const std::vector<uint64_t>& order) {
  CacheModel model(shape, traces.size(), 2);
  for (const uint64_t cta : order) model.deliver(cta, traces[cta]);
  REQUIRE(model.is_complete());
  return model.traffic();
}

TEST_CASE("CTAs that run together share what L2 holds; the next wave finds it gone") {
  // Four CTAs read the same 100 lines, two at a time.
  const std::vector<AccessTrace> traces(4, reads(0, 100));
  const CacheShape small{1, 2, 0, 50 * kCacheLineBytes}, large{1, 2, 0, 100 * kCacheLineBytes};
  CHECK(traffic(small, traces, {0, 1, 2, 3}).dram_reads == 2 * 400);  // once a wave
  CHECK(traffic(large, traces, {0, 1, 2, 3}).dram_reads == 400);
  CHECK(traffic(small, traces, {3, 1, 0, 2}) == traffic(small, traces, {0, 1, 2, 3}));
  CHECK(traffic(small, traces, {0, 1, 2, 3}).l2_reads == 4 * 400);
}

TEST_CASE("A trace that is cut off gives no result") {
  CacheModel model({1, 1, 0, 1 << 20}, 1, 2);
  AccessTrace trace;
  trace.start(1);
  const uint64_t address = 0;
  trace.add(1, AccessPath::kLoad, 1, &address, 0, 4);
  trace.add(1, AccessPath::kLoad, 1, &address, 4096, 4);
  model.deliver(0, trace);
  CHECK_FALSE(model.is_complete());
}

// Every thread loads its word twice, through L1, and stores it.
constexpr const char* kCopy = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %t, %c, %v, %x;
  .reg .b64 %a, %b, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mad.lo.u32 %t, %c, 256, %t;
  mul.wide.u32 %o, %t, 4;
  ld.param.u64 %a, [from];
  ld.param.u64 %b, [to];
  add.u64 %a, %a, %o;
  add.u64 %b, %b, %o;
  ld.global.u32 %v, [%a];
  ld.global.u32 %x, [%a];
  xor.b32 %v, %v, %x;
  st.global.u32 [%b], %v;
  atom.global.add.u32 %x, [%b], 1;
  ret;
}
)";

TEST_CASE("A kernel's traffic, the same on any number of threads") {
  constexpr uint32_t kCtas = 100, kSectors = kCtas * 256 * 4 / 32;
  for (const int threads : {1, 3}) {
    Bench bench(kCopy, threads);
    const std::vector<uint32_t> numbers(kCtas * 256, 7);
    const uint64_t from = bench.upload(numbers), to = bench.upload(numbers);
    const Params params = Params().add(from).add(to);
    LaunchRequest request;
    request.kernel = bench.program->find_kernel("copy");
    request.grid = {kCtas};
    request.block = {256};
    request.params = params.bytes();
    request.model_caches = true;
    LaunchDetail detail;
    LaunchCounters counters;
    const LaunchError e = bench.device.launch(request, &counters, &detail);
    REQUIRE_MESSAGE(e.fault == Fault::kNone, e.message);
    REQUIRE(detail.has_caches);
    const CacheTraffic& t = detail.caches;
    CHECK(t.l1_lookups == 2 * kSectors);
    CHECK(t.l1_hits == kSectors);
    CHECK(t.l2_reads == kSectors);
    CHECK(t.l2_writes == kSectors);
    CHECK(t.l2_atomics == kSectors);
    CHECK(t.l2_hits == kSectors);  // the atomics
    CHECK(t.dram_reads == kSectors);
    CHECK(t.dram_writes == 0);
    CHECK(t.l2_dirty == kSectors);
    CacheTraffic sum;
    for (const LineTotals& line : detail.lines) sum.add(line.caches);
    CHECK(sum.dram_reads == t.dram_reads);
    CHECK(sum.l2() == t.l2());
    request.model_caches = false;
    REQUIRE(bench.device.launch(request, &counters, &detail).fault == Fault::kNone);
    CHECK_FALSE(detail.has_caches);
    CHECK(detail.caches == CacheTraffic{});
  }
}

TEST_CASE("Work of tensor instructions by name") {
  const TensorWork k16 = tensor_work("mma.m16n8k16.f32.f16.f16.f32");
  CHECK(k16.type == TensorType::kF16F32);
  CHECK(k16.flop == 4096);
  CHECK_FALSE(k16.small);
  CHECK(tensor_work("mma.m16n8k8.f16.f16.f16.f16").type == TensorType::kF16F16);
  CHECK(tensor_work("mma.m16n8k8.f16.f16.f16.f16").small);
  CHECK_FALSE(tensor_work("mma.m16n8k8.f32.tf32.tf32.f32").small);
  CHECK(tensor_work("mma.m8n8k16.s32.s8.u8.s32").small);
  CHECK(tensor_work("mma.m16n8k64.s32.s4.u4.s32").type == TensorType::kInt4);
  CHECK(tensor_work("mma.m16n8k32.f32.e4m3.e5m2.f32").type == TensorType::kFp8F32);
  CHECK(tensor_work("wmma.m16n16k16.f32.f32").type == TensorType::kF16F32);
  CHECK(tensor_work("wmma.m16n16k16.f32.f32").flop == 8192);
  CHECK(tensor_work("mma.strange").type == TensorType::kCount);
}

// 4096³ by m16n8k16: numbers.md has 11,184,811 busy cycles for the 4060 Laptop.
TEST_CASE("Floors: the least cycles, what binds, and what nobody knows") {
  LaunchCounters counters;
  LaunchDetail detail;
  detail.tensor["mma.m16n8k16.f32.f16.f16.f32"] = 33'554'432;
  counters.memory[static_cast<size_t>(SiteKind::kMatrixLoad)].wavefronts = 201'326'592;
  detail.has_caches = true;
  detail.caches.l2_reads = 67'108'864;
  detail.caches.dram_reads = 23'465'216;
  const Profile& laptop = *find_profile("rtx4060-laptop");
  const Floors floors = floors_of(laptop, 1024, counters, detail);
  CHECK(floors.sms == 24);
  CHECK(std::llround(floors.resources[0].cycles) == 11'184'811);
  CHECK(std::llround(floors.resources[1].cycles) == 201'326'592 / 24);
  CHECK_FALSE(floors.resources[2].is_known);  // nobody has said what its L2 gives
  CHECK(floors.resources[3].work == 23'465'216.0 * 32);
  // 256 GB/s at 2,370 MHz: 108 bytes a clock.
  CHECK(floors.resources[3].cycles == doctest::Approx(23'465'216.0 * 32 / (256.032e9 / 2.37e9)));
  CHECK(std::string(floors.binds()->resource) == "tensor cores");

  CHECK(floors_of(laptop, 1, counters, detail).sms == 1);
  detail.has_caches = false;
  CHECK_FALSE(floors_of(laptop, 1024, counters, detail).resources[3].is_known);
  const Profile& h200 = *find_profile("h200");
  detail.has_caches = true;
  CHECK(std::llround(floors_of(h200, 1024, counters, detail).resources[0].cycles) ==
        33'554'432ll * 6 / 4 / 132);
  detail.tensor["mma.m16n8k32.f32.e4m3.e4m3.f32"] = 1;  // emulated on that chip
  const Floors unknown = floors_of(h200, 1024, counters, detail);
  CHECK_FALSE(unknown.resources[0].is_known);
  CHECK(unknown.resources[0].source.find("m16n8k32.f32.e4m3") != std::string::npos);
  CHECK(std::string(unknown.binds()->resource) == "shared memory");
  CHECK(floors_of(h200, 1, LaunchCounters{}, LaunchDetail{}).binds() == nullptr);
}

}  // namespace
}  // namespace tcd::emu
