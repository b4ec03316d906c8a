// What a stream or a graph can be told to do. Streams do it at once, unless they are being
// captured: then it becomes a node of a graph (capture.h), done at each launch of that graph.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "runtime/copies.h"
#include "runtime/registry.h"

struct CUgraph_st;

namespace tcd::emu::runtime {

struct KernelWork {
  const void* function = nullptr;  // as the program named it
  dim3 grid, block;
  size_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<std::byte> params;         // the parameter block
  std::vector<uint32_t> params_at;       // where each parameter lies in it
  mutable std::vector<void*> arguments;  // pointers into it, for cudaGraphKernelNodeGetParams
};

struct CopyWork {
  Place to, from;
  Block block;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct FillWork {
  Place to;
  unsigned value = 0;
  unsigned element_bytes = 1;  // 1, 2 or 4; the block's width is in bytes
  Block block;
};

struct HostWork {  // the program's own code: runs without the API's lock
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
struct EmptyWork {};

// Memory that a graph allocates: one address for all its launches, reserved when the node is made.
struct GraphMemory;  // graph_memory.h
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  void* pointer = nullptr;
};

struct GraphWork {
  std::shared_ptr<CUgraph_st> graph;
};

struct ConditionalWork {
  cudaGraphConditionalHandle handle = 0;  // the device address of the value
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<CUgraph_st>> bodies;
  std::vector<CUgraph_st*> handles;  // the bodies, as the program was told
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, EmptyWork,
                          AllocateWork, FreeWork, GraphWork, ConditionalWork>;

// What a cudaMemcpy3D, or a copy to or from a device variable, asks for. Throw ApiError.
CopyWork copy_of(const cudaMemcpy3DParms& params);
CopyWork copy_with_symbol(const void* symbol, void* other, size_t bytes, size_t offset,
                          cudaMemcpyKind kind, bool to_symbol);

// Puts work on a stream: one API call, with its errors. Wrong arguments are refused here, also when
// the stream is being captured.
cudaError_t submit(cudaStream_t stream, const Work& work);

// The launch of a kernel with its arguments packed; what a card would refuse is refused. Throws
// ApiError.
KernelWork prepare_kernel(const void* function, dim3 grid, dim3 block, void** arguments,
                          size_t dynamic_shared, bool cooperative);

// What a card says to wrong arguments when the work becomes a node.
cudaError_t check(const Work& work);
// Does it now, under the API's lock. Not for HostWork, GraphWork and ConditionalWork: those can run
// the program's own code.
cudaError_t perform(const Work& work);
cudaError_t perform_kernel(const KernelWork& work);

}  // namespace tcd::emu::runtime
