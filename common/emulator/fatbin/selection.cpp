#include "fatbin/selection.h"

namespace tcd::emu::fatbin {
namespace {

// Highest entry of a kind with lowest <= sm <= highest; nullptr when there is none.
const Entry* highest(std::span<const Entry> entries, Entry::Kind kind, int lowest, int upper) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (entry.kind != kind || entry.sm < lowest || entry.sm > upper) continue;
    if (best == nullptr || entry.sm > best->sm) best = &entry;
  }
  return best;
}

std::string list(std::span<const Entry> entries) {
  std::string text;
  for (const Entry& entry : entries) {
    if (!text.empty()) text += ", ";
    text += (entry.kind == Entry::Kind::kPtx ? "PTX compute_" : "machine code sm_") +
            std::to_string(entry.sm);
  }
  return text.empty() ? "nothing" : text;
}

std::string explain_missing(std::span<const Entry> entries, int compute) {
  const std::string arch = std::to_string(compute);
  std::string text = "the executable holds " + list(entries) + "; the device is sm_" + arch + ". ";
  if (highest(entries, Entry::Kind::kPtx, 0, 1 << 20) == nullptr) {
    text +=
        "The emulated device executes PTX and there is none (`code=sm_XX` alone embeds machine "
        "code only). ";
  } else {
    text += "None of its PTX is for this architecture or an older one. ";
  }
  return text + "Compile with -gencode arch=compute_" + arch + ",code=[compute_" + arch + ",sm_" +
         arch + "].";
}

}  // namespace

Selection select(std::span<const Entry> entries, int compute) {
  Selection selection;
  const int major_base = compute / 10 * 10;
  const Entry* sass = highest(entries, Entry::Kind::kElf, major_base, compute);

  if (sass != nullptr) {
    selection.elf = sass;
    selection.ptx = highest(entries, Entry::Kind::kPtx, sass->sm, sass->sm);
  }
  if (selection.ptx == nullptr) selection.ptx = highest(entries, Entry::Kind::kPtx, 0, compute);
  if (selection.ptx == nullptr) {
    selection.problem = explain_missing(entries, compute);
    return selection;
  }
  if (sass != nullptr && sass->sm != selection.ptx->sm) {
    selection.note = "a card would run the machine code for sm_" + std::to_string(sass->sm) +
                     ", whose PTX is not embedded; running compute_" +
                     std::to_string(selection.ptx->sm) + " instead";
  }
  if (selection.elf == nullptr) {
    selection.elf_is_approximate = true;
    selection.elf = highest(entries, Entry::Kind::kElf, 0, compute);
    for (const Entry& entry : entries) {  // else the nearest above
      if (entry.kind != Entry::Kind::kElf || entry.sm <= compute) continue;
      if (selection.elf == nullptr || (selection.elf->sm > compute && entry.sm < selection.elf->sm))
        selection.elf = &entry;
    }
  }
  return selection;
}

}  // namespace tcd::emu::fatbin
