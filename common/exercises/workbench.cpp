#include "exercises/workbench.h"

namespace tcd::exercises {

KernelMissing no_such_kernel(const std::string& kernel) {
  return KernelMissing("submission.cuh has no kernel called " + kernel +
                       "; keep its `extern \"C\" __global__` line as it was");
}

KernelMissing other_parameters(const std::string& kernel, uint64_t wanted, size_t passed) {
  return KernelMissing(kernel + " takes " + std::to_string(wanted) +
                       " bytes of parameters, the checker passes " + std::to_string(passed) +
                       "; keep its parameters as they were");
}

}  // namespace tcd::exercises
