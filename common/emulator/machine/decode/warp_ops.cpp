// Lanes seeing each other, and barriers → micro-operations (PTX ISA 9.7.9, 9.7.13).
#include "machine/decode/decoder.h"
#include "machine/memory_flags.h"

namespace tcd::emu {
namespace {

using Kind = ptx::Operand::Kind;

// `d|p` or just `d`.
struct Result {
  uint32_t d = 0, p = 0;
};
Result result_of(Decoder& x) {
  const ptx::Operand& o = x.operand(0);
  if (o.kind == Kind::kVector && o.elements.size() == 2) {
    return {x.destination(o.elements[0], 4), x.predicate_destination(o.elements[1])};
  }
  return {x.destination(o, 4), 0};
}

uint32_t members_and(Decoder& x, const ptx::Operand& members, uint32_t second) {
  return x.pool({x.source_b32(members), second});
}

}  // namespace

void decode_shfl(Decoder& x) {
  Modifiers& m = x.mods();
  if (!m.take("sync")) x.unsupported("shfl without .sync ended with sm_70");
  const int mode = m.take_one_of({"up", "down", "bfly", "idx"});
  m.need_type();
  constexpr Micro kModes[] = {Micro::shfl_up, Micro::shfl_down, Micro::shfl_bfly, Micro::shfl_idx};
  if (mode < 0) x.unsupported();
  const Result r = result_of(x);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  const uint32_t c = x.source_b32(x.operand(3));
  const uint32_t extra = members_and(x, x.operand(4), r.p);
  x.emit(kModes[mode], r.d, a, b, c).extra = extra;
}

void decode_vote(Decoder& x) {
  Modifiers& m = x.mods();
  if (!m.take("sync")) x.unsupported("vote without .sync ended with sm_70");
  const int mode = m.take_one_of({"all", "any", "uni", "ballot"});
  m.need_type();
  if (mode < 0) x.unsupported();
  const uint32_t d =
      mode == 3 ? x.destination(x.operand(0), 4) : x.predicate_destination(x.operand(0));
  bool negated = false;
  const uint32_t a = x.predicate_source(x.operand(1), &negated);
  const uint32_t extra = members_and(x, x.operand(2), 0);
  MicroOp& op = x.emit(Micro::vote, d, a);
  op.extra = extra;
  op.flags = static_cast<uint32_t>(mode) | (negated ? 4u : 0u);
}

void decode_match(Decoder& x) {
  Modifiers& m = x.mods();
  const bool all = m.take_one_of({"any", "all"}) == 1;
  m.take("sync");
  const TypeName t = m.need_type();
  const Result r = result_of(x);
  const uint32_t a = x.source(x.operand(1), t);
  const uint32_t extra = members_and(x, x.operand(2), r.p);
  MicroOp& op = x.emit(all ? Micro::match_all : Micro::match_any, r.d, a);
  op.extra = extra;
  op.flags = t.bits == 64 ? 1 : 0;
}

void decode_redux(Decoder& x) {
  Modifiers& m = x.mods();
  m.take("sync");
  const int operation = m.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const TypeName t = m.need_type();
  if (t.is_float() || operation < 0) x.unsupported();
  constexpr uint32_t kSigned[] = {0, 1, 3, 5, 6, 7}, kUnsigned[] = {0, 2, 4, 5, 6, 7};
  const uint32_t d = x.destination(x.operand(0), 4), a = x.source_b32(x.operand(1));
  const uint32_t extra = members_and(x, x.operand(2), 0);
  MicroOp& op = x.emit(Micro::redux, d, a);
  op.extra = extra;
  op.flags = (t.is_signed() ? kSigned : kUnsigned)[operation];
}

void decode_activemask(Decoder& x) {
  x.mods().need_type();
  x.emit(Micro::activemask, x.destination(x.operand(0), 4));
}

void decode_elect(Decoder& x) {
  x.mods().take("sync");
  const Result r = result_of(x);
  const uint32_t extra = members_and(x, x.operand(1), r.p);
  x.emit(Micro::elect, r.d).extra = extra;
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.op{.type} d, a{, b}, c; bar.warp.sync mask.
void decode_bar(Decoder& x) {
  Modifiers& m = x.mods();
  m.take("cta");
  if (m.take("warp")) {
    m.take("sync");
    const uint32_t extra = members_and(x, x.operand(0), 0);
    x.emit(Micro::bar_warp_sync).extra = extra;
    return;
  }
  if (m.has("cluster")) {
    // A cluster is one CTA here, whose own barrier is the same thing split in two.
    x.unsupported("barrier.cluster");
  }
  const bool aligned = m.take("aligned") || x.in().opcode == "bar";
  const int what = m.take_one_of({"sync", "arrive", "red"});
  if (what < 0) x.unsupported();
  uint32_t flags = what == 1 ? 4 : 0;
  size_t next = 0;
  uint32_t d = 0, c = 0;
  if (what == 2) {
    const int reduction = m.take_one_of({"popc", "and", "or"});
    const TypeName t = m.need_type();
    if (reduction < 0) x.unsupported();
    flags |= static_cast<uint32_t>(reduction) + 1;
    d = t.kind == TypeName::Kind::kPred ? x.predicate_destination(x.operand(0))
                                        : x.destination(x.operand(0), 4);
    next = 1;
    bool negated = false;
    c = x.predicate_source(x.operand(x.operands() - 1), &negated);
    if (negated) flags |= 8;
  }
  const uint32_t a = x.source_b32(x.operand(next));
  uint32_t b = 0;
  const size_t last = x.operands() - (what == 2 ? 1 : 0);
  if (next + 1 < last) {
    b = x.source_b32(x.operand(next + 1));
    flags |= 16;
  } else if (what == 1) {
    x.unsupported("arrive needs a number of threads");
  }
  if (aligned) flags |= kAlignedBarrier;
  x.emit(Micro::bar, d, a, b, c).flags = flags;
}

}  // namespace tcd::emu
