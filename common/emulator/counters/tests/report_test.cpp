// The report as text and JSON, and counters by source line.
#include "counters/report.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "counters/counter_table.h"
#include "machine/tests/bench.h"
#include "profiles/rates.h"

namespace tcd::emu {
namespace {

// Two loads of one line, a store of another: stride 8 bytes (2-way), then contiguous.
constexpr const char* kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry run() {
  .shared .align 128 .b8 tile[1024];
  .reg .b32 %t, %s, %w, %v;
  .loc 1 10 0
  mov.u32 %t, %tid.x;
  mov.u32 %s, tile;
  shl.b32 %w, %t, 3;
  add.u32 %w, %w, %s;
  shl.b32 %t, %t, 2;
  add.u32 %s, %s, %t;
  .loc 1 11 0
  ld.shared.u32 %v, [%w];
  ld.shared.u32 %v, [%w];
  .loc 1 12 0
  st.shared.u32 [%s], %v;
  ret;
}
.file 1 "kernel.cu"
)";

LaunchReport report(int threads) {
  Bench bench(kKernel, threads);
  LaunchRequest request;
  request.kernel = bench.program->find_kernel("run");
  request.grid = {3};
  request.block = {64};
  LaunchReport r;
  const LaunchError e = bench.device.launch(request, &r.counters, &r.detail);
  REQUIRE_MESSAGE(e.fault == Fault::kNone, e.message);
  r.kernel = "run()";
  r.number = 7;
  r.grid = request.grid;
  r.block = request.block;
  r.shared_bytes = 1024;
  return r;
}

TEST_CASE("By source line, in program order, whatever the threads") {
  for (int threads : {1, 3}) {
    const LaunchReport r = report(threads);
    const std::vector<LineTotals>& lines = r.detail.lines;
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].place == "kernel.cu:10");
    CHECK(lines[1].place == "kernel.cu:11");
    const MemoryTotals& load = lines[1].memory[static_cast<size_t>(SiteKind::kSharedLoad)];
    CHECK(load.executed == 2 * 6);
    CHECK(load.wavefronts == 2 * 12);
    CHECK(load.bank_conflicts() == 12);
    CHECK(lines[2].place == "kernel.cu:12");
    const MemoryTotals& store = lines[2].memory[static_cast<size_t>(SiteKind::kSharedStore)];
    CHECK(store.bank_conflicts() == 0);
    CHECK(store.bytes == 6 * 128);
  }
}

