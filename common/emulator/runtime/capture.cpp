#include "runtime/capture.h"

#include <algorithm>
#include <set>
#include <thread>

#include "runtime/graph.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

using Nodes = std::vector<CUgraphNode_st*>;

struct Capture {
  unsigned long long id = 0;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  std::shared_ptr<CUgraph_st> graph;
  bool is_valid = true;
  std::vector<const CUgraphNode_st*> added;
  std::map<cudaStream_t, Nodes> last;     // what each captured stream did last
  std::map<cudaEvent_t, Nodes> recorded;  // what was done when the event was recorded
};

std::vector<std::unique_ptr<Capture>>& captures() {
  static auto* all = new std::vector<std::unique_ptr<Capture>>;
  return *all;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

Capture* capture_of(cudaStream_t stream) {
  for (const auto& c : captures()) {
    if (c->last.contains(stream)) return c.get();
  }
  return nullptr;
}

[[noreturn]] void invalidate(Capture& c, cudaError_t code, const char* why) {
  c.is_valid = false;
  throw ApiError(code, why);
}

Capture& valid_capture_of(cudaStream_t stream) {
  Capture* c = capture_of(stream);
  if (!c->is_valid) {
    throw ApiError(cudaErrorStreamCaptureInvalidated,
                   "a stream's capture was lost by an earlier error: end it");
  }
  return *c;
}

bool is_blocking(cudaStream_t stream) {
  unsigned flags = 0;
  return cudaStreamGetFlags(stream, &flags) == cudaSuccess && (flags & cudaStreamNonBlocking) == 0;
}

// Every node of the capture must come before the end of the stream it began on.
bool is_joined(const Capture& c) {
  std::set<const CUgraphNode_st*> seen;
  std::vector<const CUgraphNode_st*> waiting(c.last.at(c.origin).begin(),
                                             c.last.at(c.origin).end());
  while (!waiting.empty()) {
    const CUgraphNode_st* node = waiting.back();
    waiting.pop_back();
    if (!seen.insert(node).second) continue;
    waiting.insert(waiting.end(), node->needs.begin(), node->needs.end());
  }
  return std::all_of(c.added.begin(), c.added.end(),
                     [&](const CUgraphNode_st* node) { return seen.contains(node); });
}

void add_missing(Nodes& to, const Nodes& from) {
  for (CUgraphNode_st* node : from) {
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

cudaError_t begin(cudaStream_t stream, std::shared_ptr<CUgraph_st> graph, Nodes after,
                  cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) {
    return cudaErrorInvalidValue;
  }
  require_stream(stream);
  if (stream == nullptr || stream == cudaStreamLegacy) {
    throw ApiError(cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
  }
  if (is_captured(stream)) {
    throw ApiError(cudaErrorIllegalState, "this stream is being captured already");
  }
  static unsigned long long next_id = 1;
  auto c = std::make_unique<Capture>();
  c->id = next_id++;
  c->origin = stream;
  c->mode = mode;
  c->thread = std::this_thread::get_id();
  c->graph = std::move(graph);
  c->last[stream] = std::move(after);
  captures().push_back(std::move(c));
  return cudaSuccess;
}

}  // namespace

bool tcd::emu::runtime::is_captured(cudaStream_t stream) { return capture_of(stream) != nullptr; }

void tcd::emu::runtime::capture(cudaStream_t stream, const Work& work) {
  Capture& c = valid_capture_of(stream);
  CUgraphNode_st& node = c.graph->add(work, c.last[stream]);
  c.added.push_back(&node);
  c.last[stream] = {&node};
}

void tcd::emu::runtime::refuse_beside_capture(cudaStream_t stream) {
  if (stream != nullptr && stream != cudaStreamLegacy) return;
  for (const auto& c : captures()) {
    if (!is_blocking(c->origin)) continue;
    invalidate(*c, cudaErrorStreamCaptureImplicit,
               "work on the legacy stream while a stream is captured that waits for it: capture a "
               "stream made with cudaStreamNonBlocking, or use another one for this work");
  }
}

void tcd::emu::runtime::refuse_to_wait_for(cudaStream_t stream) {
  if (Capture* c = capture_of(stream)) {
    invalidate(*c, cudaErrorStreamCaptureUnsupported,
               "a stream that is being captured does nothing, so nothing can wait for it");
  }
}

void tcd::emu::runtime::refuse_to_wait_for(cudaEvent_t event) {
  for (const auto& c : captures()) {
    if (!c->recorded.contains(event)) continue;
    invalidate(*c, cudaErrorCapturedEvent,
               "an event that was recorded on a captured stream cannot be waited for by the host");
  }
}

void tcd::emu::runtime::refuse_while_capturing() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return;
  for (const auto& c : captures()) {
    const bool is_mine = c->thread == std::this_thread::get_id();
    if (c->mode == cudaStreamCaptureModeRelaxed) continue;
    if (c->mode == cudaStreamCaptureModeThreadLocal && !is_mine) continue;
    if (thread_mode == cudaStreamCaptureModeThreadLocal && !is_mine) continue;
    invalidate(*c, cudaErrorStreamCaptureUnsupported,
               "cudaMalloc, cudaFree and cudaDeviceSynchronize are not allowed while a stream is "
               "captured (cudaStreamCaptureModeRelaxed allows them)");
  }
}

bool tcd::emu::runtime::capture_record(cudaEvent_t event, cudaStream_t stream) {
  forget_captures_of(event);
  if (!is_captured(stream)) return false;
  Capture& c = valid_capture_of(stream);
  c.recorded[event] = c.last[stream];
  return true;
}

bool tcd::emu::runtime::capture_wait(cudaStream_t stream, cudaEvent_t event) {
  Capture* mine = capture_of(stream);
  for (const auto& c : captures()) {
    const auto found = c->recorded.find(event);
    if (found == c->recorded.end()) continue;
    if (mine != nullptr && mine != c.get()) {
      invalidate(*mine, cudaErrorStreamCaptureMerge,
                 "a captured stream cannot wait for an event of another capture");
    }
    if (mine != nullptr) valid_capture_of(stream);
    add_missing(c->last[stream], found->second);
    return true;
  }
  if (mine == nullptr) return false;
  invalidate(*mine, cudaErrorStreamCaptureIsolation,
             "a captured stream cannot wait for an event that was recorded outside");
}

void tcd::emu::runtime::forget_captures_of(cudaEvent_t event) {
  for (const auto& c : captures()) c->recorded.erase(event);
}

void tcd::emu::runtime::forget_captures_of(cudaStream_t stream) {
  std::erase_if(captures(), [&](const auto& c) { return c->origin == stream; });
  for (const auto& c : captures()) c->last.erase(stream);  // what it did must have joined by now
}

void tcd::emu::runtime::forget_all_captures() { captures().clear(); }

bool tcd::emu::runtime::is_being_captured(const CUgraph_st& graph) {
  return std::any_of(captures().begin(), captures().end(),
                     [&](const auto& c) { return c->graph.get() == &graph; });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return query([&] { return begin(stream, std::make_shared<CUgraph_st>(), {}, mode); });
}

#if CUDART_VERSION >= 12030
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode mode) {
  return query([&] {
    CUgraph_st& into = graph_of(graph);
    // The program's handle stays the owner; the capture only borrows.
    return begin(stream, std::shared_ptr<CUgraph_st>(std::shared_ptr<void>(), &into),
                 nodes_in(into, dependencies, count), mode);
  });
}
#endif

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return query([&] {
    if (graph != nullptr) *graph = nullptr;
    require_stream(stream);
    Capture* c = capture_of(stream);
    if (c == nullptr) {
      throw ApiError(cudaErrorIllegalState, "this stream is not being captured");
    }
    if (c->origin != stream) {
      invalidate(*c, cudaErrorStreamCaptureUnmatched,
                 "a capture must be ended on the stream it began on");
    }
    const auto at = std::find_if(captures().begin(), captures().end(),
                                 [&](const auto& one) { return one.get() == c; });
    const std::unique_ptr<Capture> done = std::move(*at);
    captures().erase(at);
    if (!done->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (!is_joined(*done)) {
      throw ApiError(cudaErrorStreamCaptureUnjoined,
                     "a capture ended while work on another stream had not joined it: record an "
                     "event there and let the first stream wait for it");
    }
    const bool is_new = done->graph.use_count() != 0;  // else it was captured into a graph
    if (graph == nullptr) return is_new ? cudaErrorInvalidValue : cudaSuccess;
    *graph = is_new ? own(done->graph) : done->graph.get();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return query([&] {
    if (status == nullptr) return cudaErrorInvalidValue;
    require_stream(stream);
    const Capture* c = capture_of(stream);
    *status = c == nullptr  ? cudaStreamCaptureStatusNone
              : c->is_valid ? cudaStreamCaptureStatusActive
                            : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return query([&] {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
        *mode > cudaStreamCaptureModeRelaxed) {
      return cudaErrorInvalidValue;
    }
    std::swap(*mode, thread_mode);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000  // CUDA 12 has other arguments, under names with a version
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  const cudaError_t error = cudaStreamIsCapturing(stream, status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  return query([&] {
    Capture& c = *capture_of(stream);
    const Nodes& last = c.last[stream];
    if (id != nullptr) *id = c.id;
    if (graph != nullptr) *graph = c.graph.get();
    if (dependencies != nullptr) *dependencies = last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = last.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned flags) {
  return query([&] {
    require_stream(stream);
    if (!is_captured(stream)) return cudaErrorIllegalState;
    if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    Capture& c = valid_capture_of(stream);
    const Nodes nodes = nodes_in(*c.graph, dependencies, count);
    if (flags == cudaStreamSetCaptureDependencies) c.last[stream].clear();
    add_missing(c.last[stream], nodes);
    return cudaSuccess;
  });
}
#endif
