// The parsed form of one PTX module: what the text says, before any meaning is given to opcodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tcd::emu::ptx {

enum class Space : uint8_t { kGeneric, kReg, kConst, kGlobal, kLocal, kParam, kShared };

// Type of a register or variable. Instruction types stay text in Instruction::modifiers.
enum class Type : uint8_t { kPred, kB8, kB16, kB32, kB64, kB128 };
unsigned size_of(Type type);  // bytes; kPred counts as 1

// Who else may mean this function or variable when modules are linked (ptx/link.h).
enum class Linkage : uint8_t {
  kLocal,    // nobody: other modules may have a different one of that name
  kVisible,  // everybody; one definition only
  kWeak,     // everybody; of several definitions any will do
  kCommon,   // a variable everybody declares: the largest one
  kExtern,   // declared here, defined elsewhere
};

struct FunctionCallSite {  // one `.loc … , inlined_at …` level
  int file = 0;
  int line = 0;
};

// Where an instruction comes from (`-lineinfo`). `inlined_at[0]` is the caller of the innermost
// line; the last one is the user's line. Empty when the code was not inlined.
struct SourceLocation {
  int file = 0;  // index into Module::files; 0 = unknown
  int line = 0;
  std::vector<FunctionCallSite> inlined_at;
};

struct Variable {
  std::string name;
  Space space = Space::kReg;
  unsigned align = 1;  // bytes
  uint64_t size = 0;   // bytes, arrays included; 0 for `extern .shared x[]`
  bool is_extern = false;
  Linkage linkage = Linkage::kLocal;  // of module variables
  bool is_managed = false;            // .attribute(.managed): the host reads and writes it too
  std::vector<std::byte> init;        // raw initial bytes (may be shorter than size)
  // An initialiser may hold the address of another variable or function: 8 bytes at `offset`, zero
  // in `init`. Byte-wise masks (`0xFF(x), 0xFF00(x), …`) arrive merged into one relocation.
  struct Relocation {
    uint64_t offset = 0;
    std::string symbol;
    int64_t addend = 0;
    bool generic = false;  // generic(symbol)
  };
  std::vector<Relocation> relocations;
};

// Registers are numbered per function, in order of declaration; `{ }` blocks have their own
// scope and get fresh numbers.
struct Register {
  std::string name;
  Type type = Type::kB32;
};

struct Operand {
  enum class Kind : uint8_t {
    kRegister,  // reg; `negated` for !p; `symbol` is a selector if one is written (%r1.b0 → "b0")
    kImmediate,  // imm: integers as two's complement; 0f… as kF32Bits; 0d… and 1.5 as kF64Bits
    kSymbol,     // symbol (+ imm): variable, function, param or special register (%tid.x).
                 // brx.idx: the table's name, with target = index into Function::branch_tables
    kAddress,    // [reg + imm] or [symbol + imm] or [imm]; exactly one of reg >= 0 / symbol / none.
                 // [map, {x, y}] (textures, tensor maps) keeps the coordinates in elements
    kVector,     // {a, b, …}: elements
    kLabel,      // branch target: `target` is an instruction index
    kSink,       // _
  };
  Kind kind = Kind::kImmediate;
  bool negated = false;  // !p on a predicate, unary minus never appears (folded into imm)
  int reg = -1;
  uint64_t imm = 0;
  enum class Literal : uint8_t { kInteger, kF32Bits, kF64Bits } literal = Literal::kInteger;
  std::string symbol;
  int target = -1;
  std::vector<Operand> elements;  // kVector; also the pair `p|q` (pair = true), call argument lists
  bool pair = false;
};

// `call (ret…), f, (arg…), prototype;` keeps that order. Lists are kVector, so a first operand of
// kind kVector is the list of results; then f (kSymbol, or kRegister when indirect), then the
// arguments if any, then the prototype's name (kSymbol) if any.
struct Instruction {
  std::string opcode;                  // "mma"
  std::vector<std::string> modifiers;  // {"sync","aligned","m16n8k8",…}, in the order written
  int guard = -1;                      // predicate register, -1: none
  bool guard_negated = false;
  std::vector<Operand> operands;  // comma-separated operands in order
  SourceLocation location;
  int ptx_line = 0;  // line in the PTX text
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // no body: extern (vprintf, __assertfail, …)
  Linkage linkage = Linkage::kLocal;
  std::vector<Variable> params;   // .param, in order
  std::vector<Variable> returns;  // .func (…)
  std::vector<Register> registers;
  // .shared/.local/.param/.const declared inside the body. Names are unique in the module: one that
  // is declared again in another `{ }` is called "name#2" here and in every operand that means it.
  std::vector<Variable> variables;
  std::vector<Instruction> body;  // a label after the last instruction targets body.size()
  std::vector<std::vector<int>> branch_tables;  // .branchtargets: instruction indices
  std::vector<std::string> branch_table_names;
  unsigned max_threads = 0;                  // product of .maxntid, 0: not given
  unsigned required_threads[3] = {0, 0, 0};  // .reqntid
  unsigned min_ctas = 0;                     // .minnctapersm
  int ptx_line = 0;
};

struct Module {
  int version_major = 0, version_minor = 0;  // .version
  int target = 0;                            // .target sm_XY → XY
  unsigned address_size = 64;
  std::vector<std::string> files;   // [0] = "" ; .file N "name"
  std::vector<Variable> variables;  // module scope: .global .const .shared
  std::vector<Function> functions;  // one per name: a definition replaces its declaration
};

}  // namespace tcd::emu::ptx
