// vadd2, vadd4 and their kin on the bytes or halves of a register (PTX ISA 9.7.18.5, 9.7.18.6).
#include "machine/video.h"

#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

inline s32 element(u32 v, int bits, int i, bool is_signed) {
  const u32 raw = v >> (bits * i);
  if (bits == 8) return is_signed ? s32{static_cast<s8>(raw)} : static_cast<s32>(raw & 0xff);
  return is_signed ? s32{static_cast<s16>(raw)} : static_cast<s32>(raw & 0xffff);
}

inline s32 combine(u32 flags, s32 a, s32 b) {
  switch (static_cast<VideoOp>(flags & kVideoOpMask)) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::kAbsDiff:
      return a > b ? a - b : b - a;
    case VideoOp::kMin:
      return a < b ? a : b;
    case VideoOp::kMax:
      return a > b ? a : b;
    default:
      break;
  }
  switch (flags >> kVideoCompareShift) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

inline u32 video(Imm imm, u32 a, u32 b, u32 c) {
  const u32 flags = imm.flags;
  const int bits = (flags & kVideoHalves) != 0 ? 16 : 8;
  const bool d_signed = (flags & kVideoSignedD) != 0;
  const s32 low = d_signed ? -(1 << (bits - 1)) : 0;
  const s32 high = (1 << (bits - (d_signed ? 1 : 0))) - 1;
  const u32 keep = (1u << bits) - 1;
  u32 packed = 0, sum = c;
  for (int i = 0; i * bits < 32; ++i) {
    s32 r = combine(flags, element(a, bits, i, (flags & kVideoSignedA) != 0),
                    element(b, bits, i, (flags & kVideoSignedB) != 0));
    if ((flags & kVideoSat) != 0) r = r < low ? low : r > high ? high : r;
    sum += static_cast<u32>(r);
    packed |= (static_cast<u32>(r) & keep) << (bits * i);
  }
  return (flags & kVideoAccumulate) != 0 ? sum : packed;
}

}  // namespace

void fill_video(Table& t) {
  bind(t, Micro::video, [](Imm imm, u32 a, u32 b, u32 c) { return video(imm, a, b, c); });
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
