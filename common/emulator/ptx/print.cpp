#include "ptx/print.h"

#include <cstdio>

namespace tcd::emu::ptx {
namespace {

class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  std::string print(const Instruction& instruction) {
    if (instruction.guard >= 0) {
      text_ += instruction.guard_negated ? "@!" : "@";
      add_register(instruction.guard);
      text_ += ' ';
    }
    text_ += instruction.opcode;
    for (const std::string& modifier : instruction.modifiers) text_ += "." + modifier;
    const bool is_call = instruction.opcode == "call";
    const char* separator = " ";
    for (const Operand& operand : instruction.operands) {
      text_ += separator;
      separator = ", ";
      if (is_call && operand.kind == Operand::Kind::kVector) {
        add_list('(', operand, ", ", ')');
      } else {
        add_operand(operand);
      }
    }
    return std::move(text_) + ";";
  }

 private:
  void add_register(int reg) { text_ += function_.registers[size_t(reg)].name; }

  void add_symbol(const Operand& operand) {
    // "#2" tells shadowed variables apart; the source knows nothing of it.
    text_ += operand.symbol.substr(0, operand.symbol.find('#'));
  }

  void add_integer(uint64_t bits) { text_ += std::to_string(static_cast<int64_t>(bits)); }

  void add_constant(const Operand& operand) {
    char digits[32];
    switch (operand.literal) {
      case Operand::Literal::kInteger:
        add_integer(operand.imm);
        return;
      case Operand::Literal::kF32Bits:
        std::snprintf(digits, sizeof digits, "0f%08X", unsigned(operand.imm));
        break;
      case Operand::Literal::kF64Bits:
        std::snprintf(digits, sizeof digits, "0d%016llX",
                      static_cast<unsigned long long>(operand.imm));
        break;
    }
    text_ += digits;
  }

  void add_list(char open, const Operand& operand, const char* between, char close) {
    text_ += open;
    const char* separator = "";
    for (const Operand& element : operand.elements) {
      text_ += separator;
      separator = between;
      add_operand(element);
    }
    text_ += close;
  }

  void add_address(const Operand& operand) {
    text_ += '[';
    const bool has_base = operand.reg >= 0 || !operand.symbol.empty();
    if (operand.reg >= 0) {
      add_register(operand.reg);
    } else {
      add_symbol(operand);
    }
    if (!has_base || operand.imm != 0) {
      if (has_base) text_ += '+';
      add_integer(operand.imm);
    }
    if (!operand.elements.empty()) {
      text_ += ", ";
      add_list('{', operand, ", ", '}');
    }
    text_ += ']';
  }

  void add_operand(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        if (operand.negated) text_ += '!';
        add_register(operand.reg);
        if (!operand.symbol.empty()) text_ += "." + operand.symbol;
        break;
      case Operand::Kind::kImmediate:
        add_constant(operand);
        break;
      case Operand::Kind::kSymbol:
        add_symbol(operand);
        if (operand.imm != 0) {
          text_ += '+';
          add_integer(operand.imm);
        }
        break;
      case Operand::Kind::kLabel:
        add_symbol(operand);
        break;
      case Operand::Kind::kAddress:
        add_address(operand);
        break;
      case Operand::Kind::kVector:
        if (operand.pair) {
          add_operand(operand.elements[0]);
          text_ += '|';
          add_operand(operand.elements[1]);
        } else {
          add_list('{', operand, ", ", '}');
        }
        break;
      case Operand::Kind::kSink:
        text_ += '_';
        break;
    }
  }

  const Function& function_;
  std::string text_;
};

}  // namespace

std::string to_text(const Instruction& instruction, const Function& function) {
  return Printer(function).print(instruction);
}

}  // namespace tcd::emu::ptx
