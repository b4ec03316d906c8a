#include "counters/collect.h"

#include <unordered_map>

#include "machine/control.h"
#include "machine/device_impl.h"
#include "machine/micro_list.h"
#include "machine/program.h"

namespace tcd::emu {

const char* name_of(SiteKind kind) {
  constexpr const char* kNames[kSiteKinds] = {"shared load", "shared store", "ldmatrix",
                                              "stmatrix",    "cp.async",     "global load",
                                              "global store"};
  return kind < SiteKind::kCount ? kNames[static_cast<size_t>(kind)] : "none";
}

void merge_sites(std::span<Site> worker, std::span<TotalsByKind> sites) {
  for (size_t i = 0; i < worker.size(); ++i) {
    worker[i].flush();
    for (size_t k = 0; k < kSiteKinds; ++k) sites[i][k].add(worker[i].totals[k], 1);
  }
}

void add_totals(std::span<const TotalsByKind> sites, LaunchCounters& counters) {
  for (const TotalsByKind& site : sites) {
    for (size_t k = 0; k < kSiteKinds; ++k) counters.memory[k].add(site[k], 1);
  }
  const auto executed = [&](SiteKind kind) {
    return counters.memory[static_cast<size_t>(kind)].executed;
  };
  counters.ldmatrix = executed(SiteKind::kMatrixLoad);
  counters.global_loads = executed(SiteKind::kGlobalLoad);
  counters.global_stores = executed(SiteKind::kGlobalStore);
  counters.shared_loads = executed(SiteKind::kSharedLoad);
  counters.shared_stores = executed(SiteKind::kSharedStore);
  counters.async_copies = executed(SiteKind::kAsyncCopy);
}

void merge_executed(const ExecutedOps& worker, ExecutedOps& all) {
  for (const auto& [code, counts] : worker) {
    std::vector<uint64_t>& sum = all[code];
    sum.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
  }
}

LaunchDetail detail_of(const Kernel& kernel, std::span<const TotalsByKind> sites,
                       const ExecutedOps& executed, const CacheModel* caches) {
  LaunchDetail detail;
  detail.has_caches = caches != nullptr;
  if (caches != nullptr) detail.caches = caches->traffic();
  std::unordered_map<std::string, size_t> index;
  const auto line = [&](const std::string& place) -> LineTotals& {
    const auto [at, is_new] = index.try_emplace(place, detail.lines.size());
    if (is_new) detail.lines.push_back({place, {}, {}, {}});
    return detail.lines[at->second];
  };
  const Handler jump = control_handler(Micro::goto_).full;
  for (const auto& code : kernel.codes) {
    const auto counts = executed.find(code.get());
    if (code == nullptr || counts == executed.end()) continue;
    uint32_t last = ~0u;
    for (size_t i = 0; i < code->ops.size(); ++i) {
      const MicroOp& op = code->ops[i];
      // Gotos are ours, and so is the return at the end; of several operations of one instruction
      // the first is counted.
      if (op.fast == jump || op.source >= code->function->body.size() || counts->second[i] == 0) {
        continue;
      }
      const ptx::Instruction& in = code->function->body[op.source];
      LineTotals& here = line(place_of(*code->module, in.location));
      if (op.source != last) {
        const InstructionKind kind = kind_of(in);
        here.instructions[static_cast<size_t>(kind)] += counts->second[i];
        if (kind == InstructionKind::kTensor) detail.tensor[tensor_shape(in)] += counts->second[i];
      }
      last = op.source;
      if (op.slot == 0) continue;
      for (size_t k = 0; k < kSiteKinds; ++k) here.memory[k].add(sites[op.slot][k], 1);
      if (caches != nullptr && op.slot < caches->by_slot().size()) {
        here.caches.add(caches->by_slot()[op.slot]);
      }
    }
  }
  return detail;
}

InstructionCounts LaunchDetail::instructions() const {
  InstructionCounts sum{};
  for (const LineTotals& line : lines) {
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += line.instructions[k];
  }
  return sum;
}

void LaunchDetail::add(const LaunchDetail& other) {
  std::unordered_map<std::string, size_t> index;
  for (size_t i = 0; i < lines.size(); ++i) index[lines[i].place] = i;
  for (const LineTotals& line : other.lines) {
    const auto at = index.find(line.place);
    if (at == index.end()) {
      lines.push_back(line);
      continue;
    }
    LineTotals& mine = lines[at->second];
    for (size_t k = 0; k < mine.instructions.size(); ++k) {
      mine.instructions[k] += line.instructions[k];
    }
    for (size_t k = 0; k < kSiteKinds; ++k) mine.memory[k].add(line.memory[k], 1);
    mine.caches.add(line.caches);
  }
  caches.add(other.caches);
  has_caches = has_caches && other.has_caches;
  for (const auto& [shape, count] : other.tensor) tensor[shape] += count;
}

}  // namespace tcd::emu
