// Branches, calls, exits → micro-operations (PTX ISA 9.7.12, 9.7.19).
#include "machine/decode/decoder.h"

namespace tcd::emu {
namespace {

using Kind = ptx::Operand::Kind;

uint32_t words_offset(Decoder& x, const ptx::Operand& o) {
  const Code::Words* words = x.words_of(o.symbol);
  if (o.kind != Kind::kSymbol || words == nullptr) x.unsupported("an argument that is no .param");
  return words->offset;
}

// ptxas compares types; here sizes are enough, because rows are copied.
void check_sizes(Decoder& x, const ptx::Function& callee, const std::vector<ptx::Operand>& given,
                 const std::vector<ptx::Variable>& wanted) {
  if (given.size() < wanted.size()) {
    x.unsupported(callee.name + " has " + std::to_string(wanted.size()) +
                  " parameters or results, the call names " + std::to_string(given.size()));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    words_offset(x, given[i]);
    const uint32_t have = x.words_of(given[i].symbol)->count;
    if (have < (wanted[i].size + 3) / 4) {
      x.unsupported("'" + given[i].symbol + "' has " + std::to_string(have * 4) + " bytes, " +
                    callee.name + " wants " + std::to_string(wanted[i].size));
    }
  }
}

}  // namespace

void decode_bra(Decoder& x) {
  x.mods().take("uni");
  x.emit(x.in().guard >= 0 ? Micro::bra_guarded : Micro::bra);  // the target is filled in later
}

void decode_brx(Decoder& x) {
  x.mods().take("idx");
  x.mods().take("uni");
  const uint32_t a = x.source_b32(x.operand(0));
  x.emit(Micro::brx, 0, a).imm = x.branch_target();
}

// call (ret…), f, (arg…){, prototype}. Operand lists are vectors of .param names.
void decode_call(Decoder& x) {
  x.mods().take("uni");
  size_t next = 0;
  std::vector<ptx::Operand> results, arguments;
  if (x.operand(0).kind == Kind::kVector) results = x.operand(next++).elements;
  const ptx::Operand& callee = x.operand(next++);
  if (next < x.operands() && x.operand(next).kind == Kind::kVector) {
    arguments = x.operand(next).elements;
  }
  std::vector<uint32_t> pool{0, static_cast<uint32_t>(arguments.size())};
  for (const auto& a : arguments) pool.push_back(words_offset(x, a));
  pool.push_back(static_cast<uint32_t>(results.size()));
  for (const auto& r : results) pool.push_back(words_offset(x, r));
  if (callee.kind == Kind::kRegister) {
    x.kernel().calls_indirectly = true;
    const uint32_t a = x.source_row(callee, 8);
    const uint32_t extra = x.pool(pool);
    x.emit(Micro::call_indirect, 0, a).extra = extra;
    return;
  }
  Program::Impl& program = *x.kernel().program;
  const int index = program.function_index(callee.symbol);
  const bool has_body =
      index >= 0 && !program.module.functions[static_cast<size_t>(index)].is_declaration;
  Micro micro = Micro::call;
  if (!has_body) {
    if (callee.symbol == "vprintf" && arguments.size() == 2) {
      micro = Micro::vprintf;
    } else if (callee.symbol == "__assertfail" && arguments.size() == 5) {
      micro = Micro::assert_fail;
    } else if (callee.symbol == "malloc" && arguments.size() == 1 && results.size() == 1) {
      micro = Micro::device_malloc;
    } else if (callee.symbol == "free" && arguments.size() == 1) {
      micro = Micro::device_free;
    } else if (callee.symbol == "cudaGraphSetConditional" && arguments.size() == 2) {
      micro = Micro::set_conditional;
    } else {
      x.unsupported("'" + callee.symbol + "' is a function the emulated device does not have" +
                    (callee.symbol.find("cuda") <= 2
                         ? ": kernels cannot launch kernels, nor ask NVIDIA's device runtime"
                         : ""));
    }
  } else {
    const ptx::Function& function = program.module.functions[static_cast<size_t>(index)];
    check_sizes(x, function, arguments, function.params);
    check_sizes(x, function, results, function.returns);
    x.need_function(index);
    pool[0] = static_cast<uint32_t>(index);
  }
  const uint32_t extra = x.pool(pool);
  x.emit(micro).extra = extra;
}

void decode_ret(Decoder& x) {
  x.mods().take("uni");
  x.emit(Micro::ret);
}

void decode_exit(Decoder& x) { x.emit(Micro::exit); }
void decode_trap(Decoder& x) { x.emit(Micro::trap); }
void decode_brkpt(Decoder& x) { x.emit(Micro::brkpt); }

void decode_nanosleep(Decoder& x) {
  x.mods().take_type();
  x.emit(Micro::nanosleep);
}

}  // namespace tcd::emu