TEST_CASE("Instructions by kind, line by line; their sum is the counter") {
  const LaunchReport r = report(2);
  const auto of = [](const InstructionCounts& counts, InstructionKind kind) {
    return counts[static_cast<size_t>(kind)];
  };
  using K = InstructionKind;
  const InstructionCounts& first = r.detail.lines[0].instructions;
  CHECK(of(first, K::kMove) == 2 * 6);
  CHECK(of(first, K::kLogic) == 2 * 6);
  CHECK(of(first, K::kInteger) == 2 * 6);
  const InstructionCounts all = r.detail.instructions();
  CHECK(of(all, K::kSharedLoad) == 2 * 6);
  CHECK(of(all, K::kControl) == 6);
  uint64_t sum = 0;
  for (const uint64_t n : all) sum += n;
  CHECK(sum == r.counters.warp_instructions);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Text: counters that count, under both names, and the lines") {
  const std::string text = report_text(report(1), *find_profile("a100"));
  CHECK(contains(text, "launch 7: run()\n  grid (3, 1, 1), block (64, 1, 1), 1,024 bytes"));
  CHECK(contains(text, "shared_load_bank_conflicts                     12  the extra passes"));
  CHECK(contains(text, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"));
  CHECK(contains(text, "24 wavefronts, 12 ideal   kernel.cu:11\n"));
  CHECK_FALSE(contains(text, "ldmatrix_wavefronts"));  // nothing of it was executed
  CHECK_FALSE(contains(text, "stopped"));
}

TEST_CASE("JSON: all counters, with what they mean beside them; equal launches together") {
  const LaunchReport r = report(1);
  ProcessReport process(*find_profile("a100"));
  process.add(r);
  process.add(r);
  LaunchReport other = r;
  other.grid = {4};
  process.add(other);
  process.add_check("race");
  const nlohmann::json j = nlohmann::json::parse(process.json().dump());
  CHECK(j["schema"] == "tcd-report/2");
  CHECK(j["device"] == "a100");
  CHECK(j["counters"].size() == counter_table().size());
  CHECK(j["checks"] == nlohmann::json({"race"}));
  REQUIRE(j["kernels"].size() == 2);
  const nlohmann::json& kernel = j["kernels"][0];
  CHECK(kernel["grid"] == nlohmann::json({3, 1, 1}));
  CHECK(kernel["launches"] == 2);
  CHECK(kernel["stopped"] == 0);
  CHECK(kernel["counters"].size() == counter_table().size());
  for (const Counter& c : counter_table()) {
    CAPTURE(c.name);
    CHECK(kernel["counters"][c.name] == 2 * c.value(r.counters));
    CHECK(j["kernels"][1]["counters"][c.name] == c.value(r.counters));
    CHECK(j["counters"][c.name]["nsight"] == c.nsight);
  }
  CHECK(kernel["counters"]["shared_load_wavefronts"] == 2 * 24);
  CHECK(kernel["counters"]["ldmatrix"] == 0);
  CHECK(kernel["instructions"]["shared load"] == 2 * 12);
  CHECK(kernel["lines"][1]["place"] == "kernel.cu:11");
  CHECK(kernel["lines"][1]["memory"]["shared load"]["bank_conflicts"] == 2 * 12);
}

TEST_CASE("A kernel may be called anything") {
  ProcessReport process(*find_profile("a100"));
  LaunchReport r = report(1);
  r.kernel = "\xff\"\n";
  process.add(r);
  const nlohmann::json j = nlohmann::json::parse(process.text());
  CHECK(j["kernels"][0]["kernel"] == "\xef\xbf\xbd\"\n");
}

TEST_CASE("The README's table is the code's table") {
  std::ifstream file("common/emulator/counters/README.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Counter& c : counter_table()) {
    const std::string nsight = *c.nsight != '\0' ? "`" + std::string(c.nsight) + "`" : "";
    const std::string row =
        "| `" + std::string(c.name) + "` | " + c.words + " | " + nsight + " |\n";
    CHECK_MESSAGE(contains(text.str(), row), "add to counters/README.md: ", row);
  }
  for (const CacheCounter& c : cache_counter_table()) {
    const std::string nsight = *c.nsight != '\0' ? "`" + std::string(c.nsight) + "`" : "";
    const std::string row =
        "| `" + std::string(c.name) + "` | " + c.words + " | " + nsight + " |\n";
    CHECK_MESSAGE(contains(text.str(), row), "add to counters/README.md: ", row);
  }
}

// 2,730.67 as people write it: 2730.7, 512, 108.0.
std::string rate_text(const Rate& rate) {
  if (rate.per_clock == 0) return "–";
  char text[32];
  std::snprintf(text, sizeof text, rate.per_clock == std::floor(rate.per_clock) ? "%.0f" : "%.1f",
                rate.per_clock);
  return text;
}

TEST_CASE("The README's table of rates, and where each is from, is the code's") {
  std::ifstream file("common/emulator/counters/README.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const Profile& p : all_profiles()) {
    std::string row = "| `" + std::string(p.name) + "` |";
    std::set<std::string_view> sources;
    const auto cell = [&](const Rate& rate) {
      row += " " + rate_text(rate) + " |";
      if (rate.per_clock != 0) sources.insert(rate.source);
    };
    for (int t = 0; t < static_cast<int>(TensorType::kCount); ++t) {
      cell(tensor_rate(p, static_cast<TensorType>(t), false));
    }
    cell(l2_rate(p));
    cell(dram_rate(p));
    CHECK_MESSAGE(contains(page.str(), row + "\n"), "put into counters/README.md: ", row);
    for (const std::string_view source : sources) {
      CHECK_MESSAGE(contains(page.str(), "- " + std::string(source) + "\n"),
                    "put into counters/README.md: - ", source);
    }
  }
}

}  // namespace
}  // namespace tcd::emu
