#include "machine/decode/decoder.h"

#include <algorithm>

#include "machine/control.h"
#include "machine/device_impl.h"
#include "ptx/control_flow.h"

namespace tcd::emu {

// One declaration per opcode, and the table.
#define TCD_OPCODE(name, decode, since_sm, section, covers) void decode(Decoder&);
#include "ptx/opcodes.def"
#undef TCD_OPCODE

namespace {

constexpr Opcode kOpcodes[] = {
#define TCD_OPCODE(name, decode, since_sm, section, covers) \
  {name, &decode, since_sm, section, covers},
#include "ptx/opcodes.def"
#undef TCD_OPCODE
};

constexpr UnsupportedFamily kUnsupported[] = {
#define TCD_UNSUPPORTED(name, section, why, example) {name, section, why, example},
#include "ptx/unsupported.def"
#undef TCD_UNSUPPORTED
};

// Has the instruction the family's opcode, and all its modifiers?
bool belongs_to(const ptx::Instruction& in, std::string_view family) {
  size_t dot = family.find('.');
  if (family.substr(0, dot) != in.opcode) return false;
  while (dot != std::string_view::npos) {
    const size_t next = family.find('.', dot + 1);
    const std::string_view wanted = family.substr(dot + 1, next - dot - 1);
    if (std::find(in.modifiers.begin(), in.modifiers.end(), wanted) == in.modifiers.end()) {
      return false;
    }
    dot = next;
  }
  return true;
}

}  // namespace

std::span<const Opcode> all_opcodes() { return kOpcodes; }
std::span<const UnsupportedFamily> unsupported_families() { return kUnsupported; }

const Opcode* find_opcode(std::string_view name) {
  static const auto* table = [] {  // never freed: exit handlers may still launch
    auto* all = new std::unordered_map<std::string_view, const Opcode*>;
    for (const Opcode& opcode : kOpcodes) (*all)[opcode.name] = &opcode;
    return all;
  }();
  const auto it = table->find(name);
  return it == table->end() ? nullptr : it->second;
}

const UnsupportedFamily* find_unsupported(const ptx::Instruction& in) {
  for (const UnsupportedFamily& family : kUnsupported) {
    if (belongs_to(in, family.name)) return &family;
  }
  return nullptr;
}

Decoder::Decoder(Kernel& kernel, int function_index, Code& out)
    : kernel_(kernel),
      program_(*kernel.program),
      function_(kernel.program->module.functions[static_cast<size_t>(function_index)]),
      out_(out),
      table_(handler_table(best_isa())) {
  out_.name = function_.name;
  out_.function = &function_;
  out_.module = &program_.module;
}

void Decoder::unsupported(const std::string& why) const {
  std::string what = in_->opcode;
  for (const auto& m : in_->modifiers) what += "." + m;
  std::string text = "unsupported instruction: " + what + (why.empty() ? "" : ": " + why) +
                     "\n  kernel  " + demangle(kernel_.info.name);
  if (function_.name != kernel_.info.name) text += ", in " + demangle(function_.name);
  const std::string place = place_of(program_.module, in_->location);
  text += "\n  source  " + (place.empty() ? "unknown (compile with -lineinfo)" : place) +
          "\n  PTX     line " + std::to_string(in_->ptx_line) + ": " + text_of(function_, *in_) +
          "\n  next    common/emulator/ptx/README.md lists what the emulated device has.";
  throw DecodeError{Fault::kUnsupported, text};
}

void Decoder::need_compute(int sm, const std::string& what) const {
  const Profile& p = program_.profile;
  if (p.compute() >= sm) return;
  const std::string place = place_of(program_.module, in_->location);
  throw DecodeError{
      Fault::kIllegalInstruction,
      "illegal instruction: " + what + " needs sm_" + std::to_string(sm) + ", but " +
          std::string(p.device_name) + " is sm_" + std::to_string(p.compute()) + "\n  kernel  " +
          demangle(kernel_.info.name) + "\n  source  " +
          (place.empty() ? "unknown (compile with -lineinfo)" : place) + "\n  PTX     line " +
          std::to_string(in_->ptx_line) + ": " + text_of(function_, *in_) +
          "\n  next    Guard the code with __CUDA_ARCH__ and a check on the host, or choose a "
          "newer --gpu."};
}

void Decoder::run() {
  lay_out_registers();
  lay_out_parameters();
  const ptx::Schedule schedule = ptx::schedule_for_reconvergence(function_);
  std::vector<size_t> start(schedule.steps.size() + 1);
  std::vector<std::pair<size_t, int>> jumps;  // micro-operation, target step
  for (size_t s = 0; s < schedule.steps.size(); ++s) {
    start[s] = out_.ops.size();
    const ptx::Step& step = schedule.steps[s];
    if (step.instruction < 0) {
      source_ = s > 0 && !out_.ops.empty() ? out_.ops.back().source : 0;
      guard_ = kTrueOffset;
      guard_flip_ = 0;
      emit(Micro::goto_);
      jumps.emplace_back(out_.ops.size() - 1, step.target);
      continue;
    }
    decode_instruction(step.instruction, step.target);
    const auto& body_op = function_.body[static_cast<size_t>(step.instruction)].opcode;
    if (step.target >= 0 && body_op == "bra") jumps.emplace_back(out_.ops.size() - 1, step.target);
  }
  start.back() = out_.ops.size();
  // What falls off the end returns.
  guard_ = kTrueOffset;
  guard_flip_ = 0;
  source_ = static_cast<uint32_t>(function_.body.size());
  emit(Micro::ret);
  for (const auto& [op, target] : jumps) {
    out_.ops[op].imm =
        static_cast<int64_t>(start[static_cast<size_t>(target)]) - static_cast<int64_t>(op);
  }
  for (const auto& table : schedule.tables) {
    std::vector<int64_t> places;
    for (int step : table) places.push_back(static_cast<int64_t>(start[static_cast<size_t>(step)]));
    out_.tables.push_back(std::move(places));
  }
  out_.frame_bytes = (frame_top_ + 127) & ~127u;
}

void Decoder::decode_instruction(int index, int target) {
  const ptx::Instruction& instruction = function_.body[static_cast<size_t>(index)];
  Modifiers mods(instruction);
  in_ = &instruction;
  mods_ = &mods;
  step_target_ = target;
  source_ = static_cast<uint32_t>(index);
  guard_ =
      instruction.guard >= 0 ? registers_[static_cast<size_t>(instruction.guard)] : kTrueOffset;
  guard_flip_ = instruction.guard >= 0 && instruction.guard_negated ? kAllLanes : 0;
  if (const UnsupportedFamily* family = find_unsupported(instruction)) unsupported(family->why);
  const Opcode* opcode = find_opcode(instruction.opcode);
  if (opcode == nullptr) unsupported("the emulated device knows no such instruction");
  need_compute(opcode->since_sm, instruction.opcode);
  opcode->decode(*this);
  if (const std::string rest = mods.untaken(); !rest.empty()) unsupported(rest + " is not known");
}

MicroOp& Decoder::emit(Micro micro) {
  HandlerPair handlers = control_handler(micro);
  if (handlers.full == nullptr) handlers = table_[static_cast<int>(micro)];
  if (handlers.full == nullptr) unsupported("it has no handler yet");
  MicroOp op;
  op.fast = guard_ == kTrueOffset || micro == Micro::bra_guarded ? handlers.full : &run_guarded;
  op.masked = handlers.masked;
  op.guard = guard_;
  op.guard_flip = guard_flip_;
  op.source = source_;
  out_.ops.push_back(op);
  return out_.ops.back();
}

MicroOp& Decoder::emit(Micro micro, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
  MicroOp& op = emit(micro);
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  return op;
}

uint32_t Decoder::pool(const std::vector<uint32_t>& values) {
  const auto first = static_cast<uint32_t>(out_.pool.size());
  out_.pool.insert(out_.pool.end(), values.begin(), values.end());
  return first;
}

uint32_t Decoder::access_slot() { return kernel_.slots++; }

void Decoder::need_function(int index) { kernel_.pending.push_back(index); }

}  // namespace tcd::emu
