#include "exercises/kinds.h"

namespace tcd::exercises {

std::vector<GateResult> judge_kind(const Manifest& manifest, Workbench& bench, uint64_t seed) {
  switch (manifest.kind) {
    case Kind::kFragmentMap:
      return judge_fragment_map(manifest, bench, seed);
    case Kind::kGemm:
      return judge_gemm(manifest, bench, seed);
    case Kind::kTileOrder:
      return judge_tile_order(manifest, bench);
    case Kind::kIssueRate:
      return judge_issue_rate(manifest, bench, seed);
  }
  throw ManifestError("a kind that nobody judges");
}

}  // namespace tcd::exercises
