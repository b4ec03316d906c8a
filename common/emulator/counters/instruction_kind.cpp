#include "counters/instruction_kind.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tcd::emu {
namespace {

using Kind = InstructionKind;

// Opcodes whose kind does not depend on modifiers. The rest is arithmetic, told by its type.
const std::unordered_map<std::string_view, Kind>& fixed_kinds() {
  // Never freed: exit handlers may still launch.
  static const auto* kinds = new std::unordered_map<std::string_view, Kind>{
      {"mma", Kind::kTensor},
      {"ldmatrix", Kind::kMatrixMove},
      {"stmatrix", Kind::kMatrixMove},
      {"movmatrix", Kind::kMatrixMove},
      {"cp", Kind::kAsyncCopy},
      {"atom", Kind::kAtomic},
      {"red", Kind::kAtomic},
      {"and", Kind::kLogic},
      {"or", Kind::kLogic},
      {"xor", Kind::kLogic},
      {"not", Kind::kLogic},
      {"cnot", Kind::kLogic},
      {"lop3", Kind::kLogic},
      {"shl", Kind::kLogic},
      {"shr", Kind::kLogic},
      {"shf", Kind::kLogic},
      {"prmt", Kind::kLogic},
      {"popc", Kind::kLogic},
      {"clz", Kind::kLogic},
      {"bfind", Kind::kLogic},
      {"brev", Kind::kLogic},
      {"bfe", Kind::kLogic},
      {"bfi", Kind::kLogic},
      {"fns", Kind::kLogic},
      {"bmsk", Kind::kLogic},
      {"szext", Kind::kLogic},
      {"setp", Kind::kCompare},
      {"set", Kind::kCompare},
      {"selp", Kind::kCompare},
      {"slct", Kind::kCompare},
      {"testp", Kind::kCompare},
      {"isspacep", Kind::kCompare},
      {"cvt", Kind::kConvert},
      {"mov", Kind::kMove},
      {"cvta", Kind::kMove},
      {"bra", Kind::kControl},
      {"brx", Kind::kControl},
      {"call", Kind::kControl},
      {"ret", Kind::kControl},
      {"exit", Kind::kControl},
      {"trap", Kind::kControl},
      {"brkpt", Kind::kControl},
      {"bar", Kind::kBarrier},
      {"barrier", Kind::kBarrier},
      {"mbarrier", Kind::kBarrier},
      {"membar", Kind::kBarrier},
      {"fence", Kind::kBarrier},
      {"shfl", Kind::kWarp},
      {"vote", Kind::kWarp},
      {"match", Kind::kWarp},
      {"redux", Kind::kWarp},
      {"activemask", Kind::kWarp},
      {"elect", Kind::kWarp},
      {"nanosleep", Kind::kOther},
      {"pmevent", Kind::kOther},
      {"setmaxnreg", Kind::kOther},
      {"griddepcontrol", Kind::kOther},
      {"prefetch", Kind::kOther},
      {"prefetchu", Kind::kOther},
      {"discard", Kind::kOther},
      {"applypriority", Kind::kOther},
      {"createpolicy", Kind::kOther},
  };
  return *kinds;
}

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

// The state space is ".shared", or ".shared::cta".
bool in_space(const ptx::Instruction& in, std::string_view space) {
  return std::any_of(in.modifiers.begin(), in.modifiers.end(), [&](const std::string& m) {
    return m == space || (m.starts_with(space) && m.substr(space.size()).starts_with("::"));
  });
}

Kind memory_kind(const ptx::Instruction& in, bool store) {
  if (in_space(in, "shared")) return store ? Kind::kSharedStore : Kind::kSharedLoad;
  if (in_space(in, "local")) return Kind::kLocal;
  if (in_space(in, "param") || in_space(in, "const")) return Kind::kParameter;
  return store ? Kind::kGlobalStore : Kind::kGlobalLoad;
}

Kind arithmetic_kind(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    if (m == "f32" || m == "f32x2") return Kind::kF32;
    if (m == "f64") return Kind::kF64;
    if (m == "f16" || m == "f16x2" || m == "bf16" || m == "bf16x2") return Kind::kHalf;
  }
  return Kind::kInteger;
}

}  // namespace

const char* name_of(InstructionKind kind) {
  constexpr const char* kNames[kInstructionKinds] = {
      "tensor",       "matrix move", "cp.async",  "global load", "global store", "shared load",
      "shared store", "local",       "parameter", "atomic",      "f32",          "f64",
      "half",         "integer",     "logic",     "compare",     "convert",      "move",
      "control",      "barrier",     "warp",      "other"};
  return kind < Kind::kCount ? kNames[static_cast<size_t>(kind)] : "none";
}

InstructionKind kind_of(const ptx::Instruction& in) {
  if (in.opcode == "wmma") return has(in, "mma") ? Kind::kTensor : Kind::kMatrixMove;
  if (in.opcode == "ld" || in.opcode == "ldu") return memory_kind(in, false);
  if (in.opcode == "st") return memory_kind(in, true);
  const auto fixed = fixed_kinds().find(in.opcode);
  return fixed != fixed_kinds().end() ? fixed->second : arithmetic_kind(in);
}

std::string tensor_shape(const ptx::Instruction& in) {
  std::string text = in.opcode;
  for (const std::string& m : in.modifiers) {
    const bool layout =
        m == "row" || m == "col" || m == "sync" || m == "aligned" || m == "satfinite" || m == "mma";
    if (!layout) text += "." + m;
  }
  return text;
}

}  // namespace tcd::emu
