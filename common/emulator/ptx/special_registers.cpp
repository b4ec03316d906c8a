#include "ptx/special_registers.h"

#include <algorithm>
#include <iterator>

namespace tcd::emu::ptx {
namespace {

constexpr std::string_view kNames[] = {
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%tid",
    "%total_smem_size",
    "%warpid",
};

bool is_numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  name.remove_prefix(prefix.size());
  if (name.ends_with("_64")) name.remove_suffix(3);  // %pm0_64
  return !name.empty() && name.size() <= 2 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_special_register(std::string_view name) {
  static_assert(std::is_sorted(std::begin(kNames), std::end(kNames)));
  return std::binary_search(std::begin(kNames), std::end(kNames), name) ||
         is_numbered(name, "%envreg") || is_numbered(name, "%pm") ||
         is_numbered(name, "%reserved_smem_offset_");
}

}  // namespace tcd::emu::ptx
