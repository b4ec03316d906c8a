#include "checks/written_pointers.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tcd::emu {
namespace {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

// "u8", "f32", "b64": its bytes; 0 for what is no type.
uint32_t type_bytes(std::string_view text) {
  const size_t letters = text.starts_with("bf") ? 2 : 1;
  if (text.size() <= letters || !is_one_of(text.substr(0, letters), {"u", "s", "b", "f", "bf"})) {
    return 0;
  }
  uint32_t bits = 0;
  for (char c : text.substr(letters)) {
    if (c < '0' || c > '9') return 0;
    bits = bits * 10 + static_cast<uint32_t>(c - '0');
  }
  return bits <= 128 ? bits / 8 : 0;
}

uint32_t element_bytes(const ptx::Instruction& in) {
  uint32_t bytes = 1;
  for (const std::string& m : in.modifiers) {
    if (const uint32_t type = type_bytes(m); type != 0) bytes = type;
  }
  return bytes;
}

uint32_t lane_bytes(const ptx::Instruction& in) {
  uint32_t count = 1;
  for (const std::string& m : in.modifiers) {
    if (m == "v2" || m == "v4" || m == "v8") count = static_cast<uint32_t>(m[1] - '0');
  }
  return element_bytes(in) * count;
}

// A plain access to global memory, or to what may be global memory; strong ones order, and are not
// looked at.
bool is_plain(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    if (m.starts_with("shared") || m.starts_with("param") || m == "local") return false;
    if (is_one_of(m, {"const", "volatile", "relaxed", "acquire", "release", "mmio"})) return false;
  }
  return true;
}

bool stores(const ptx::Instruction& in) {
  if (in.opcode == "wmma") return has(in, "store") && !has(in, "shared");
  return in.opcode == "st" && is_plain(in);
}

bool loads(const ptx::Instruction& in) {
  return (in.opcode == "ld" || in.opcode == "ldu") && is_plain(in) && in.operands.size() > 1;
}

bool is_atomic(const ptx::Instruction& in) {
  if (in.opcode != "atom" && in.opcode != "red") return false;
  return std::none_of(in.modifiers.begin(), in.modifiers.end(),
                      [](const std::string& m) { return m.starts_with("shared"); });
}

uint32_t stored_bytes(const ptx::Instruction& in) {
  if (in.opcode == "wmma") return has(in, "f16") ? 2 : 4;  // a half at a time, at worst
  return lane_bytes(in);
}

bool orders(const ptx::Instruction& in) {
  const bool fence = in.opcode == "membar" || in.opcode == "fence";
  return fence ? !has(in, "cta") : has(in, "release") || has(in, "acq_rel");
}

// Instructions whose first operand is no result.
bool has_result(const ptx::Instruction& in) {
  if (in.opcode == "wmma") return !has(in, "store");
  return !is_one_of(
      in.opcode,
      {"st",        "red",       "bra",      "brx",     "bar",           "barrier", "membar",
       "fence",     "exit",      "ret",      "trap",    "brkpt",         "cp",      "prefetch",
       "prefetchu", "nanosleep", "stmatrix", "discard", "applypriority", "pmevent", "call"});
}

// Functions that the kernel may call; all of the module when it calls through a pointer.
std::vector<const ptx::Function*> callees(const ptx::Module& module, const ptx::Function& kernel) {
  std::unordered_map<std::string_view, const ptx::Function*> by_name;
  for (const auto& f : module.functions) by_name[f.name] = &f;
  std::vector<const ptx::Function*> found;
  std::unordered_set<const ptx::Function*> seen = {&kernel};
  std::vector<const ptx::Function*> waiting = {&kernel};
  const auto add = [&](const ptx::Function& f) {
    if (f.is_entry || f.is_declaration || !seen.insert(&f).second) return;
    found.push_back(&f);
    waiting.push_back(&f);
  };
  while (!waiting.empty()) {
    const ptx::Function& f = *waiting.back();
    waiting.pop_back();
    for (const auto& in : f.body) {
      if (in.opcode != "call") continue;
      bool named = false;
      for (const Operand& o : in.operands) {
        const auto it = by_name.find(o.symbol);
        if (o.kind != Kind::kSymbol || it == by_name.end()) continue;
        named = true;
        add(*it->second);
      }
      if (named) continue;
      for (const auto& any : module.functions) add(any);
    }
  }
  return found;
}

