// One instruction set's build of the kernels (see mma_kernels.h and simd.h).
#include "tensor/mma_kernels.h"

#include "tensor/isa/cached.h"

namespace tcd::emu::TCD_ISA {
namespace {

template <bool kFromHalf>
void convert_accumulator(const Row* in, Row* out) {
  for (int i = 0; i < kGroups; ++i) {
    store_pair<!kFromHalf>(out, place_of(i), load_pair<kFromHalf>(in, place_of(i)));
  }
}

}  // namespace

#define TCD_TEXT(x) TCD_TEXT_OF(x)
#define TCD_TEXT_OF(x) #x
extern const MmaKernels kMmaKernels;
const MmaKernels kMmaKernels = {TCD_TEXT(TCD_ISA),
                                {mma_f16<false, 1>, mma_f16<false, 2>},
                                {mma_f16<true, 1>, mma_f16<true, 2>},
                                prepare_a,
                                prepare_b,
                                prepare_a_floats,
                                prepare_b_floats,
                                multiply_proven<false>,
                                multiply_proven<true>,
                                multiply_general<false>,
                                multiply_general<true>,
                                convert_accumulator<true>,
                                convert_accumulator<false>};

}  // namespace tcd::emu::TCD_ISA
