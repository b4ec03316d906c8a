// Day 03: one tile geometry, gated on eight shapes; its counts, its cost, and what its output
// hides.
#include "day.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using tcd::harness::Session;
using Findings = std::vector<tcd::harness::GemmDay::Findings>;

// One mma does 16·8·16 multiply-adds; 6 ldmatrix.x4 feed 16 mma.
constexpr uint64_t kWorkOfMma = 16 * 8 * 16;

void judge_counts(Session& session, const std::map<std::string, uint64_t>& counted) {
  const char* feeding = "16 mma are fed by 6 ldmatrix.x4";
  const char* conflicts = "each ldmatrix.x4 waits for 12 extra passes: 64-byte rows, 4-way";
  if (counted.empty()) {
    session.predict_unanswered(2, feeding, "counted on the emulated device");
    session.predict_unanswered(3, conflicts, "counted on the emulated device");
    return;
  }
  const uint64_t mmas = counted.at("hmma_m16n8k16"), loads = counted.at("ldmatrix");
  session.predict(2, feeding, mmas == counted.at("hmma") && loads * 16 == mmas * 6);
  session.predict(3, conflicts, counted.at("ldmatrix_bank_conflicts") == loads * 12);
}

void judge_traffic(Session& session, const std::map<std::string, uint64_t>& counted) {
  const char* text = "a product costs 1/32 byte of A and B from global memory, half of Day 02's";
  if (counted.empty()) return session.predict_unanswered(5, text, "counted on the emulated device");
  // 128×128 tile: an element of A or B is fetched once for 128 products; 2 bytes each.
  const uint64_t products = counted.at("hmma_m16n8k16") * kWorkOfMma;
  session.predict(5, text, counted.at("global_load_bytes") * 32 == products);
}

void judge_hidden_error(Session& session, const tcd::GemmVariant& variant) {
  const day::HiddenError found = day::hide_a_sixteenth(variant, session.seed());
  char text[160];
  const double share = static_cast<double>(found.same_f16) / static_cast<double>(found.elements);
  std::snprintf(text, sizeof text,
                "off by 1/16 at K = 4096, an FP16 output looks right in about a tenth of the "
                "elements (%.1f %%), FP32 in none",
                share * 100);
  session.derive("an error of 1/16 at 256×256×4096", {{"elements", found.elements},
                                                      {"unseen in FP16", found.same_f16},
                                                      {"unseen in FP32", found.same_f32}});
  session.predict(6, text, found.same_f32 == 0 && share > 0.05 && share < 0.15);
}

void judge(Session& session, const Findings& findings) {
  const auto& found = findings.front();
  session.section("The predictions");
  session.predict(1, "every bit is right, on every shape, with FP16 and with FP32 output",
                  found.passed);
  judge_counts(session, found.counters);
  session.predict(4, "16,384 bytes of shared memory, at most 128 registers, nothing spilled",
                  found.resources.static_shared_bytes == 16384 &&
                      found.resources.registers <= 128 && found.resources.spill_bytes == 0);
  judge_traffic(session, found.counters);
  judge_hidden_error(session, *found.variant);
}

}  // namespace

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"03", "CTA tile", "a 128×128×32 tile of eight warps, and column-major B", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  gemm.after = judge;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
