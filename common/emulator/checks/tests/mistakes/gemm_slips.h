// What can be wrong with the GEMM of gemm.cuh, one at a time.
#pragma once

namespace mistakes_test {

enum class Slip {
  kNone,
  // the pipeline
  kStageIndex,
  kPrologueShort,
  kDrainUncommitted,
  // where the tile lies
  kSwizzleOneSide,
  kSwizzleMask,
  kSkippedCopies,
  kZeroFillElements,
  kLoadOneRowMore,
  kDepthOfPadding,
  kOneTileMore,
  kTailDropped,
  kLeadingDimension,
  // fragments
  kFragmentRows,
  kFragmentHalves,
  kRowPointer,
  kTransposed,
  kOperandsExchanged,
  kHalfAccumulators,
  // the epilogue
  kSumsKept,
  kAccumulatorRows,
  kPairExchanged,
  kWarpTile,
  kEpilogueEarly,
  kStagingUnordered,
  kPrologueEarly,
  kBiasColumn,
  kReluFirst,
  kRoundedTwice,
  kHalfOfTheTile,
  kStoreOneRowMore,
  kPairAtOddEdge,
  kStridesExchanged,
  // which CTA does what
  kTilesConfused,
  kNotBijective,
  // the call
  kOddLeadingDimension,
  kUnalignedRows,
  kSharedTooSmall,
};

}  // namespace mistakes_test
