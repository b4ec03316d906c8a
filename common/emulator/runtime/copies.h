// Copies and fills of strided blocks: what all cudaMemcpy… and cudaMemset… functions come down to.
#pragma once

#include "runtime/error_state.h"

namespace tcd::emu::runtime {

// `planes` planes of `height` rows of `width` bytes; pitches in bytes from row to row and plane to
// plane. A linear block is one row.
struct Block {
  size_t width = 0, height = 1, planes = 1;
};
struct Place {
  void* start = nullptr;
  size_t row_pitch = 0, plane_pitch = 0;
};

// cudaErrorInvalidValue for null, for memory that ends too early, for a pitch below the width, and
// for host memory where `kind` says device.
cudaError_t check_copy(const Place& to, const Place& from, const Block& block, cudaMemcpyKind kind);
cudaError_t copy_block(const Place& to, const Place& from, const Block& block, cudaMemcpyKind kind);
// The value's lowest 1, 2 or 4 bytes, over and over; the width must be a multiple of that.
cudaError_t check_fill(const Place& to, unsigned element_bytes, const Block& block);
cudaError_t fill_block(const Place& to, unsigned value, unsigned element_bytes, const Block& block);

}  // namespace tcd::emu::runtime
