// vadd2 … vset4 → micro-operations (PTX ISA 9.7.18.5, 9.7.18.6). Element selectors are not covered.
#include "machine/video.h"

#include "machine/decode/decoder.h"

namespace tcd::emu {

void decode_video(Decoder& x) {
  constexpr std::string_view kNames[] = {"vadd", "vsub", "vavrg", "vabsdiff",
                                         "vmin", "vmax", "vset"};
  Modifiers& m = x.mods();
  std::string_view name = x.in().opcode;
  uint32_t flags = name.back() == '2' ? kVideoHalves : 0;
  name.remove_suffix(1);
  for (uint32_t i = 0; i < 7; ++i) {
    if (name == kNames[i]) flags |= i;
  }
  // vset has two types and a relation; its result is 0 or 1, of no sign.
  const TypeName first = m.need_type(), second = m.need_type();
  TypeName d = first, a = second, b = second;
  if (name == "vset") {
    d = {};
    a = first;
    const int relation = m.take_one_of({"eq", "ne", "lt", "le", "gt", "ge"});
    if (relation < 0) x.unsupported();
    flags |= static_cast<uint32_t>(relation) << kVideoCompareShift;
  } else {
    b = m.need_type();
  }
  if (d.is_signed()) flags |= kVideoSignedD;
  if (a.is_signed()) flags |= kVideoSignedA;
  if (b.is_signed()) flags |= kVideoSignedB;
  if (m.take("sat")) flags |= kVideoSat;
  if (m.take("add")) flags |= kVideoAccumulate;
  const uint32_t rd = x.destination(x.operand(0), 4);
  const uint32_t ra = x.source_b32(x.operand(1)), rb = x.source_b32(x.operand(2));
  x.emit(Micro::video, rd, ra, rb, x.source_b32(x.operand(3))).flags = flags;
}

}  // namespace tcd::emu
