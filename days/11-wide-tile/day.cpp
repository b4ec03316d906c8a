// Day 11: a tile of 128×256 with CTAs that stay, the deepest that the device's shared memory holds.
#include "day.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::with_separators;
using tcd::harness::GemmDay;
using tcd::harness::GemmProblem;
using tcd::harness::Session;
using Findings = std::vector<GemmDay::Findings>;

constexpr const char* kNotCounted = "counted on the emulated device";
constexpr int kDeepBytes = 160 * 1024;

bool fits(const Session& session, size_t shared_bytes) {
  return shared_bytes <= session.device().properties.sharedMemPerBlockOptin;
}

// One tile and one k-tile of 64, fewer tiles than CTAs, fewer k-tiles than stages, skinny, padded.
std::vector<GemmProblem> shapes() {
  constexpr auto kB = tcd::Order::kColumnMajor;
  std::vector<GemmProblem> shapes = {{128, 256, 64, 0, kB},  {128, 256, 128, 8, kB},
                                     {256, 256, 192, 8, kB}, {128, 768, 448, 16, kB},
                                     {640, 256, 128, 0, kB}, {128, 256, 1024, 8, kB},
                                     {384, 512, 320, 8, kB}, {256, 768, 576, 24, kB}};
  int group = 0;
  for (GemmProblem& shape : shapes) shape.group = group++ % 3 + 1;
  return shapes;
}

// 7 rows of tiles, and so many columns that every CTA makes `each` of them and some one more.
GemmProblem more_tiles_than_ctas(const Session& session, int each, int k) {
  const int columns = each * session.device().properties.multiProcessorCount / 7 + 1;
  GemmProblem problem = {7 * 128, columns * 256, k, 8, tcd::Order::kColumnMajor};
  problem.group = 3;
  return problem;
}

// k-tiles of 32 alone: the harness gives all instances the same shapes, multiples of 64. Copies
// run two k-tiles ahead: here that is two tiles of D.
bool gate_single_k_tiles(Session& session, const tcd::GemmVariant& shallow) {
  session.section("A tile of D is one k-tile");
  GemmProblem skinny = {3 * 128, 256, 32, 0, tcd::Order::kColumnMajor};
  bool passed = true;
  for (const GemmProblem& problem : {skinny, more_tiles_than_ctas(session, 2, 32)}) {
    const tcd::Tiling tiling = {128, 256, shallow.warps_m, shallow.warps_n, true, true};
    passed = tcd::harness::gate_gemm<__half>(session, shallow.name, problem, shallow.shape, tiling,
                                             shallow.launch) &&
             passed;
  }
  return passed;
}

int ctas_of(const Session& session, int tiles) {  // one an SM
  return std::min(tiles, session.device().properties.multiProcessorCount);
}

// One launch of every instance that runs here, at a size.
struct Counted {
  const GemmDay::Findings* found;
  GemmProblem problem;
  day::Expected expected;
  std::map<std::string, uint64_t> counters;

  uint64_t operator[](const char* name) const { return counters.at(name); }
};

std::vector<Counted> count_instances(const Session& session, const Findings& findings) {
  std::vector<Counted> counted;
  if (!session.emulated()) return counted;
  const GemmProblem few = {384, 512, 320}, many = more_tiles_than_ctas(session, 1, 128);
  for (const auto& found : findings) {
    if (!found.fits || found.variant->bias) continue;
    for (const GemmProblem& problem : {few, many}) {
      const auto [m, n, k] = std::tuple(problem.m, problem.n, problem.k);
      const int ctas = ctas_of(session, m / 128 * (n / 256));
      counted.push_back({&found, problem, day::expected(found.variant->shape, m, n, k, ctas),
                         day::count_launch(*found.variant, m, n, k)});
    }
  }
  return counted;
}

void show_counts(Session& session, const std::vector<Counted>& counted) {
  if (counted.empty()) return;
  session.section("One launch, warp instructions");
  for (const Counted& counts : counted) {
    const std::string name = counts.found->variant->name + " at " + counts.problem.text();
    const auto number = [&](const char* counter) {
      return with_separators(static_cast<int64_t>(counts[counter]));
    };
    session.say(name + ": " + number("hmma") + " mma, " + number("ldmatrix") + " ldmatrix, " +
                number("async_copies") + " cp.async in " + number("cp_async_wavefronts") +
                " passes, " + number("global_stores") + " stores of " +
                number("global_store_sectors") + " sectors, " + number("barriers") + " barriers");
    session.derive("one launch, " + name, {{"hmma", counts["hmma"]},
                                           {"ldmatrix", counts["ldmatrix"]},
                                           {"async_copies", counts["async_copies"]},
                                           {"cp_async_wavefronts", counts["cp_async_wavefronts"]},
                                           {"global_stores", counts["global_stores"]},
                                           {"global_store_sectors", counts["global_store_sectors"]},
                                           {"barriers", counts["barriers"]}});
  }
}

