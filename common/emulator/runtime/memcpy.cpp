// The cudaMemcpy… and cudaMemset… functions. Asynchronous ones are done when they return.
#include "runtime/copies.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

Place linear(const void* start) { return {const_cast<void*>(start), 0, 0}; }
Place pitched(const void* start, size_t pitch) { return {const_cast<void*>(start), pitch, 0}; }

// A corner inside a 3D block. Throws nothing; wrong corners are found by copy_block.
Place corner(const cudaPitchedPtr& block, const cudaPos& at) {
  const size_t plane = block.pitch * block.ysize;
  auto* start = static_cast<std::byte*>(block.ptr);
  if (start != nullptr) start += at.z * plane + at.y * block.pitch + at.x;
  return {start, block.pitch, plane};
}

cudaError_t copy_3d(const cudaMemcpy3DParms& p) {
  if (p.srcArray != nullptr || p.dstArray != nullptr) {
    throw ApiError(cudaErrorNotSupported, "cudaMemcpy3D: CUDA arrays are not emulated");
  }
  return copy_block(corner(p.dstPtr, p.dstPos), corner(p.srcPtr, p.srcPos),
                    {p.extent.width, p.extent.height, p.extent.depth}, p.kind);
}

cudaError_t fill_3d(const cudaPitchedPtr& block, int value, const cudaExtent& extent) {
  return fill_block(corner(block, {}), value, {extent.width, extent.height, extent.depth});
}

template <typename Body>
cudaError_t queue_on(cudaStream_t stream, Body&& body) {
  return queue([&] {
    require_stream(stream);
    return body();
  });
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return synchronize([&] { return copy_block(linear(to), linear(from), {bytes}, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return queue_on(stream, [&] { return copy_block(linear(to), linear(from), {bytes}, kind); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronize([&] {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    return copy_block(pitched(to, to_pitch), pitched(from, from_pitch), {width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return queue_on(stream, [&] {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    return copy_block(pitched(to, to_pitch), pitched(from, from_pitch), {width, height}, kind);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return synchronize([&] { return p == nullptr ? cudaErrorInvalidValue : copy_3d(*p); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return queue_on(stream, [&] { return p == nullptr ? cudaErrorInvalidValue : copy_3d(*p); });
}

// There is one device, so a copy between devices is a copy on it.
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return queue([&] { return fill_block(linear(to), value, {bytes}); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return queue_on(stream, [&] { return fill_block(linear(to), value, {bytes}); });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return queue([&] { return fill_block(pitched(to, pitch), value, {width, height}); });
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return queue_on(stream, [&] { return fill_block(pitched(to, pitch), value, {width, height}); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr block, int value, cudaExtent extent) {
  return queue([&] { return fill_3d(block, value, extent); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr block, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return queue_on(stream, [&] { return fill_3d(block, value, extent); });
}
