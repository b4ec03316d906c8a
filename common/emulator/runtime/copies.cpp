#include "runtime/copies.h"

#include <cstring>

#include "runtime/allocations.h"

namespace tcd::emu::runtime {
namespace {

using Where = Allocations::Where;
using HostUse = DeviceMemory::HostUse;

// Bytes from the first to the last byte touched; 0 when that does not fit 64 bits.
uint64_t span_of(const Place& place, const Block& block) {
  uint64_t rows = 0, planes = 0, total = 0;
  const bool overflows = __builtin_mul_overflow(place.row_pitch, block.height - 1, &rows) ||
                         __builtin_mul_overflow(place.plane_pitch, block.planes - 1, &planes) ||
                         __builtin_add_overflow(rows, planes, &total) ||
                         __builtin_add_overflow(total, block.width, &total);
  return overflows ? 0 : total;
}

bool pitches_fit(const Place& place, const Block& block) {
  if (block.height > 1 && place.row_pitch < block.width) return false;
  return block.planes <= 1 || place.plane_pitch >= place.row_pitch * (block.height - 1);
}

bool is_empty(const Block& block) {
  return block.width == 0 || block.height == 0 || block.planes == 0;
}

// A side that the kind calls device must be reachable by the device; a side it calls host may be
// anything, since a card with one address space looks at the pointer itself (tests/recorded).
bool kind_allows(bool called_device, Where where) {
  return !called_device || where == Where::kDevice || where == Where::kMapped;
}

template <typename Row>
void for_each_row(const Block& block, Row row) {
  for (size_t plane = 0; plane < block.planes; ++plane) {
    for (size_t y = 0; y < block.height; ++y) row(plane, y);
  }
}

}  // namespace

cudaError_t copy_block(const Place& to, const Place& from, const Block& block,
                       cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (is_empty(block)) return cudaSuccess;
  const uint64_t to_bytes = span_of(to, block), from_bytes = span_of(from, block);
  if (to_bytes == 0 || from_bytes == 0 || !pitches_fit(to, block) || !pitches_fit(from, block)) {
    return cudaErrorInvalidValue;
  }
  const auto target = allocations().view(to.start, to_bytes, HostUse::kWrite);
  const auto source = allocations().view(from.start, from_bytes, HostUse::kRead);
  if (target.where == Where::kInvalid || source.where == Where::kInvalid) {
    return cudaErrorInvalidValue;
  }
  if (kind != cudaMemcpyDefault) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!kind_allows(to_device, target.where) || !kind_allows(from_device, source.where)) {
      return cudaErrorInvalidValue;
    }
  }
  for_each_row(block, [&](size_t plane, size_t y) {
    std::memmove(target.bytes + plane * to.plane_pitch + y * to.row_pitch,
                 source.bytes + plane * from.plane_pitch + y * from.row_pitch, block.width);
  });
  return cudaSuccess;
}

cudaError_t fill_block(const Place& to, int value, const Block& block) {
  if (is_empty(block)) return cudaSuccess;
  const uint64_t bytes = span_of(to, block);
  if (bytes == 0 || !pitches_fit(to, block)) return cudaErrorInvalidValue;
  const auto target = allocations().view(to.start, bytes, HostUse::kWrite);
  if (target.where != Where::kDevice && target.where != Where::kMapped) {
    return cudaErrorInvalidValue;
  }
  for_each_row(block, [&](size_t plane, size_t y) {
    std::memset(target.bytes + plane * to.plane_pitch + y * to.row_pitch, value, block.width);
  });
  return cudaSuccess;
}

}  // namespace tcd::emu::runtime
