// Messages for people: what happened, where in the source, who did it, what to look at next.
#include <algorithm>
#include <bit>
#include <map>

#include "machine/cta.h"
#include "machine/device_impl.h"
#include "machine/program.h"

namespace tcd::emu {
namespace {

std::string operand_text(const ptx::Function& f, const ptx::Operand& o) {
  using K = ptx::Operand::Kind;
  const auto reg = [&](int r) {
    return r >= 0 && static_cast<size_t>(r) < f.registers.size()
               ? f.registers[static_cast<size_t>(r)].name
               : std::string("?");
  };
  const auto offset = [&] {
    const auto v = static_cast<int64_t>(o.imm);
    return v == 0 ? "" : (v > 0 ? "+" : "") + std::to_string(v);
  };
  switch (o.kind) {
    case K::kRegister:
      return (o.negated ? "!" : "") + reg(o.reg);
    case K::kImmediate:
      return std::to_string(static_cast<int64_t>(o.imm));
    case K::kSymbol:
      return o.symbol + offset();
    case K::kAddress:
      if (o.reg >= 0) return "[" + reg(o.reg) + offset() + "]";
      return "[" + o.symbol + offset() + "]";
    case K::kLabel:
      return o.symbol.empty() ? "label" : o.symbol;
    case K::kSink:
      return "_";
    case K::kVector: {
      std::string text = o.pair ? "" : "{";
      for (size_t i = 0; i < o.elements.size(); ++i) {
        if (i != 0) text += o.pair ? "|" : ", ";
        text += operand_text(f, o.elements[i]);
      }
      return text + (o.pair ? "" : "}");
    }
  }
  return "?";
}

std::string line_of(const ptx::Module& module, int file, int line) {
  if (file <= 0 || static_cast<size_t>(file) >= module.files.size()) return {};
  return module.files[static_cast<size_t>(file)] + ":" + std::to_string(line);
}

std::string thread_text(const Warp& w, int lane) {
  const Dim3& block = w.launch->block;
  const uint32_t t = linear_thread(w, lane);
  return "(" + std::to_string(t % block.x) + "," + std::to_string(t / block.x % block.y) + "," +
         std::to_string(t / block.x / block.y) + ")";
}

std::string cta_text(const Cta& cta) {
  return "(" + std::to_string(cta.x) + "," + std::to_string(cta.y) + "," + std::to_string(cta.z) +
         ")";
}

const ptx::Instruction* instruction_at(const Code& code, const MicroOp* op) {
  const auto& body = code.function->body;
  return op->source < body.size() ? &body[op->source] : nullptr;
}

// "kernel.cu:42, `bar.sync 0;`" for one line of a list.
std::string short_place(const Code& code, const MicroOp* op) {
  const ptx::Instruction* in = instruction_at(code, op);
  if (in == nullptr) return "the end of " + demangle(code.name);
  const std::string place = place_of(*code.module, in->location);
  return (place.empty() ? "PTX line " + std::to_string(in->ptx_line) : place) + ", `" +
         text_of(*code.function, *in) + "`";
}

std::string lanes_text(uint32_t lanes) {
  if (lanes == kAllLanes) return "all lanes";
  std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
  bool first = true;
  for (int i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    int last = i;
    while (last + 1 < kLanes && (lanes >> (last + 1) & 1) != 0) ++last;
    text += (first ? "" : ",") + std::to_string(i);
    if (last > i) text += "-" + std::to_string(last);
    first = false;
    i = last;
  }
  return text;
}

// Who stands where, warps that stand alike in one line.
std::string standings(const Cta& cta) {
  std::map<std::string, std::string> groups;
  std::vector<std::string> order;
  for (const auto& w : cta.warps) {
    const auto add = [&](const Split& s) {
      std::string what;
      switch (s.wait.kind) {
        case WaitKind::kBarrier:
        case WaitKind::kBarrierArriving:
          what = "waits at barrier " + std::to_string(s.wait.barrier) + " before ";
          break;
        case WaitKind::kMembers:
          what = "waits for " + lanes_text(s.wait.lanes & w->live & ~s.lanes) + " at ";
          break;
        default:
          what = "is at ";
          break;
      }
      // A barrier's split stands behind its instruction.
      const bool at_barrier =
          s.wait.kind == WaitKind::kBarrier || s.wait.kind == WaitKind::kBarrierArriving;
      if (at_barrier) what = "waits at barrier " + std::to_string(s.wait.barrier) + ": ";
      what += short_place(*s.frame->code, at_barrier ? s.op - 1 : s.op);
      std::string& who = groups[what];
      if (who.empty()) order.push_back(what);
      who += (who.empty() ? "warp " : ", ") + std::to_string(w->id);
      if (s.lanes != w->live) who += " (" + lanes_text(s.lanes) + ")";
    };
    if (w->active != 0) add({w->next, w->frame, w->active, {}, false});
    for (const Split& s : w->parked) add(s);
    if (w->live == 0) {
      std::string& who = groups["has ended"];
      if (who.empty()) order.push_back("has ended");
      who += (who.empty() ? "warp " : ", ") + std::to_string(w->id);
    }
  }
  std::string text;
  for (const auto& what : order) text += "\n  " + groups[what] + " " + what;
  return text;
}

}  // namespace

std::string text_of(const ptx::Function& function, const ptx::Instruction& in) {
  std::string text = in.opcode;
  for (const auto& m : in.modifiers) text += "." + m;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    text += (i == 0 ? " " : ", ") + operand_text(function, in.operands[i]);
  }
  return text + ";";
}

