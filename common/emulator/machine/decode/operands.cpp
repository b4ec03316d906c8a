// Where the operands of a function live in its frame.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/decode/decoder.h"
#include "tensor/row.h"

namespace tcd::emu {
namespace {

using Kind = ptx::Operand::Kind;

struct SpecialName {
  const char* name;
  Special which;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%ntid.x", Special::kNtidX},
    {"%ntid.y", Special::kNtidY},
    {"%ntid.z", Special::kNtidZ},
    {"%ctaid.x", Special::kCtaidX},
    {"%ctaid.y", Special::kCtaidY},
    {"%ctaid.z", Special::kCtaidZ},
    {"%nctaid.x", Special::kNctaidX},
    {"%nctaid.y", Special::kNctaidY},
    {"%nctaid.z", Special::kNctaidZ},
    {"%laneid", Special::kLaneId},
    {"%warpid", Special::kWarpId},
    {"%nwarpid", Special::kNwarpId},
    {"%smid", Special::kSmId},
    {"%nsmid", Special::kNsmId},
    {"%gridid", Special::kGridId},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%dynamic_smem_size", Special::kDynamicSmem},
    {"%total_smem_size", Special::kTotalSmem},
    {"%envreg1", Special::kGridWorkspaceHigh},
    {"%envreg2", Special::kGridWorkspaceLow},
    // A grid without clusters is a grid of clusters of one CTA.
    {"%clusterid.x", Special::kCtaidX},
    {"%clusterid.y", Special::kCtaidY},
    {"%clusterid.z", Special::kCtaidZ},
    {"%nclusterid.x", Special::kNctaidX},
    {"%nclusterid.y", Special::kNctaidY},
    {"%nclusterid.z", Special::kNctaidZ},
    {"%cluster_ctarank", Special::kZero},
    {"%cluster_nctarank", Special::kOne},
    {"%cluster_ctaid.x", Special::kZero},
    {"%cluster_ctaid.y", Special::kZero},
    {"%cluster_ctaid.z", Special::kZero},
    {"%cluster_nctaid.x", Special::kOne},
    {"%cluster_nctaid.y", Special::kOne},
    {"%cluster_nctaid.z", Special::kOne},
};

unsigned row_bytes_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::kPred:
      return 0;
    case ptx::Type::kB64:
      return 8;
    case ptx::Type::kB128:
      return 16;
    default:
      return 4;
  }
}

uint32_t words_for(uint64_t bytes) { return static_cast<uint32_t>((bytes + 3) / 4); }

}  // namespace

// Each warp has a frame, so a hostile one would multiply: 16 MiB are 65,536 registers of 64 bits.
constexpr uint64_t kMostFrameBytes = uint64_t{16} << 20;

uint32_t Decoder::allocate(uint64_t bytes, uint32_t align) {
  if (frame_top_ + bytes > kMostFrameBytes) {
    throw DecodeError{Fault::kUnsupported,
                      "unsupported kernel: its registers and constants take more than " +
                          std::to_string(kMostFrameBytes >> 20) + " MiB a warp\n  kernel  " +
                          kernel_.info.name.substr(0, 200) +
                          "\n  next    Split it; PTX registers count, also those never used."};
  }
  frame_top_ = (frame_top_ + align - 1) & ~(align - 1);
  const uint32_t at = frame_top_;
  frame_top_ += static_cast<uint32_t>(bytes);
  return at;
}

// The rows of each mma operand side by side, so that it needs no copy. The compiler numbers A and B
// in sequence but accumulators often backwards.
void Decoder::lay_out_fragments() {
  for (const ptx::Instruction& instruction : function_.body) {
    if (instruction.opcode != "mma") continue;
    for (const ptx::Operand& operand : instruction.operands) {
      const bool is_free =
          std::all_of(operand.elements.begin(), operand.elements.end(), [&](const ptx::Operand& e) {
            return e.kind == ptx::Operand::Kind::kRegister &&
                   registers_[static_cast<size_t>(e.reg)] == 0 &&
                   row_bytes_of(function_.registers[static_cast<size_t>(e.reg)].type) == 4;
          });
      if (!is_free) continue;
      for (const ptx::Operand& e : operand.elements) {
        registers_[static_cast<size_t>(e.reg)] = allocate(sizeof(Row), 128);
      }
    }
  }
}

