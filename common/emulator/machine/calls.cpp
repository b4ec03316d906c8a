// Calls (PTX ISA 9.7.12.5): every activation has a frame of its own; parameters are copied row by
// row for the lanes that call.
#include "machine/calls.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/cta.h"
#include "machine/each_lane.h"
#include "machine/program.h"

namespace tcd::emu {
namespace {

constexpr uint32_t kMaxDepth = 2048;
constexpr uint32_t kMaxLocalBytes = 512 * 1024;  // per thread, as on the hardware

// Rows from `offset` on that lie inside the frame: a call through a pointer may name parameters
// that are shorter than the function's.
uint32_t rows_within(const Code& code, uint32_t offset, uint32_t count) {
  return std::min(count, (code.frame_bytes - offset) / static_cast<uint32_t>(sizeof(Row)));
}

void copy_rows(std::byte* to, const std::byte* from, uint32_t count, uint32_t mask) {
  for (uint32_t k = 0; k < count; ++k) {
    auto* d = reinterpret_cast<Row*>(to) + k;
    const auto* s = reinterpret_cast<const Row*>(from) + k;
    each_lane(mask, [&](int i) { d->lane[i] = s->lane[i]; });
  }
}

// Moves into `code` for the lanes in `mask`; the other lanes of the split wait at `op` or go on.
const MicroOp* enter(Warp& w, const MicroOp* op, uint32_t mask, const Code& code,
                     bool others_call) {
  Frame* const caller = w.frame;
  if (caller->depth + 1 > kMaxDepth) {
    fail(w, op, Fault::kIllegalAddress, mask,
         "stack overflow: " + std::to_string(kMaxDepth) + " calls are open",
         "The recursion does not end, or is deeper than a GPU's stack could hold.");
  }
  const uint32_t local_base = caller->local_base + ((caller->code->local_bytes + 15) & ~15u);
  if (local_base + code.local_bytes > kMaxLocalBytes) {
    fail(w, op, Fault::kIllegalAddress, mask,
         "stack overflow: local variables of all open calls need more than 512 KiB a thread");
  }
  Frame* const f = w.worker->new_frame(code);
  f->parent = caller;
  f->return_to = op + 1;
  f->call = op;
  f->lanes = mask;
  f->depth = caller->depth + 1;
  f->local_base = local_base;
  f->serial = ++w.worker->frame_serial;
  w.reserve_local(local_base + code.local_bytes);
  fill_frame_specials(w, code, f->regs, local_base);

  const uint32_t* args = w.pool + op->extra + 1;
  for (uint32_t k = 0; k < args[0] && k < code.param_words.size(); ++k) {
    copy_rows(f->regs + code.param_words[k].offset, w.regs + args[1 + k],
              rows_within(*caller->code, args[1 + k], code.param_words[k].count), mask);
  }
  if (const uint32_t rest = w.active & ~mask; rest != 0) {
    w.parked.push_back({others_call ? op : op + 1, caller, rest, {}, false});
  }
  w.active = mask;
  w.frame = f;
  w.regs = f->regs;
  w.pool = code.pool.data();
  return w.stop(code.ops.data(), Event::kReschedule);
}

}  // namespace

const MicroOp* call(Warp& w, const MicroOp* op, uint32_t mask) {
  return enter(w, op, mask, *w.launch->kernel->codes[w.pool[op->extra]], false);
}

// Lanes with different targets call one after the other.
const MicroOp* call_indirect(Warp& w, const MicroOp* op, uint32_t mask) {
  const auto* target = reinterpret_cast<const uint64_t*>(w.regs + op->a);
  const uint64_t chosen = target[std::countr_zero(mask)];
  const uint64_t first = w.launch->memory->code_window() + kCodeStep;  // 0 is null
  const uint64_t index = (chosen - first) / kCodeStep;
  const auto& codes = w.launch->kernel->codes;
  if (chosen < first || index >= codes.size() || codes[index] == nullptr ||
      (chosen - first) % kCodeStep != 0) {
    fail(w, op, Fault::kIllegalAddress, mask, "call through a pointer that is no device function",
         "A __device__ function's address taken on the host, or an uninitialised pointer?");
  }
  uint32_t same = 0;
  each_lane(mask, [&](int i) { same |= uint32_t{target[i] == chosen} << i; });
  if (const uint32_t skipped = w.active & ~mask; skipped != 0) {
    w.parked.push_back({op + 1, w.frame, skipped, {}, false});
    w.active = mask;
  }
  return enter(w, op, same, *codes[index], true);
}

const MicroOp* ret(Warp& w, const MicroOp* op, uint32_t mask) {
  Frame* const f = w.frame;
  if (f->parent == nullptr) return exit_lanes(w, op, mask);
  Frame* const caller = f->parent;
  const uint32_t* args = caller->code->pool.data() + f->call->extra + 1;
  const uint32_t* results = args + 1 + args[0];
  for (uint32_t k = 0; k < results[0] && k < f->code->return_words.size(); ++k) {
    copy_rows(caller->regs + results[1 + k], f->regs + f->code->return_words[k].offset,
              rows_within(*caller->code, results[1 + k], f->code->return_words[k].count), mask);
  }
  if (const uint32_t rest = w.active & ~mask; rest != 0) {
    w.parked.push_back({op + 1, f, rest, {}, false});
  }
  const MicroOp* const back = f->return_to;
  f->lanes &= ~mask;
  if (f->lanes == 0) w.worker->free_frames[f->code].push_back(f);
  w.active = mask;
  w.frame = caller;
  w.regs = caller->regs;
  w.pool = caller->code->pool.data();
  return w.stop(back, Event::kReschedule);
}

}  // namespace tcd::emu