void judge_counts(Session& session, const std::vector<Counted>& counted) {
  const char* fragments =
      "8 ldmatrix for 32 mma and 64 more a CTA, which loads its last fragments twice; no conflict";
  const char* copies =
      "12 cp.async a thread and k-tile of 64, 6 of 32: three quarters of Day 09's bytes; written "
      "in 4 passes each, in 8 of 32";
  const char* stores =
      "D leaves in stores of 512 bytes, 16 sectors each, none half full; staging has no conflict";
  const char* grid = "as many CTAs as tiles, or as SMs: a barrier each, and one a k-tile";
  if (counted.empty()) {
    for (const auto& [number, text] :
         {std::pair{2, fragments}, {3, copies}, {4, stores}, {5, grid}}) {
      session.predict_unanswered(number, text, kNotCounted);
    }
    return;
  }
  const auto all = [&](auto held) { return std::all_of(counted.begin(), counted.end(), held); };
  session.predict(2, fragments, all([](const Counted& counts) {
                    return counts["hmma"] == counts.expected.mma &&
                           counts["hmma_m16n8k16"] == counts.expected.mma &&
                           counts["ldmatrix"] == counts.expected.ldmatrix &&
                           counts["ldmatrix_bank_conflicts"] == 0;
                  }));
  session.predict(3, copies, all([](const Counted& counts) {
                    // Day 09: 128 rows and 128 columns for half as many products.
                    const uint64_t day09 = counts["hmma"] * 2048 * 2 / 128 * 2;
                    return counts["async_copies"] == counts.expected.copies &&
                           counts["cp_async_bytes"] == counts.expected.copy_bytes &&
                           counts["cp_async_bytes"] * 4 == day09 * 3 &&
                           counts["cp_async_wavefronts"] == counts.expected.copy_wavefronts;
                  }));
  session.predict(4, stores, all([](const Counted& counts) {
                    return counts["global_stores"] == counts.expected.stores &&
                           counts["global_store_sectors"] == counts.expected.store_sectors &&
                           counts["global_store_bytes"] == counts.expected.store_sectors * 32 &&
                           counts["shared_store_bank_conflicts"] == 0 &&
                           counts["shared_load_bank_conflicts"] == 0;
                  }));
  session.predict(5, grid, all([](const Counted& counts) {
                    return counts["barriers"] == counts.expected.barriers;
                  }));
}

void judge_instance(Session& session, const Findings& findings) {
  const auto allowed = session.device().properties.sharedMemPerBlockOptin;
  const int wanted = allowed >= kDeepBytes ? 64 : 32;
  bool cheap = true, chosen = false;
  int most = 0;
  for (const auto& found : findings) {
    if (!found.fits) continue;
    most = std::max(most, found.resources.registers);
    cheap = cheap && found.resources.spill_bytes == 0 && found.resources.ctas_per_sm == 1;
    chosen = chosen || (found.variant->headline && found.variant->shape.cta_k == wanted);
  }
  session.predict(6,
                  "at most 255 registers (" + std::to_string(most) +
                      "), none spilled, one CTA an SM; " + std::to_string(allowed / 1024) +
                      " KiB of shared memory choose k-tiles of " + std::to_string(wanted),
                  cheap && most <= 255 && chosen);
}

double rate(const Findings& findings, int cta_k, bool bias) {
  for (const auto& found : findings) {
    if (found.variant->shape.cta_k == cta_k && found.variant->bias == bias) return found.tflops;
  }
  return 0;
}

void judge_times(Session& session, const Findings& findings) {
  const char* deep = "k-tiles of 64 are faster than of 32";
  const double k64 = rate(findings, 64, false), k32 = rate(findings, 32, false);
  char line[128];
  if (k64 > 0 && k32 > 0) {
    std::snprintf(line, sizeof line, "%s (%.3f times as fast)", deep, k64 / k32);
    session.predict(8, line, k64 > k32);
  } else {
    session.predict_unanswered(8, deep,
                               fits(session, kDeepBytes)
                                   ? "no times here"
                                   : "needs a card with 160 KiB of shared memory a CTA");
  }
  const char* fused = "bias + ReLU cost less than 1 % of the time";
  const int cta_k = k64 > 0 ? 64 : 32;
  const double plain = rate(findings, cta_k, false), with = rate(findings, cta_k, true);
  if (plain <= 0 || with <= 0) return session.predict_unanswered(9, fused, "no times here");
  std::snprintf(line, sizeof line, "%s (%+.2f %%)", fused, 100 * (plain / with - 1));
  session.predict(9, line, plain / with < 1.01);
}

void judge(Session& session, const Findings& findings, bool single_k_tiles_passed) {
  const std::vector<Counted> counted = count_instances(session, findings);
  show_counts(session, counted);
  day::show_dram_model(session);
  session.section("The predictions");
  const char* right = "every bit is right, with fewer tiles than CTAs and with more";
  bool passed = single_k_tiles_passed, ran = false;
  for (const auto& found : findings) {
    passed = passed && (found.passed || !found.fits);
    ran = ran || found.fits;
  }
  if (ran) {
    session.predict(1, right, passed);
  } else {
    session.predict_unanswered(1, right, "nothing fits this device");
  }
  judge_counts(session, counted);
  judge_instance(session, findings);
  day::judge_dram_model(session);
  judge_times(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  GemmDay gemm;
  bool single_k_tiles_passed = true;
  gemm.info = {"11", "wide tile", "128×256, persistent CTAs, and D through shared memory", 80};
  gemm.variants = day::variants();
  gemm.shapes = shapes();
  gemm.before = [&](Session& session) {
    gemm.shapes.push_back(more_tiles_than_ctas(session, 1, 128));
    for (const auto& variant : gemm.variants) {
      if (variant.shape.cta_k > 32 || variant.bias || !fits(session, variant.dynamic_shared_bytes))
        continue;
      single_k_tiles_passed = gate_single_k_tiles(session, variant) && single_k_tiles_passed;
    }
  };
  gemm.after = [&](Session& session, const Findings& findings) {
    judge(session, findings, single_k_tiles_passed);
  };
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