// Where the value of each register may come from, as bits: sources in order of appearance.
class Origins {
 public:
  Origins(const ptx::Module& module, const ptx::Function& kernel, const KernelInfo& info)
      : kernel_(kernel), origins_(kernel.registers.size()) {
    for (size_t i = 0; i < kernel.params.size() && i < info.params.size(); ++i) {
      params_[kernel.params[i].name] = info.params[i].offset;
    }
    for (const auto& v : module.variables) {
      (v.space == ptx::Space::kGlobal ? variables_ : windows_).insert(v.name);
    }
    for (const auto& v : kernel.variables) windows_.insert(v.name);
    for (bool changed = true; changed;) {  // loops carry values back: until nothing is new
      changed = false;
      for (const auto& in : kernel.body) changed |= step(in);
    }
  }

  static constexpr uint64_t kUnknown = uint64_t{1} << 63;
  static constexpr uint64_t kWindow = uint64_t{1} << 62;  // a variable that no other CTA sees
  uint64_t of(const Operand& o) const {
    uint64_t all = o.reg >= 0 ? origins_[static_cast<size_t>(o.reg)] : 0;
    if (!o.symbol.empty() && variables_.contains(o.symbol)) all |= bit_of(o.symbol, 0);
    if (!o.symbol.empty() && windows_.contains(o.symbol)) all |= kWindow;
    for (const Operand& e : o.elements) all |= of(e);
    return all;
  }

  void describe(uint64_t bits, WrittenPointers& out) const {
    out.unknown = (bits & kUnknown) != 0;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if ((bits >> i & 1) == 0) continue;
      if (sources_[i].symbol.empty()) {
        out.params.push_back(sources_[i].offset);
      } else {
        out.symbols.push_back(sources_[i].symbol);
      }
    }
  }

 private:
  struct Source {
    std::string symbol;  // empty: a parameter
    uint32_t offset;
  };

  uint64_t bit_of(const std::string& symbol, uint32_t offset) const {
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i].symbol == symbol && sources_[i].offset == offset) return uint64_t{1} << i;
    }
    if (sources_.size() == 62) return kUnknown;
    sources_.push_back({symbol, offset});
    return uint64_t{1} << (sources_.size() - 1);
  }

  // What a load brings: a pointer only if it has the width of one.
  bool load(const ptx::Instruction& in) {
    const Operand& to = in.operands[0];
    const Operand& from = in.operands[1];
    if (element_bytes(in) < 8) return false;
    const auto param = params_.find(from.symbol);
    if (!has(in, "param") || param == params_.end() || from.reg >= 0) return put(to, kUnknown);
    const auto first = param->second + static_cast<uint32_t>(from.imm);
    if (to.elements.empty()) return put(to, bit_of({}, first));
    bool changed = false;
    for (size_t k = 0; k < to.elements.size(); ++k) {
      changed |= put(to.elements[k], bit_of({}, first + 8 * static_cast<uint32_t>(k)));
    }
    return changed;
  }

  bool step(const ptx::Instruction& in) {
    if (in.operands.empty()) return false;
    if (in.opcode == "call") {
      return in.operands[0].kind == Kind::kVector && put(in.operands[0], kUnknown);
    }
    if (!has_result(in) || in.operands.size() < 2) return false;
    if (in.opcode == "ld" || in.opcode == "ldu") return load(in);
    if (in.opcode == "atom") return element_bytes(in) >= 8 && put(in.operands[0], kUnknown);
    uint64_t all = 0;
    for (size_t i = 1; i < in.operands.size(); ++i) all |= of(in.operands[i]);
    return all != 0 && put(in.operands[0], all);
  }

  bool put(const Operand& to, uint64_t bits) {
    bool changed = false;
    if (to.reg >= 0 && kernel_.registers[static_cast<size_t>(to.reg)].type != ptx::Type::kPred) {
      uint64_t& at = origins_[static_cast<size_t>(to.reg)];
      changed = (bits & ~at) != 0;
      at |= bits;
    }
    for (const Operand& e : to.elements) changed |= put(e, bits);
    return changed;
  }

  const ptx::Function& kernel_;
  std::vector<uint64_t> origins_;
  std::unordered_map<std::string, uint32_t> params_;
  std::unordered_set<std::string> variables_, windows_;
  mutable std::vector<Source> sources_;
};

