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

struct Sides {
  Allocations::View target, source;
};

// The memory of both sides, or what a card answers. target_use: kRead only looks.
cudaError_t look_up(const Place& to, const Place& from, const Block& block, cudaMemcpyKind kind,
                    HostUse target_use, Sides& sides) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (is_empty(block)) return cudaSuccess;
  const uint64_t to_bytes = span_of(to, block), from_bytes = span_of(from, block);
  if (to_bytes == 0 || from_bytes == 0 || !pitches_fit(to, block) || !pitches_fit(from, block)) {
    return cudaErrorInvalidValue;
  }
  sides.target = allocations().view(to.start, to_bytes, target_use);
  sides.source = allocations().view(from.start, from_bytes, HostUse::kRead);
  if (sides.target.where == Where::kInvalid || sides.source.where == Where::kInvalid) {
    return cudaErrorInvalidValue;
  }
  if (kind == cudaMemcpyDefault) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return kind_allows(to_device, sides.target.where) && kind_allows(from_device, sides.source.where)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

cudaError_t look_up(const Place& to, unsigned element_bytes, const Block& block, HostUse use,
                    Allocations::View& target) {
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) return cudaErrorInvalidValue;
  if (is_empty(block)) return cudaSuccess;
  const uint64_t bytes = span_of(to, block);
  if (bytes == 0 || !pitches_fit(to, block) || block.width % element_bytes != 0) {
    return cudaErrorInvalidValue;
  }
  target = allocations().view(to.start, bytes, use);
  return target.where == Where::kDevice || target.where == Where::kMapped ? cudaSuccess
                                                                          : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t check_copy(const Place& to, const Place& from, const Block& block,
                       cudaMemcpyKind kind) {
  Sides sides;
  return look_up(to, from, block, kind, HostUse::kRead, sides);
}

cudaError_t copy_block(const Place& to, const Place& from, const Block& block,
                       cudaMemcpyKind kind) {
  Sides sides;
  const cudaError_t error = look_up(to, from, block, kind, HostUse::kWrite, sides);
  if (error != cudaSuccess || is_empty(block)) return error;
  for_each_row(block, [&](size_t plane, size_t y) {
    std::memmove(sides.target.bytes + plane * to.plane_pitch + y * to.row_pitch,
                 sides.source.bytes + plane * from.plane_pitch + y * from.row_pitch, block.width);
  });
  return cudaSuccess;
}

cudaError_t check_fill(const Place& to, unsigned element_bytes, const Block& block) {
  Allocations::View target;
  return look_up(to, element_bytes, block, HostUse::kRead, target);
}

cudaError_t fill_block(const Place& to, unsigned value, unsigned element_bytes,
                       const Block& block) {
  Allocations::View target;
  const cudaError_t error = look_up(to, element_bytes, block, HostUse::kWrite, target);
  if (error != cudaSuccess || is_empty(block)) return error;
  for_each_row(block, [&](size_t plane, size_t y) {
    std::byte* row = target.bytes + plane * to.plane_pitch + y * to.row_pitch;
    if (element_bytes == 1) {
      std::memset(row, static_cast<int>(value), block.width);
    } else {
      for (size_t x = 0; x < block.width; x += element_bytes) {
        std::memcpy(row + x, &value, element_bytes);
      }
    }
  });
  return cudaSuccess;
}

}  // namespace tcd::emu::runtime