// Predicates first, then fragments, then the other rows in the order of declaration.
void Decoder::lay_out_registers() {
  frame_top_ = kFirstPredicateOffset;
  registers_.resize(function_.registers.size());
  for (size_t i = 0; i < registers_.size(); ++i) {
    if (function_.registers[i].type == ptx::Type::kPred) registers_[i] = allocate(4, 4);
  }
  scratch_predicate_ = allocate(8, 4);
  lay_out_fragments();
  for (size_t i = 0; i < registers_.size(); ++i) {
    if (registers_[i] != 0) continue;
    const unsigned bytes = row_bytes_of(function_.registers[i].type);
    if (bytes != 0) registers_[i] = allocate(bytes * kLanes, 128);
  }
  scratch_row_ = allocate(16 * kLanes, 128);
}

void Decoder::lay_out_parameters() {
  const auto add_words = [&](const ptx::Variable& v) {
    Code::Words words;
    words.count = std::max(words_for(v.size), 1u);
    words.offset = allocate(uint64_t{words.count} * sizeof(Row), 128);
    words_[v.name] = words;
    return words;
  };
  if (function_.is_entry) {
    uint32_t offset = 0;
    for (const auto& p : function_.params) {
      offset = (offset + p.align - 1) & ~(p.align - 1);
      entry_params_[p.name] = offset;
      offset += static_cast<uint32_t>(p.size);
    }
  } else {
    for (const auto& p : function_.params) out_.param_words.push_back(add_words(p));
    for (const auto& r : function_.returns) out_.return_words.push_back(add_words(r));
  }
  uint32_t local = 0;
  for (const auto& v : function_.variables) {
    if (v.space == ptx::Space::kLocal) {
      local = (local + v.align - 1) & ~(v.align - 1);
      locals_[v.name] = local;
      local += static_cast<uint32_t>(v.size);
    } else if (v.space == ptx::Space::kParam) {
      add_words(v);
    }
  }
  out_.local_bytes = (local + 15) & ~15u;
}

const ptx::Operand& Decoder::operand(size_t i) const {
  if (i >= in_->operands.size()) {
    unsupported("it has " + std::to_string(in_->operands.size()) + " operands, too few");
  }
  return in_->operands[i];
}

unsigned Decoder::row_bytes(const ptx::Operand& o) const {
  if (o.kind != Kind::kRegister || o.reg < 0) return 0;
  return row_bytes_of(function_.registers[static_cast<size_t>(o.reg)].type);
}

bool Decoder::is_half_register(const ptx::Operand& o) const {
  if (o.kind != Kind::kRegister || o.reg < 0) return false;
  const ptx::Type t = function_.registers[static_cast<size_t>(o.reg)].type;
  return t == ptx::Type::kB16 || t == ptx::Type::kB8;
}

uint32_t Decoder::constant(uint64_t value, unsigned bytes) {
  if (bytes == 4) value = static_cast<uint32_t>(value);
  const auto [it, fresh] = constants_.try_emplace({value, bytes}, 0);
  if (fresh) {
    it->second = allocate(bytes * kLanes, 128);
    out_.constants.push_back({it->second, bytes, value});
  }
  return it->second;
}

uint32_t Decoder::special(Special which, unsigned bytes, uint64_t addend) {
  const auto [it, fresh] = specials_.try_emplace({which, bytes, addend}, 0);
  if (fresh) {
    it->second = allocate(bytes * kLanes, 128);
    out_.specials.push_back({it->second, bytes, which, addend});
  }
  return it->second;
}

uint32_t Decoder::param_row(uint32_t offset, uint32_t bytes, unsigned row, bool is_signed,
                            bool half) {
  const auto [it, fresh] = param_rows_.try_emplace({offset, bytes, row, is_signed, half}, 0);
  if (fresh) {
    it->second = allocate(row * kLanes, 128);
    out_.params.push_back({it->second, offset, bytes, row, is_signed, half});
  }
  return it->second;
}

uint32_t Decoder::scratch(unsigned) { return scratch_row_; }

// Special registers, and addresses of variables and functions.
uint32_t Decoder::symbol_row(const ptx::Operand& o, unsigned bytes) {
  if (!o.symbol.empty() && o.symbol[0] == '%') {
    for (const auto& s : kSpecials) {
      if (o.symbol == s.name) return special(s.which, bytes);
    }
    if (o.symbol.starts_with("%envreg")) return zero(bytes);
    unsupported("special register " + o.symbol);
  }
  if (o.symbol == "WARP_SZ") return constant(32 + o.imm, bytes);
  if (const auto it = locals_.find(o.symbol); it != locals_.end()) {
    return special(Special::kLocalBase, bytes, it->second + o.imm);
  }
  if (const auto it = kernel_.shared_offsets.find(o.symbol); it != kernel_.shared_offsets.end()) {
    return constant(it->second + o.imm, bytes);
  }
  if (const auto it = entry_params_.find(o.symbol); it != entry_params_.end()) {
    return constant(it->second + o.imm, bytes);
  }
  if (const Program::Symbol* s = program_.symbol(o.symbol); s != nullptr) {
    return constant(s->address + o.imm, bytes);
  }
  if (const int index = program_.function_index(o.symbol); index >= 0) {
    return constant(program_.function_address(index), bytes);
  }
  unsupported("'" + o.symbol + "' is not declared");
}

