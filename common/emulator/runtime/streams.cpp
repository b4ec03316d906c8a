// Streams. All work is done when the call that queues it returns, so order holds by itself.
#include <map>
#include <set>

#include "runtime/capture.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

// The type behind cudaStream_t, left incomplete by NVIDIA's headers.
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  std::map<int, cudaLaunchAttributeValue> attributes = {};  // hints: kept, so that they read back
};

namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

std::set<cudaStream_t>& streams() {
  static auto* all = new std::set<cudaStream_t>;
  return *all;
}

bool is_special(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t create(cudaStream_t* stream, unsigned flags, int priority) {
  return query([&] {
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
      return cudaErrorInvalidValue;
    }
    static unsigned long long next_id = 16;  // the special streams have the small numbers
    priority = std::max(kGreatestPriority, std::min(kLeastPriority, priority));
    *stream = new CUstream_st{flags, priority, next_id++, {}};
    streams().insert(*stream);
    return cudaSuccess;
  });
}

// Answers a question about a stream; `special` is the answer for the default streams.
template <typename T, typename Read>
cudaError_t answer(cudaStream_t stream, T* out, T special, Read read) {
  return query([&] {
    if (out == nullptr) return cudaErrorInvalidValue;
    require_stream(stream);
    *out = is_special(stream) ? special : read(*stream);
    return cudaSuccess;
  });
}

// The default streams have attributes too.
std::map<int, cudaLaunchAttributeValue>& attributes_of(cudaStream_t stream) {
  static std::map<int, cudaLaunchAttributeValue> of_default;
  require_stream(stream);
  return is_special(stream) ? of_default : stream->attributes;
}

bool is_stream_attribute(cudaLaunchAttributeID id) {
  return id == cudaLaunchAttributeAccessPolicyWindow ||
         id == cudaLaunchAttributeSynchronizationPolicy || id == cudaLaunchAttributePriority ||
         id == cudaLaunchAttributeMemSyncDomain || id == cudaLaunchAttributeMemSyncDomainMap;
}

}  // namespace

void tcd::emu::runtime::require_stream(cudaStream_t stream) {
  if (is_special(stream) || streams().contains(stream)) return;
  throw ApiError(cudaErrorInvalidResourceHandle,
                 "a stream was used that does not exist (destroyed already, or never created)");
}

void tcd::emu::runtime::destroy_streams() {
  for (cudaStream_t stream : streams()) delete stream;
  streams().clear();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return query([&] {
    require_stream(stream);
    if (is_special(stream)) return cudaErrorInvalidResourceHandle;
    forget_captures_of(stream);
    streams().erase(stream);
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return synchronize([&] {
    require_stream(stream);
    refuse_to_wait_for(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return queue([&] {
    if ((flags & ~unsigned{cudaEventWaitExternal}) != 0) return cudaErrorInvalidValue;
    require_stream(stream);
    require_event(event);
    const bool is_outside = (flags & cudaEventWaitExternal) != 0;
    if (!is_outside && capture_wait(stream, event)) return cudaSuccess;
    return submit(stream, WaitWork{event});
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return answer(stream, flags, 0u, [](const CUstream_st& s) { return s.flags; });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return answer(stream, priority, 0, [](const CUstream_st& s) { return s.priority; });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return answer(stream, id, 1ull, [](const CUstream_st& s) { return s.id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* number) {
  return answer(stream, number, 0, [](const CUstream_st&) { return 0; });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue* value) {
  return query([&] {
    auto& attributes = attributes_of(stream);
    if (value == nullptr || !is_stream_attribute(id)) return cudaErrorInvalidValue;
    attributes[id] = *value;
    if (id == cudaLaunchAttributePriority && !is_special(stream)) {
      stream->priority = value->priority;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue* value) {
  return query([&] {
    auto& attributes = attributes_of(stream);
    if (value == nullptr || !is_stream_attribute(id)) return cudaErrorInvalidValue;
    if (!attributes.contains(id)) {
      cudaLaunchAttributeValue& fresh = attributes[id] = {};
      if (id == cudaLaunchAttributeSynchronizationPolicy) fresh.syncPolicy = cudaSyncPolicyAuto;
      if (id == cudaLaunchAttributePriority && !is_special(stream)) {
        fresh.priority = stream->priority;
      }
    }
    *value = attributes[id];
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return query([&] {
    attributes_of(to) = attributes_of(from);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
  return queue([&] {
    require_stream(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return query([&] {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return submit(stream, HostWork{function, data});
}

// The callback runs without the lock: it is the program's code and may take its time.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  bool run = false;
  const cudaError_t result = queue([&] {
    require_stream(stream);
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    refuse_to_wait_for(stream);  // a callback cannot be part of a graph
    run = true;
    return cudaSuccess;
  });
  if (run) callback(stream, cudaSuccess, data);
  return result;
}
