#include "checks/report.h"

#include <algorithm>
#include <cstdio>

#include "hex.h"
#include "machine/cta.h"
#include "machine/device_impl.h"
#include "machine/memory.h"
#include "machine/program.h"

namespace tcd::emu {
namespace {

const ptx::Instruction* instruction_of(const Code& code, const MicroOp& op) {
  const auto& body = code.function->body;
  return op.source < body.size() ? &body[op.source] : nullptr;
}

std::string source_of(const Code& code, const MicroOp& op) {
  const ptx::Instruction* in = instruction_of(code, op);
  if (in == nullptr) return "unknown";
  const std::string place = place_of(*code.module, in->location);
  return place.empty() ? "PTX line " + std::to_string(in->ptx_line) +
                             " (compile with -lineinfo to see the source)"
                       : place;
}

std::string instruction_text(const Code& code, const MicroOp& op) {
  const ptx::Instruction* in = instruction_of(code, op);
  return in == nullptr ? "" : text_of(*code.function, *in);
}

std::string triple(uint64_t v, const Dim3& d) {
  return "(" + std::to_string(v % d.x) + "," + std::to_string(v / d.x % d.y) + "," +
         std::to_string(v / d.x / d.y) + ")";
}

std::string who(const Launch& launch, int warp, int lane) {
  std::string text = "warp " + std::to_string(warp);
  if (lane < 0) return text;
  const auto thread = static_cast<uint64_t>(warp) * kLanes + static_cast<uint64_t>(lane);
  return text + ", lane " + std::to_string(lane) + ", thread " + triple(thread, launch.block);
}

std::string other_party(const Launch& launch, const CheckReport& report) {
  const Party& other = report.other;
  std::string text = who(launch, other.warp, other.lane);
  if (other.cta >= 0) {
    text += " of CTA " + triple(static_cast<uint64_t>(other.cta), launch.grid);
  }
  if (report.other_op != nullptr) {
    return text + " at " + source_of(*report.other_code, *report.other_op) + ", `" +
           instruction_text(*report.other_code, *report.other_op) + "`";
  }
  for (const auto& code : launch.kernel->codes) {
    if (code == nullptr || other.slot == 0) continue;
    for (const MicroOp& op : code->ops) {
      if (op.slot != other.slot) continue;
      return text + " at " + source_of(*code, op) + ", `" + instruction_text(*code, op) + "`";
    }
  }
  return text;
}

std::string wait_hint(const CheckReport& r) {
  const std::string then = "; then a __syncthreads() shows it to other threads.";
  if (r.later_groups == CheckReport::kUncommitted) {
    return "its copies were never committed: cp.async.commit_group must come between the copies "
           "and the wait.";
  }
  if (r.later_groups == CheckReport::kNoWaitSince) {
    return "that thread has not waited since it committed them: cp.async.wait_group must come in "
           "between" +
           then;
  }
  const std::string later = std::to_string(r.later_groups);
  return (r.later_groups == 0 ? "at that thread's last wait this was its latest group, which only "
                                "cp.async.wait_group 0 waits for"
                              : "at its last wait that thread had committed " + later +
                                    (r.later_groups == 1 ? " group" : " groups") +
                                    " after this copy's: only cp.async.wait_group " + later +
                                    " or a smaller number waits for it") +
         then;
}

struct Words {
  std::string what;
  std::string other;  // what the other party did
  std::string next;
};

Words words_of(const Launch& launch, const CheckReport& r) {
  const std::string access = std::to_string(r.bytes) + " bytes at shared address " + hex(r.address);
  const std::string write = r.copies ? "a cp.async into " : "write of ";
  const std::string global = std::to_string(r.bytes) + " bytes at global address " + hex(r.address);
  const std::string place = launch.memory->place_in_allocation(r.address);
  const std::string between_ctas =
      "The CTAs of a launch run in any order: use two launches, or a __threadfence() and then an "
      "atomic that the other CTA waits for.";
  switch (r.finding) {
    case Finding::kReadAfterWrite:
      return {"race in shared memory: read of " + access +
                  ", which another warp wrote with no barrier in between",
              "wrote", "A barrier (__syncthreads()) must come between the write and this read."};
    case Finding::kWriteAfterWrite:
      return {"race in shared memory: " + write + access +
                  ", which another warp wrote with no barrier in between",
              "wrote",
              "A barrier (__syncthreads()) must come between, or only one of them writes."};
    case Finding::kWriteAfterRead:
      return {"race in shared memory: " + write + access +
                  ", which another warp may still be reading: no barrier comes in between",
              "read",
              "A barrier (__syncthreads()) must come between the last read of this place and its "
              "next write; in a pipeline, is this the right stage?"};
    case Finding::kLanesMeet:
      return {"race within one instruction: write of " + access +
                  ", where another lane of the same instruction writes another value",
              "wrote", "Which value stays is undefined: give each lane its own place."};
    case Finding::kCopyRead:
      return {"asynchronous copy read too early: read of " + access +
                  ", which a cp.async may not have filled yet",
              "copies", "No wait covers it: " + wait_hint(r)};
    case Finding::kCopyUnpublished:
      return {"asynchronous copy read too early: read of " + access +
                  ", which another thread's cp.async filled; it was waited for, but no barrier "
                  "followed",
              "copied",
              "A wait covers only the own thread's copies: __syncthreads() must come between the "
              "wait and reads by others (__syncwarp() within a warp)."};
    case Finding::kCopyOverwritten:
      return {std::string("asynchronous copy overwritten: ") + write + access +
                  ", where a cp.async may still be landing",
              "copies",
              "Which data stay is undefined. Is this the right stage of the pipeline? About the "
              "copy in flight: " +
                  wait_hint(r)};
    case Finding::kUninitialisedShared:
      return {
          "uninitialised shared memory: read of " + access +
              (r.partly_written ? ", parts of which nobody in the CTA has written"
                                : ", which nobody in the CTA has written"),
          "",
          std::string("Is the tile filled completely, also at its edges, before it is read?") +
              (r.partly_written ? " Padding of a struct that is copied whole does no harm." : "") +
              (r.across_warps ? " Another warp writes what is read here, and no barrier "
                                "(__syncthreads()) comes between."
                              : "")};
    case Finding::kUninitialisedGlobal:
      return {
          "uninitialised global memory: read of " + global + ", which nobody has written: " + place,
          "",
          "cudaMalloc leaves memory as it was: copy or set it (cudaMemcpy, cudaMemset) before "
          "the launch, or let a kernel write it first."};
    case Finding::kLanesUnordered:
      return {"race in shared memory between lanes of a warp: read of " + access +
                  ", which another lane wrote with no " +
                  (r.across_warps ? "barrier" : "__syncwarp()") + " in between",
              "wrote",
              r.across_warps
                  ? "Other warps write what is read here, too: a barrier (__syncthreads()) must "
                    "come between the write and this read, for the warps and for their lanes."
                  : "The lanes of a warp need not run in step: __syncwarp() must come between the "
                    "write and this read."};
    case Finding::kBarrierDivergence:
      return {"barrier divergence: lanes of one warp arrive at barrier " +
                  std::to_string(r.address) + " through different instructions",
              "arrives",
              "__syncthreads() must be one place that all threads of the warp come to: move it out "
              "of the branches."};
    case Finding::kNotInMask:
      return {
          "wrong member mask: lane " + std::to_string(r.lane) +
              " runs this instruction, and the mask it gives, " + hex(r.address) +
              ", does not name it",
          "",
          "Each lane that calls must be named in its own mask: __activemask() is no mask of those "
          "who are meant to come, __ballot_sync() before the branch is."};
    case Finding::kMasksDiffer:
      return {"wrong member mask: the mask of lane " + std::to_string(r.lane) + ", " +
                  hex(r.address) + ", names a lane that comes with another mask",
              "comes with another mask",
              "All lanes that are to exchange something must give the same mask."};
    case Finding::kGlobalReadAndWrite:
      return {"race in global memory: read of " + global +
                  ", which another CTA writes with nothing to order the two: " + place,
              "writes", between_ctas};
    case Finding::kGlobalWrites:
      return {
          "race in global memory: write of " + global +
              ", where another CTA writes another value with nothing to order the two: " + place,
          "writes", "Give each CTA its own place, or add with atomicAdd(). " + between_ctas};
    case Finding::kGlobalReadAfterWrite:
      return {"race in global memory: read of " + global +
                  ", which another warp of the CTA wrote with no barrier in between: " + place,
              "wrote", "A barrier (__syncthreads()) must come between the write and this read."};
    case Finding::kGlobalWriteAfterRead:
      return {"race in global memory: write of " + global +
                  ", which another warp of the CTA may still be reading: no barrier comes in "
                  "between: " +
                  place,
              "read",
              "A barrier (__syncthreads()) must come between the last read of this place and its "
              "next write."};
    case Finding::kGlobalWriteAfterWrite:
      return {
          "race in global memory: write of " + global +
              ", where another warp of the CTA wrote another value with no barrier in between: " +
              place,
          "wrote", "A barrier (__syncthreads()) must come between, or only one of them writes."};
  }
  return {};
}

}  // namespace

void ReportLog::add(const CheckReport& report) {
  Entry& entry = entries_[{report.finding, report.op}];
  ++entry.times;
  if (entry.times != 1 && report.cta >= entry.first.cta) return;
  entry.first = report;
  entry.order = next_++;
}

void ReportLog::merge(const ReportLog& other) {
  for (const auto& [key, theirs] : other.entries_) {
    Entry& ours = entries_[key];
    if (ours.times == 0 || theirs.first.cta < ours.first.cta) {
      ours.first = theirs.first;
      ours.order = theirs.order;
    }
    ours.times += theirs.times;
  }
}

std::vector<LaunchError::Report> ReportLog::texts(const Launch& launch) const {
  std::vector<Entry> sorted;
  for (const auto& [key, entry] : entries_) {
    if (entry.first.cta <= launch.fault_cta) sorted.push_back(entry);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return a.first.cta != b.first.cta ? a.first.cta < b.first.cta : a.order < b.order;
  });
  // Unrolled loops make many instructions of one line: one report for all of them.
  std::map<std::pair<Finding, std::string>, size_t> lines;
  std::vector<Entry> kept;
  for (const Entry& entry : sorted) {
    const auto [at, added] = lines.emplace(
        std::pair{entry.first.finding, source_of(*entry.first.code, *entry.first.op)}, kept.size());
    if (added) {
      kept.push_back(entry);
    } else {
      kept[at->second].times += entry.times;
    }
  }
  // Where warps race, their lanes mostly do too, and find places unwritten: one missing barrier.
  std::vector<Entry> left;
  for (Entry& entry : kept) {
    CheckReport& r = entry.first;
    const bool lanes = r.finding == Finding::kLanesUnordered;
    bool is_told = false;
    for (const Entry& e : sorted) {
      const Party& reader = e.first.other;
      const bool reads_late = e.first.finding == Finding::kReadAfterWrite &&
                              source_of(*e.first.code, *e.first.op) == source_of(*r.code, *r.op);
      const bool reads_early = e.first.finding == Finding::kWriteAfterRead && reader.slot != 0 &&
                               reader.slot == r.op->slot;
      r.across_warps |= reads_late || reads_early;
      is_told |= lanes && reads_late;
    }
    if (!is_told) left.push_back(entry);
  }
  std::vector<LaunchError::Report> result;
  for (const Entry& entry : left) {
    std::string text = text_of(launch, entry.first);
    if (launch.fault_cta == ~uint64_t{0} && entry.times > 1) {
      text += "\n  count   " + std::to_string(entry.times) +
              " times in this launch at this line; this was the first";
    }
    const std::string place = source_of(*entry.first.code, *entry.first.op);
    const bool known = place.find("PTX line") != 0;  // instances of a template share their lines
    result.push_back(
        {std::to_string(int(entry.first.finding)) + "\n" + place + (known ? "" : launch.info->name),
         std::move(text)});
  }
  return result;
}

std::string text_of(const Launch& launch, const CheckReport& r) {
  const Words words = words_of(launch, r);
  std::string text = words.what + "\n  kernel  " + demangle(launch.info->name);
  if (r.code != launch.code) text += ", in " + demangle(r.code->name);
  text += "\n  source  " + source_of(*r.code, *r.op) + "\n  PTX     " +
          instruction_text(*r.code, *r.op) + "\n  thread  " +
          who(launch, static_cast<int>(r.warp), static_cast<int>(r.lane)) + " of CTA " +
          triple(r.cta, launch.grid);
  if (!words.other.empty()) {
    text += "\n  other   " + words.other + ": " + other_party(launch, r);
  }
  return text + "\n  next    " + words.next;
}

void found(Warp& warp, const CheckReport& report) {
  if (warp.launch->checks.mode == CheckMode::kStop) {
    throw LaunchFault{Fault::kCheck, text_of(*warp.launch, report)};
  }
  warp.worker->reports.add(report);
}

}  // namespace tcd::emu