uint32_t Decoder::source(const ptx::Operand& o, const TypeName& type) {
  const unsigned bytes = type.packed ? 4 : type.row_bytes();
  switch (o.kind) {
    case Kind::kRegister: {
      const unsigned have = row_bytes(o);
      if (have != bytes || !o.symbol.empty()) {
        unsupported("register " + function_.registers[static_cast<size_t>(o.reg)].name +
                    " does not fit the instruction's type");
      }
      return registers_[static_cast<size_t>(o.reg)];
    }
    case Kind::kImmediate: {
      uint64_t v = o.imm;
      if (o.literal == ptx::Operand::Literal::kF64Bits && type.bits == 32) {
        v = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(v)));
      } else if (o.literal == ptx::Operand::Literal::kF32Bits && type.bits == 64) {
        v = std::bit_cast<uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(v))));
      }
      if (type.bits == 16 && !type.packed) v &= 0xffff;
      return constant(v, bytes);
    }
    case Kind::kSymbol:
      return symbol_row(o, bytes);
    case Kind::kSink:
      return scratch_row_;
    default:
      unsupported("an operand of this kind is not expected here");
  }
}

uint32_t Decoder::source_row(const ptx::Operand& o, unsigned bytes) {
  TypeName type;
  type.bits = bytes * 8;
  return source(o, type);
}

uint32_t Decoder::destination(const ptx::Operand& o, unsigned bytes) {
  if (o.kind == Kind::kSink) return scratch_row_;
  if (o.kind != Kind::kRegister || row_bytes(o) != bytes) {
    unsupported("the destination does not fit the instruction's type");
  }
  return registers_[static_cast<size_t>(o.reg)];
}

uint32_t Decoder::predicate_source(const ptx::Operand& o, bool* negated) {
  if (negated != nullptr) *negated = o.negated;
  if (o.negated && negated == nullptr) unsupported("a negated predicate is not expected here");
  if (o.kind == Kind::kImmediate) return o.imm != 0 ? kTrueOffset : kFalseOffset;
  if (o.kind != Kind::kRegister || row_bytes(o) != 0) unsupported("a predicate is expected");
  return registers_[static_cast<size_t>(o.reg)];
}

uint32_t Decoder::predicate_destination(const ptx::Operand& o) {
  if (o.kind == Kind::kSink) return 0;
  return predicate_source(o, nullptr);
}

const Code::Words* Decoder::words_of(const std::string& name) const {
  const auto it = words_.find(name);
  return it == words_.end() ? nullptr : &it->second;
}

const ptx::Variable* Decoder::entry_param(const std::string& name, uint32_t* offset) const {
  const auto it = entry_params_.find(name);
  if (it == entry_params_.end()) return nullptr;
  *offset = it->second;
  for (const auto& p : function_.params) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

Decoder::Address Decoder::address(const ptx::Operand& o, ptx::Space space) {
  if (o.kind != Kind::kAddress) unsupported("an address in brackets is expected");
  if (!o.elements.empty()) unsupported("coordinates are not supported");
  Address a;
  a.offset = static_cast<int64_t>(o.imm);
  if (o.reg >= 0) {
    const ptx::Type t = function_.registers[static_cast<size_t>(o.reg)].type;
    if (t != ptx::Type::kB32 && t != ptx::Type::kB64)
      unsupported("an address register has 32 or 64 bits");
    a.row = registers_[static_cast<size_t>(o.reg)];
    a.is_wide = t == ptx::Type::kB64;
    a.is_register = true;
    return a;
  }
  a.is_wide = space != ptx::Space::kShared;
  if (o.symbol.empty()) {
    a.row = zero(a.is_wide ? 8 : 4);
    return a;
  }
  a.symbol = o.symbol;
  if (space == ptx::Space::kParam) return a;
  ptx::Operand symbol = o;
  symbol.kind = Kind::kSymbol;
  symbol.imm = 0;
  a.row = symbol_row(symbol, a.is_wide ? 8 : 4);
  return a;
}

}  // namespace tcd::emu