std::string place_of(const ptx::Module& module, const ptx::SourceLocation& at) {
  const std::string inner = line_of(module, at.file, at.line);
  if (at.inlined_at.empty() || inner.empty()) return inner;
  const auto& outer = at.inlined_at.back();
  return line_of(module, outer.file, outer.line) + " (inlined from " + inner + ")";
}

void fail(Warp& w, const MicroOp* op, Fault fault, uint32_t mask, const std::string& what,
          const std::string& hint) {
  const Code& code = *w.frame->code;
  const int lane = std::countr_zero(mask != 0 ? mask : w.active | 1u << 31);
  std::string text = what + "\n  kernel  " + demangle(w.launch->info->name);
  if (w.frame->parent != nullptr) text += ", in " + demangle(code.name);
  if (const ptx::Instruction* in = instruction_at(code, op); in != nullptr) {
    const std::string place = place_of(*code.module, in->location);
    text += "\n  source  " + (place.empty() ? "unknown (compile with -lineinfo)" : place);
    text +=
        "\n  PTX     line " + std::to_string(in->ptx_line) + ": " + text_of(*code.function, *in);
  }
  text += "\n  thread  " + thread_text(w, lane) + " of CTA " + cta_text(*w.cta) + ": warp " +
          std::to_string(w.id) + ", lane " + std::to_string(lane);
  const int others = std::popcount(mask) - 1;
  if (others > 0) text += "; " + std::to_string(others) + " more of this warp fail alike";
  if (!hint.empty()) text += "\n  next    " + hint;
  throw LaunchFault{fault, text};
}

void Cta::deadlock() {
  const bool in_warp = std::any_of(warps.begin(), warps.end(), [](const auto& w) {
    return std::any_of(w->parked.begin(), w->parked.end(),
                       [](const Split& s) { return s.wait.kind == WaitKind::kMembers; });
  });
  throw LaunchFault{
      Fault::kDeadlock,
      "deadlock: no warp of the CTA can go on, and none will be woken\n  kernel  " +
          demangle(launch->info->name) + "\n  CTA     " + cta_text(*this) + standings(*this) +
          (in_warp
               ? "\n  next    The lanes that a member mask names must all come to such an "
                 "instruction, with the same qualifiers and the same member mask. Name just the "
                 "lanes that do, or move it out of the condition."
               : "\n  next    Every thread that has not exited must reach the barrier: look for "
                 "a __syncthreads() inside a condition or a loop that not all threads take.")};
}

void timeout(Cta& cta) {
  const uint64_t all = cta.launch->cta_count;
  const uint64_t started = std::min(cta.launch->next_cta.load(), all);
  throw LaunchFault{Fault::kTimeout,
                    "timeout: the kernel ran longer than allowed and was stopped\n  kernel  " +
                        demangle(cta.launch->info->name) + "\n  grid    " +
                        std::to_string(started) + " of " + std::to_string(all) +
                        " CTAs had started\n  CTA     " + cta_text(cta) + standings(cta) +
                        "\n  next    A loop that does not end, or a wait for another CTA that "
                        "never signals, or for the "
                        "host, which here goes on when the kernel has ended? If the work is just "
                        "large, allow more: "
                        "TCD_TIMEOUT, in seconds."};
}

}  // namespace tcd::emu
