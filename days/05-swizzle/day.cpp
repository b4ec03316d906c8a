// Day 05: four layouts, their conflicts, and what they are worth.
#include "day.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gemm_day.h"

namespace {

using day::LayoutCounts;
using tcd::harness::Session;
using Found = tcd::harness::GemmDay::Findings;
using Findings = std::vector<Found>;

int knob(const Found& found, const std::string& name) {
  for (const auto& [knob, value] : found.variant->knobs) {
    if (knob == name) return value;
  }
  return -1;
}

enum Layout { kRowMajor, kPadded, kXorRow, kXorRowPair };  // the knob's values

const Found* find(const Findings& findings, Layout layout, int stages, int mma_k = 16) {
  for (const Found& found : findings) {
    if (knob(found, "layout") == layout && knob(found, "stages") == stages &&
        knob(found, "mma_k") == mma_k) {
      return &found;
    }
  }
  return nullptr;
}

// What the page works out by hand: for an ldmatrix.x4, for a cp.async, and for a k-tile of a CTA,
// which is 96 of the first, 4 passes each without conflicts, and 32 of the second.
constexpr LayoutCounts kPredicted[] = {{12, 8, 1792}, {0, 15, 864}, {4, 8, 1024}, {0, 8, 640}};

// In the order of `findings`; empty on a card.
std::vector<LayoutCounts> count_layouts(const Session& session, const Findings& findings) {
  std::vector<LayoutCounts> counted;
  if (!session.emulated()) return counted;
  for (const Found& found : findings) {
    counted.push_back(found.fits ? day::count_layout(*found.variant) : LayoutCounts{});
  }
  return counted;
}

std::string cell(const char* format, double value, bool known) {
  char text[32] = "-";
  if (known) std::snprintf(text, sizeof text, format, value);
  return text;
}

void show_table(Session& session, const Findings& findings,
                const std::vector<LayoutCounts>& counted) {
  session.section("The layouts");
  session.say(
      "                                conflicts    wavefronts   passes   memory   CTAs  TFLOP/s");
  session.say("                               a ldmatrix    a cp.async  a k-tile    a CTA   a SM");
  for (size_t i = 0; i < findings.size(); ++i) {
    const Found& found = findings[i];
    const char* name = found.variant->name.c_str();
    const int kib = static_cast<int>(found.variant->dynamic_shared_bytes / 1024);
    const bool known = !counted.empty();
    const LayoutCounts each = known ? counted[i] : LayoutCounts{};
    char line[128];
    if (found.fits) {
      std::snprintf(line, sizeof line, "%-32s %9s %13s %9s %4d KiB %6d %8s", name,
                    cell("%.4g", each.conflicts_per_ldmatrix, known).c_str(),
                    cell("%.4g", each.wavefronts_per_copy, known).c_str(),
                    cell("%.4g", each.passes_per_tile, known).c_str(), kib,
                    found.resources.ctas_per_sm,
                    cell("%.2f", found.tflops, found.tflops > 0).c_str());
    } else {
      std::snprintf(line, sizeof line, "%-32s %38d KiB   does not fit", name, kib);
    }
    session.say(line);
  }
}

void judge_counts(Session& session, const Findings& findings,
                  const std::vector<LayoutCounts>& counted) {
  const char* conflicts =
      "extra passes an ldmatrix.x4: row-major 12, padded 0, xor row & 3: 4, "
      "xor row >> 1 & 3: 0; as the picture says";
  const char* writes =
      "passes a cp.async writes in: 8, but padded 15; in all a k-tile of a CTA takes "
      "1792, 864, 1024, 640";
  if (counted.empty()) {
    session.predict_unanswered(2, conflicts, "counted on the emulated device");
    session.predict_unanswered(3, writes, "counted on the emulated device");
    return;
  }
  const std::vector<day::LayoutMap> layouts = day::layouts();
  bool conflicts_held = true, writes_held = true;
  for (size_t i = 0; i < findings.size(); ++i) {
    if (!findings[i].fits) continue;
    const int layout = knob(findings[i], "layout");
    const double extra = counted[i].conflicts_per_ldmatrix;
    conflicts_held = conflicts_held && extra == kPredicted[layout].conflicts_per_ldmatrix &&
                     extra == day::pictured_conflicts(layouts[layout]);
    writes_held = writes_held &&
                  counted[i].wavefronts_per_copy == kPredicted[layout].wavefronts_per_copy &&
                  counted[i].passes_per_tile == kPredicted[layout].passes_per_tile;
    session.derive(findings[i].variant->name + ", each",
                   {{"conflicts an ldmatrix", extra},
                    {"wavefronts a cp.async", counted[i].wavefronts_per_copy},
                    {"passes a k-tile", counted[i].passes_per_tile}});
  }
  session.predict(2, conflicts, conflicts_held);
  session.predict(3, writes, writes_held);
}

void judge_capacity(Session& session, const Findings& findings) {
  const char* text =
      "where a CTA may have 99 KiB, five padded stages are refused, five swizzled run";
  const size_t allowed = session.device().properties.sharedMemPerBlockOptin;
  if (allowed != 99 * 1024) {
    return session.predict_unanswered(
        4, text, "a CTA may have " + std::to_string(allowed / 1024) + " KiB here");
  }
  const Found *padded = find(findings, kPadded, 5), *swizzled = find(findings, kXorRowPair, 5);
  session.predict(4, text, padded && !padded->fits && swizzled && swizzled->passed);
}

void judge_times(Session& session, const Findings& findings) {
  const char* text =
      "without conflicts, but with 15 passes a write, padding loses to xor row >> 1 & 3";
  const Found *padded = find(findings, kPadded, 2), *swizzled = find(findings, kXorRowPair, 2);
  if (!padded || !swizzled || padded->tflops <= 0 || swizzled->tflops <= 0) {
    return session.predict_unanswered(5, text, "no times here");
  }
  char said[160];
  std::snprintf(said, sizeof said, "%s (%.3f times as fast)", text,
                padded->tflops / swizzled->tflops);
  session.predict(5, said, padded->tflops < swizzled->tflops);
}

void judge_spills(Session& session, const Findings& findings) {
  const char* text =
      "two m16n8k8 for an m16n8k16 do not fit into 128 registers: the compiler spills";
  const Found *k16 = find(findings, kXorRowPair, 2), *k8 = find(findings, kXorRowPair, 2, 8);
  if (!k8) return session.predict_unanswered(6, text, "run it with --all");
  if (!k8->resources.spill_bytes || !k16->resources.spill_bytes) {
    return session.predict_unanswered(6, text, "the build's ptxas lines are not at hand");
  }
  session.predict(6, text, *k16->resources.spill_bytes == 0 && *k8->resources.spill_bytes > 0);
}

void judge_ranking(Session& session, const Findings& findings) {
  const char* text = "with conflicts two m16n8k8 win over an m16n8k16, without them they lose";
  const Layout layouts[3] = {kRowMajor, kXorRow, kXorRowPair};
  double gain[3] = {};  // of m16n8k16 over two m16n8k8, in percent
  for (int i = 0; i < 3; ++i) {
    const Found *k16 = find(findings, layouts[i], 2), *k8 = find(findings, layouts[i], 2, 8);
    if (!k16 || !k8 || k16->tflops <= 0 || k8->tflops <= 0) {
      return session.predict_unanswered(7, text, "no times here");
    }
    gain[i] = (k16->tflops / k8->tflops - 1) * 100;
  }
  char said[192];
  std::snprintf(said, sizeof said,
                "%s (m16n8k16: %+.1f %% 4-way, %+.1f %% 2-way, %+.1f %% without)", text, gain[0],
                gain[1], gain[2]);
  session.predict(7, said, gain[0] < 0 && gain[1] < 0 && gain[2] > 0);
}

void judge(Session& session, const Findings& findings) {
  const std::vector<LayoutCounts> counted = count_layouts(session, findings);
  show_table(session, findings, counted);
  session.section("The predictions");
  const auto passed = [](const Found& found) { return found.passed || !found.fits; };
  session.predict(1, "every layout that fits is right, every bit",
                  std::all_of(findings.begin(), findings.end(), passed));
  judge_counts(session, findings, counted);
  judge_capacity(session, findings);
  judge_times(session, findings);
  judge_spills(session, findings);
  judge_ranking(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"05", "swizzle", "four layouts of a tile, and the bank conflicts of each", 80};
  gemm.variants = day::variants();
  for (auto& variant : day::k8_variants()) gemm.variants.push_back(std::move(variant));
  gemm.shapes = tcd::harness::full_tile_shapes();
  gemm.before = day::show_banks;
  gemm.after = judge;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
