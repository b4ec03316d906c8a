// Streams that are being captured: what is put on them becomes nodes of a graph.
#pragma once

#include "runtime/work.h"

namespace tcd::emu::runtime {

bool is_captured(cudaStream_t stream);
// Adds a node behind what this stream did last. Throws ApiError when the capture was invalidated.
void capture(cudaStream_t stream, const Work& work);

// Called before work on a stream that is not captured. Throws ApiError when it is the legacy
// stream, which would have to wait for a captured one: that capture is lost.
void refuse_beside_capture(cudaStream_t stream);
// For calls that wait for a stream or event: a captured one will never be done.
void refuse_to_wait_for(cudaStream_t stream);
void refuse_to_wait_for(cudaEvent_t event);
// For calls a card takes for unsafe while this thread captures (cudaMalloc, cudaDeviceSynchronize).
void refuse_while_capturing();

// An event recorded on a captured stream names the nodes before it; a stream that waits for it
// joins the capture. False: there is no capture here, the call has its ordinary meaning.
bool capture_record(cudaEvent_t event, cudaStream_t stream);
bool capture_wait(cudaStream_t stream, cudaEvent_t event);
void forget_captures_of(cudaEvent_t event);
void forget_captures_of(cudaStream_t stream);
void forget_all_captures();
bool is_being_captured(const CUgraph_st& graph);

}  // namespace tcd::emu::runtime
