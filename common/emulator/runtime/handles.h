// Streams and events: everything runs at once and in order, so they are little more than names.
#pragma once

#include "runtime/error_state.h"

namespace tcd::emu::runtime {

// Throw ApiError (cudaErrorInvalidResourceHandle) for what was never created or is destroyed. The
// default streams always exist.
void require_stream(cudaStream_t stream);
void require_event(cudaEvent_t event);
void record_event(cudaEvent_t event);

void destroy_streams();
void destroy_events();

}  // namespace tcd::emu::runtime
