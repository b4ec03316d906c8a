// ptx::Function → Code. One decoder object per function; decode/*.cpp have one function per opcode,
// reached through the table in ptx/opcodes.def.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/code.h"
#include "machine/decode/modifiers.h"
#include "machine/micro_list.h"
#include "machine/program.h"

namespace tcd::emu {

class Decoder {
 public:
  Decoder(Kernel& kernel, int function_index, Code& out);
  void run();  // throws DecodeError

  // --- The instruction being decoded ---
  const ptx::Instruction& in() const { return *in_; }
  const ptx::Operand& operand(size_t i) const;  // DecodeError when there are fewer
  size_t operands() const { return in_->operands.size(); }
  Modifiers& mods() { return *mods_; }
  [[noreturn]] void unsupported(const std::string& why = {}) const;
  void need_compute(int sm, const std::string& what) const;  // kIllegalInstruction below it

  // --- Operands: offsets of rows. `bytes`: 4 or 8, the width of the row ---
  uint32_t source(const ptx::Operand& o, const TypeName& type);
  uint32_t source_b32(const ptx::Operand& o) { return source(o, {}); }
  uint32_t source_row(const ptx::Operand& o, unsigned bytes);  // registers of exactly this width
  uint32_t destination(const ptx::Operand& o, unsigned bytes);
  uint32_t predicate_source(const ptx::Operand& o, bool* negated);
  uint32_t predicate_destination(const ptx::Operand& o);  // 0 for a sink
  uint32_t constant(uint64_t value, unsigned bytes);
  uint32_t zero(unsigned bytes) { return constant(0, bytes); }
  uint32_t special(Special which, unsigned bytes, uint64_t addend = 0);
  uint32_t temporary_predicate() const { return scratch_predicate_; }
  uint32_t second_temporary_predicate() const { return scratch_predicate_ + 4; }
  uint32_t scratch(unsigned bytes);
  unsigned row_bytes(const ptx::Operand& o) const;  // 4 or 8 (or 16) of a register, 0: none
  bool is_half_register(const ptx::Operand& o) const;
  bool is_register(const ptx::Operand& o) const { return o.kind == ptx::Operand::Kind::kRegister; }

  // [reg + imm], [symbol + imm], [imm]: the row that holds the address, and the offset.
  struct Address {
    uint32_t row = 0;
    int64_t offset = 0;
    bool is_wide = true;
    std::string symbol;  // set when it is a parameter of this function or of a call
    bool is_register = false;
  };
  Address address(const ptx::Operand& o, ptx::Space space);
  // Where a .param variable of a device function, or of a call, has its rows; nullptr: none.
  const Code::Words* words_of(const std::string& name) const;
  const ptx::Variable* entry_param(const std::string& name, uint32_t* offset) const;
  // Row with `bytes` of the kernel's parameters at `offset`, extended to the register's width.
  uint32_t param_row(uint32_t offset, uint32_t bytes, unsigned row, bool is_signed, bool half);

  // --- Output ---
  MicroOp& emit(Micro micro);
  MicroOp& emit(Micro micro, uint32_t d, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  uint32_t pool(const std::vector<uint32_t>& values);  // index of the first
  uint32_t access_slot();
  void need_function(int index);  // it will be decoded too
  Kernel& kernel() { return kernel_; }
  const ptx::Function& function() const { return function_; }
  Code& code() { return out_; }
  int branch_target() const { return step_target_; }  // step or table number of this instruction

 private:
  void lay_out_registers();
  void lay_out_fragments();
  void lay_out_parameters();
  void decode_instruction(int index, int target);
  uint32_t symbol_row(const ptx::Operand& o, unsigned bytes);
  uint32_t allocate(uint64_t bytes, uint32_t align);  // DecodeError when too much

  Kernel& kernel_;
  Program::Impl& program_;
  const ptx::Function& function_;
  Code& out_;
  const HandlerPair* table_;
  const ptx::Instruction* in_ = nullptr;
  Modifiers* mods_ = nullptr;
  int step_target_ = -1;
  uint32_t source_ = 0;
  uint32_t guard_ = kTrueOffset, guard_flip_ = 0;
  uint32_t frame_top_ = 0;
  uint32_t scratch_row_ = 0, scratch_predicate_ = 0;
  std::vector<uint32_t> registers_;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants_;
  std::map<std::tuple<Special, unsigned, uint64_t>, uint32_t> specials_;
  std::map<std::tuple<uint32_t, uint32_t, unsigned, bool, bool>, uint32_t> param_rows_;
  std::unordered_map<std::string, Code::Words> words_;
  std::unordered_map<std::string, uint32_t> entry_params_;
  std::unordered_map<std::string, uint32_t> locals_;
  std::unordered_map<std::string, uint32_t> shared_;
};

using DecodeFunction = void (*)(Decoder&);
struct Opcode {
  const char* name;
  DecodeFunction decode;
  int since_sm;         // first compute capability that has it
  const char* section;  // of the PTX ISA
  const char* covers;   // for people: which forms
};
const Opcode* find_opcode(std::string_view name);
std::span<const Opcode> all_opcodes();  // ptx/opcodes.def

// ptx/unsupported.def: families of instructions the machine lacks, and what it says of them.
struct UnsupportedFamily {
  const char* name;  // opcode, and the modifiers that tell the family: "cp.async.bulk"
  const char* section;
  const char* why;
  const char* example;
};
std::span<const UnsupportedFamily> unsupported_families();
const UnsupportedFamily* find_unsupported(const ptx::Instruction& instruction);  // nullptr: none

}  // namespace tcd::emu
