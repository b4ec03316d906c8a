// One decoded PTX instruction: a handler and the places of its operands in the register file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tcd::emu {

struct Warp;
struct MicroOp;

// Runs one instruction for the lanes in `mask` and returns the next one. nullptr means "stop and
// look": the warp's `next` and `event` say what happened (divergence, a barrier, a call, an exit).
using Handler = const MicroOp* (*)(Warp&, const MicroOp*, uint32_t mask);

inline constexpr uint32_t kAllLanes = 0xffffffffu;

// Every operand is a byte offset into the frame's register file, whatever it was in the text:
// constants, parameters and special registers are rows there too, so handlers have no cases.
// 64 bytes: one cache line, fetched in order.
struct alignas(64) MicroOp {
  Handler fast = nullptr;    // the split holds all 32 lanes; reads the guard itself if there is one
  Handler masked = nullptr;  // `mask` is already active lanes and guard, never 0
  uint32_t d = 0;            // destination
  uint32_t a = 0, b = 0, c = 0;
  uint32_t guard = 0;       // predicate: offset of a mask; 0 is the mask that is always true
  uint32_t guard_flip = 0;  // all ones for @!p
  int64_t imm = 0;          // address offset, or branch distance in micro-operations
  uint32_t extra = 0;       // a fifth operand, or an index into Code::pool
  uint32_t flags = 0;       // meaning depends on the handler; exec/ says which
  uint32_t slot = 0;        // memory instructions: which AccessCache and which Site is its own
  uint32_t source = 0;      // index into ptx::Function::body, for messages
};
static_assert(sizeof(MicroOp) == 64);

struct HandlerPair {
  Handler full = nullptr;
  Handler masked = nullptr;
};

enum class Micro : uint16_t;  // micro_list.h
inline constexpr int kMaxMicro = 1024;

// The execution code is compiled once per instruction set and chosen at run time; all give the
// same bits.
enum class Isa : uint8_t { kSse2, kAvx2, kAvx512 };
Isa best_isa();  // of this processor, or what TCD_ISA=sse2|avx2|avx512 asks for
const char* name_of(Isa isa);
bool isa_available(Isa isa);
std::optional<Isa> isa_named(std::string_view name);  // one that this processor has
std::string available_isas();                         // "sse2, avx2"
const HandlerPair* handler_table(Isa isa);            // kMaxMicro entries

}  // namespace tcd::emu
