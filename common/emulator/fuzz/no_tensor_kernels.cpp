// Stands in for tensor/isa in a libFuzzer build, as no_execution.cpp does for machine/exec.
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {

extern const MmaKernels kMmaKernels;
const MmaKernels kMmaKernels = {};

}  // namespace tcd::emu::TCD_ISA