// The first instruction that may run after this one, in the order of the text: loops lead back.
size_t earliest_after(const ptx::Function& f, size_t at) {
  size_t first = at + 1;
  for (bool changed = true; changed;) {
    changed = false;
    const auto lead_to = [&](int target) {
      if (target < 0 || static_cast<size_t>(target) >= first) return;
      first = static_cast<size_t>(target);
      changed = true;
    };
    for (size_t i = first; i < f.body.size(); ++i) {
      for (const Operand& o : f.body[i].operands) {
        if (o.kind == Kind::kLabel) lead_to(o.target);
      }
      if (f.body[i].opcode != "brx") continue;
      for (const auto& table : f.branch_tables) std::for_each(table.begin(), table.end(), lead_to);
    }
  }
  return first;
}

// Which plain accesses meet atomics, and which of these belong to the atomic. Returns the pointers
// of atomics through which the others go.
uint64_t meet_atomics(const ptx::Function& kernel, const Origins& origins, WrittenPointers& out) {
  struct Place {
    size_t at, earliest_after;
    uint64_t origins;
  };
  std::vector<Place> atomics, plain;
  for (size_t i = 0; i < kernel.body.size(); ++i) {
    const ptx::Instruction& in = kernel.body[i];
    const bool loaded = loads(in);
    if (in.operands.empty() || (!is_atomic(in) && !loaded && !stores(in))) continue;
    const Operand& address = in.operands[loaded || in.opcode == "atom" ? 1 : 0];
    const uint64_t from = origins.of(address);
    (is_atomic(in) ? atomics : plain)
        .push_back({i, 0, from == 0 ? Origins::kUnknown : from & ~Origins::kWindow});
  }
  out.goes_with_atomics.resize(kernel.body.size());
  uint64_t watched = 0;
  for (Place& a : atomics) a.earliest_after = earliest_after(kernel, a.at);
  for (Place& p : plain) {
    const bool loaded = loads(kernel.body[p.at]);
    if (loaded && !atomics.empty()) p.earliest_after = earliest_after(kernel, p.at);
    uint64_t same = 0;
    bool goes_with = false;
    for (const Place& a : atomics) {
      const bool may_be_same = ((a.origins | p.origins) & Origins::kUnknown) != 0;
      const uint64_t both = a.origins & p.origins;
      if (both == 0 && !may_be_same) continue;
      same |= both & ~Origins::kUnknown;
      goes_with |= loaded ? a.at >= p.earliest_after : p.at >= a.earliest_after;
    }
    out.goes_with_atomics[p.at] = goes_with;
    if (!goes_with) watched |= same;
  }
  if (watched == 0) return 0;
  out.atomics = true;
  for (const Place& a : atomics) {
    const uint32_t bytes = lane_bytes(kernel.body[a.at]);
    out.smallest = out.smallest == 0 ? bytes : std::min(out.smallest, bytes);
  }
  return watched;
}

}  // namespace

WrittenPointers written_pointers(const ptx::Module& module, const ptx::Function& kernel,
                                 const KernelInfo& info) {
  WrittenPointers result;
  const auto smaller = [&](uint32_t bytes) {
    result.smallest = result.smallest == 0 ? bytes : std::min(result.smallest, bytes);
  };
  bool calls_a_store = false;
  for (const ptx::Function* f : callees(module, kernel)) {
    for (const auto& in : f->body) {
      result.orders |= orders(in);
      if (!stores(in)) continue;
      calls_a_store = true;
      smaller(stored_bytes(in));
    }
  }
  const Origins origins(module, kernel, info);
  uint64_t written = 0;
  for (const auto& in : kernel.body) {
    result.orders |= orders(in);
    if (!stores(in) || in.operands.empty()) continue;
    const uint64_t to = origins.of(in.operands[0]);
    if (to == Origins::kWindow) continue;  // a shared or local variable by its generic address
    written |= to == 0 ? Origins::kUnknown : to;
    smaller(stored_bytes(in));
  }
  written |= meet_atomics(kernel, origins, result);
  origins.describe(written, result);
  result.unknown |= calls_a_store;
  return result;
}

}  // namespace tcd::emu
