// Events. Elapsed time is the emulation's own wall time: it says nothing about any card.
#include <chrono>
#include <optional>
#include <set>

#include "runtime/capture.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

using Clock = std::chrono::steady_clock;

// The type behind cudaEvent_t, left incomplete by NVIDIA's headers.
struct CUevent_st {
  unsigned flags = 0;
  std::optional<Clock::time_point> recorded;
};

namespace {

constexpr unsigned kKnownFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

std::set<cudaEvent_t>& events() {
  static auto* all = new std::set<cudaEvent_t>;
  return *all;
}

}  // namespace

void tcd::emu::runtime::require_event(cudaEvent_t event) {
  if (events().contains(event)) return;
  throw ApiError(cudaErrorInvalidResourceHandle,
                 "an event was used that does not exist (destroyed already, or never created)");
}

void tcd::emu::runtime::record_event(cudaEvent_t event) {
  require_event(event);
  event->recorded = Clock::now();
}

void tcd::emu::runtime::destroy_events() {
  for (cudaEvent_t event : events()) delete event;
  events().clear();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return query([&] {
    if (event == nullptr || (flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
    *event = new CUevent_st{flags, std::nullopt};
    events().insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return query([&] {
    require_event(event);
    forget_captures_of(event);
    events().erase(event);
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return queue([&] {
    if ((flags & ~unsigned{cudaEventRecordExternal}) != 0) return cudaErrorInvalidValue;
    require_event(event);
    require_stream(stream);
    const bool is_outside = (flags & cudaEventRecordExternal) != 0;
    if (!is_outside && capture_record(event, stream)) return cudaSuccess;
    return submit(stream, RecordWork{event});
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return synchronize([&] {
    require_event(event);
    refuse_to_wait_for(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return synchronize([&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    require_event(start);
    require_event(end);
    if (((start->flags | end->flags) & cudaEventDisableTiming) || !start->recorded ||
        !end->recorded) {
      return cudaErrorInvalidResourceHandle;
    }
    note_once("times between events are the emulation's wall time, not a card's");
    *milliseconds =
        std::chrono::duration<float, std::milli>(*end->recorded - *start->recorded).count();
    return cudaSuccess;
  });
}
