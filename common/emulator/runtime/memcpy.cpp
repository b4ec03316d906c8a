// The cudaMemcpy… and cudaMemset… functions. Asynchronous ones are done when they return.
#include "runtime/capture.h"
#include "runtime/copies.h"
#include "runtime/handles.h"
#include "runtime/work.h"

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

FillWork fill_of(const Place& to, int value, const Block& block) {
  return {to, static_cast<unsigned>(value), 1, block};
}

FillWork fill_3d(const cudaPitchedPtr& block, int value, const cudaExtent& extent) {
  return fill_of(corner(block, {}), value, {extent.width, extent.height, extent.depth});
}

// Waits, as the blocking forms do.
cudaError_t copy_now(const CopyWork& work) {
  return synchronize([&] {
    refuse_beside_capture(nullptr);
    return perform(work);
  });
}

}  // namespace

CopyWork tcd::emu::runtime::copy_of(const cudaMemcpy3DParms& p) {
  if (p.srcArray != nullptr || p.dstArray != nullptr) {
    throw ApiError(cudaErrorNotSupported, "cudaMemcpy3D: CUDA arrays are not emulated");
  }
  return {corner(p.dstPtr, p.dstPos),
          corner(p.srcPtr, p.srcPos),
          {p.extent.width, p.extent.height, p.extent.depth},
          p.kind};
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_now({linear(to), linear(from), {bytes}, kind});
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return submit(stream, CopyWork{linear(to), linear(from), {bytes}, kind});
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronize([&] {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    return copy_now({pitched(to, to_pitch), pitched(from, from_pitch), {width, height}, kind});
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return queue([&] {
    require_stream(stream);
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    return submit(
        stream, CopyWork{pitched(to, to_pitch), pitched(from, from_pitch), {width, height}, kind});
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return synchronize([&] { return p == nullptr ? cudaErrorInvalidValue : copy_now(copy_of(*p)); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return queue([&] { return p == nullptr ? cudaErrorInvalidValue : submit(stream, copy_of(*p)); });
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
  return submit(nullptr, fill_of(linear(to), value, {bytes}));
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return submit(stream, fill_of(linear(to), value, {bytes}));
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return submit(nullptr, fill_of(pitched(to, pitch), value, {width, height}));
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return submit(stream, fill_of(pitched(to, pitch), value, {width, height}));
}

cudaError_t cudaMemset3D(cudaPitchedPtr block, int value, cudaExtent extent) {
  return submit(nullptr, fill_3d(block, value, extent));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr block, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return submit(stream, fill_3d(block, value, extent));
}
