// Memory that graphs allocate. Its address is fixed when the node is made and stays for every
// launch, so the memory is reserved all the while; launches only decide whether it is in use.
#pragma once

#include <memory>

#include "runtime/error_state.h"

namespace tcd::emu::runtime {

struct GraphMemory {
  explicit GraphMemory(size_t bytes);  // throws std::bad_alloc
  ~GraphMemory();                      // of the last graph: memory in use lives until it is freed
  GraphMemory(const GraphMemory&) = delete;

  void* pointer = nullptr;
  size_t bytes = 0;
  bool is_in_use = false;
};

cudaError_t begin_use(GraphMemory& memory);  // cudaErrorInvalidValue: in use already
// Frees any device memory; what a graph reserved is then free for the graph's next launch.
cudaError_t free_device(void* pointer);
// True when `pointer` is reserved by a graph; then `result` says whether it was in use, and it is
// not any more.
bool end_use(void* pointer, cudaError_t& result);

}  // namespace tcd::emu::runtime
