// All handlers of one instruction set.
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

const HandlerPair* handlers() {
  static HandlerPair entries[kMaxMicro];
  static const bool filled = [] {
    Table table{entries};
    fill_integer(table);
    fill_integer_wide(table);
    fill_logic(table);
    fill_compare(table);
    fill_f32(table);
    fill_f64(table);
    fill_half(table);
    fill_convert(table);
    fill_convert_any(table);
    fill_load(table);
    fill_store(table);
    fill_atomic(table);
    fill_async(table);
    fill_warp(table);
    fill_matrix(table);
    fill_wmma(table);
    fill_mbarrier(table);
    fill_video(table);
    return true;
  }();
  static_cast<void>(filled);
  return entries;
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
