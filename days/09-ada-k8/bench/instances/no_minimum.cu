// Tiles 1 and 3 with no minimum of resident CTAs in the launch bounds: how many registers ptxas
// takes when nobody asks it to leave room for a second CTA.
#include "bench/instances.cuh"

namespace day::bench {

namespace {

template <typename T, Mma kMma>
Instance free_instance(int tile) {
  return instance<T, kMma, Accumulator::kF32, Epilogue::kNone, 1>(tile);
}

}  // namespace

std::vector<Instance> no_minimum() {
  return {free_instance<Tile1, Mma::kK8>(1), free_instance<Tile1, Mma::kK16>(1),
          free_instance<Tile3, Mma::kK8>(3), free_instance<Tile3, Mma::kK16>(3)};
}

}  // namespace day::bench
