// The gates both kinds end with: D bit for bit, then what lies around it.
#pragma once

#include <string>
#include <vector>

#include "exercises/workbench.h"
#include "gates/gemm_case.h"
#include "gates/output.h"

namespace tcd::exercises {

// D (f32) on the device, filled with NaN, with guard bands around it.
class DeviceOutput {
 public:
  DeviceOutput(Workbench& bench, const MatrixLayout& layout);
  uint64_t address() const { return storage_at_ + host_.payload_offset(); }
  // Downloads and compares. `suffix` tells launches apart: " 256×128×64".
  std::vector<GateResult> judge(const HalfMatrix& a, const HalfMatrix& b, const Tiling& tiling,
                                const std::string& suffix, const Epilogue& epilogue = {});
  // Row `row` of A holds a NaN: that row of D must be NaN, and nothing else.
  GateResult judge_nan_row(const std::string& name, int row);

 private:
  Workbench& bench_;
  GuardedOutput host_;
  uint64_t storage_at_;
};

}  // namespace tcd::exercises
