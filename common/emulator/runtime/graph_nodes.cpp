// Making nodes of graphs, and changing what they do: cudaGraphAdd…Node, cudaGraph…NodeSetParams,
// cudaGraphExec…NodeSetParams and their readers.
#include "runtime/graph.h"
#include "runtime/graph_memory.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

template <typename T>
const T& given(const T* params) {
  if (params == nullptr) throw ApiError(cudaErrorInvalidValue, "parameters of a node are missing");
  return *params;
}

template <typename Params>  // cudaKernelNodeParams and its second version
KernelWork kernel_of(const Params& p) {
  if (p.kernelParams == nullptr && p.extra != nullptr) {
    throw ApiError(cudaErrorNotSupported,
                   "kernel arguments in the \"extra\" form are not emulated");
  }
  return prepare_kernel(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes, false);
}

template <typename Params>
FillWork fill_of(const Params& p) {
  const size_t width = p.width * p.elementSize;
  return {{p.dst, p.height > 1 ? p.pitch : width, 0}, p.value, p.elementSize, {width, p.height}};
}

CopyWork copy_1d(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return {{to, 0, 0}, {const_cast<void*>(from), 0, 0}, {bytes}, kind};
}

HostWork host_of(const cudaHostNodeParams& p) { return {p.fn, p.userData}; }

// `make` says what the node does. Throws ApiError.
template <typename Make>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                size_t count, Make make) {
  return query([&] {
    if (node == nullptr) return cudaErrorInvalidValue;
    CUgraph_st& into = graph_of(graph);
    std::vector<CUgraphNode_st*> needs = nodes_in(into, dependencies, count);
    Work work = make();
    const cudaError_t wrong = check(work);
    if (wrong == cudaSuccess) *node = &into.add(std::move(work), std::move(needs));
    return wrong;
  });
}

// Replaces what a node does; what kind of work it is must stay.
template <typename Make>
cudaError_t change(CUgraphNode_st& node, Make make) {
  if (std::holds_alternative<ConditionalWork>(node.work)) return cudaErrorInvalidValue;
  Work work = make();
  if (work.index() != node.work.index()) return cudaErrorInvalidValue;
  const cudaError_t wrong = check(work);
  if (wrong == cudaSuccess) node.work = std::move(work);
  return wrong;
}

template <typename Make>
cudaError_t set(cudaGraphNode_t node, Make make) {
  return query([&] { return change(node_of(node), make); });
}

template <typename Make>
cudaError_t set_in(cudaGraphExec_t executable, cudaGraphNode_t node, Make make) {
  return query([&] { return change(node_in(executable, node), make); });
}

template <typename Kind, typename Params, typename Read>
cudaError_t get(cudaGraphNode_t node, Params* params, Read read) {
  return query([&] {
    if (params == nullptr) return cudaErrorInvalidValue;
    const auto* work = std::get_if<Kind>(&node_of(node).work);
    if (work == nullptr) return cudaErrorInvalidValue;
    read(*work, *params);
    return cudaSuccess;
  });
}

cudaPitchedPtr pitched_of(const Place& place, const Block& block) {
  const size_t pitch = place.row_pitch != 0 ? place.row_pitch : block.width;
  return {place.start, pitch, block.width,
          place.plane_pitch != 0 ? place.plane_pitch / pitch : block.height};
}

// A child is a copy: what the program does to the original later does not matter.
GraphWork child_of(cudaGraph_t graph) {
  CUgraph_st::Copies ignored;
  return {graph_of(graph).copy(ignored)};
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* p) {
  return add(node, graph, dependencies, count, [&] { return kernel_of(given(p)); });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return set(node, [&] { return kernel_of(given(p)); });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return set_in(executable, node, [&] { return kernel_of(given(p)); });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return get<KernelWork>(node, p, [](const KernelWork& w, cudaKernelNodeParams& out) {
    w.arguments.clear();
    for (const uint32_t at : w.params_at) {
      w.arguments.push_back(const_cast<std::byte*>(w.params.data()) + at);
    }
    out = {};
    out.func = const_cast<void*>(w.function);
    out.gridDim = w.grid;
    out.blockDim = w.block;
    out.sharedMemBytes = static_cast<unsigned>(w.dynamic_shared);
    out.kernelParams = w.arguments.data();
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* p) {
  return add(node, graph, dependencies, count, [&] { return copy_of(given(p)); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return set(node, [&] { return copy_of(given(p)); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
  return set_in(executable, node, [&] { return copy_of(given(p)); });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return get<CopyWork>(node, p, [](const CopyWork& w, cudaMemcpy3DParms& out) {
    out = {};
    out.srcPtr = pitched_of(w.from, w.block);
    out.dstPtr = pitched_of(w.to, w.block);
    out.extent = {w.block.width, w.block.height, w.block.planes};
    out.kind = w.kind;
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&] { return copy_1d(to, from, bytes, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return set(node, [&] { return copy_1d(to, from, bytes, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set_in(executable, node, [&] { return copy_1d(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&] {
    return copy_with_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
  return set(node, [&] {
    return copy_with_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                     cudaGraphNode_t node, const void* symbol,
                                                     const void* from, size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return set_in(executable, node, [&] {
    return copy_with_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true);
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count,
                                             void* to, const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count,
             [&] { return copy_with_symbol(symbol, to, bytes, offset, kind, false); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
  return set(node, [&] { return copy_with_symbol(symbol, to, bytes, offset, kind, false); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return set_in(executable, node,
                [&] { return copy_with_symbol(symbol, to, bytes, offset, kind, false); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* p) {
  return add(node, graph, dependencies, count, [&] { return fill_of(given(p)); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return set(node, [&] { return fill_of(given(p)); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  return set_in(executable, node, [&] { return fill_of(given(p)); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return get<FillWork>(node, p, [](const FillWork& w, cudaMemsetParams& out) {
    out = {};
    out.dst = w.to.start;
    out.pitch = w.to.row_pitch;
    out.value = w.value;
    out.elementSize = w.element_bytes;
    out.width = w.block.width / w.element_bytes;
    out.height = w.block.height;
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* p) {
  return add(node, graph, dependencies, count, [&] { return host_of(given(p)); });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return set(node, [&] { return host_of(given(p)); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return set_in(executable, node, [&] { return host_of(given(p)); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return get<HostWork>(node, p, [](const HostWork& w, cudaHostNodeParams& out) {
    out = {w.function, w.data};
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaGraph_t child) {
  return add(node, graph, dependencies, count, [&] { return child_of(child); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<GraphWork>(node, graph,
                        [](const GraphWork& w, cudaGraph_t& out) { out = w.graph.get(); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set_in(executable, node, [&] { return child_of(child); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return add(node, graph, dependencies, count, [] { return EmptyWork{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&] { return RecordWork{event}; });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<RecordWork>(node, event, [](const RecordWork& w, cudaEvent_t& out) { out = w.event; });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, [&] { return RecordWork{event}; });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set_in(executable, node, [&] { return RecordWork{event}; });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count,
                                      cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&] { return WaitWork{event}; });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<WaitWork>(node, event, [](const WaitWork& w, cudaEvent_t& out) { out = w.event; });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, [&] { return WaitWork{event}; });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set_in(executable, node, [&] { return WaitWork{event}; });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* p) {
  return add(node, graph, dependencies, count, [&] {
    if (given(p).bytesize == 0) throw ApiError(cudaErrorInvalidValue, "a node allocates 0 bytes");
    const AllocateWork work{std::make_shared<GraphMemory>(p->bytesize)};
    p->dptr = work.memory->pointer;
    return work;
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  return get<AllocateWork>(node, p, [](const AllocateWork& w, cudaMemAllocNodeParams& out) {
    out = {};
    out.poolProps.allocType = cudaMemAllocationTypePinned;
    out.poolProps.location.type = cudaMemLocationTypeDevice;
    out.bytesize = w.memory->bytes;
    out.dptr = w.memory->pointer;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count,
                                    void* pointer) {
  return add(node, graph, dependencies, count, [&] {
    if (pointer == nullptr) throw ApiError(cudaErrorInvalidValue, "a node frees a null pointer");
    return FreeWork{pointer};
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return get<FreeWork>(node, static_cast<void**>(pointer),
                       [](const FreeWork& w, void*& out) { out = w.pointer; });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned enabled) {
  return query([&] {
    CUgraphNode_st& copy = node_in(executable, node);
    const bool can_rest = std::holds_alternative<KernelWork>(copy.work) ||
                          std::holds_alternative<CopyWork>(copy.work) ||
                          std::holds_alternative<FillWork>(copy.work);
    if (!can_rest) return cudaErrorInvalidValue;
    copy.is_enabled = enabled != 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned* enabled) {
  return query([&] {
    if (enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = node_in(executable, node).is_enabled;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000  // CUDA 12 has cudaGraphAddNode without edge data
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags) {
  return query([&] {
    if (handle == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0) {
      return cudaErrorInvalidValue;
    }
    CUgraph_st& into = graph_of(graph);
    into.conditions.push_back(
        std::make_shared<Condition>(default_value, flags == cudaGraphCondAssignDefault));
    *handle = into.conditions.back()->address;
    return cudaSuccess;
  });
}

namespace {

ConditionalWork conditional_of(cudaConditionalNodeParams& p) {
  const bool fits = p.type == cudaGraphCondTypeWhile ? p.size == 1
                    : p.type == cudaGraphCondTypeIf  ? p.size == 1 || p.size == 2
                                                     : p.size >= 1;
  if (!fits || p.type > cudaGraphCondTypeSwitch) {
    throw ApiError(cudaErrorInvalidValue, "a conditional node with " + std::to_string(p.size) +
                                              " bodies: WHILE has 1, IF 1 or 2, SWITCH any number");
  }
  ConditionalWork work;
  work.handle = p.handle;
  work.type = p.type;
  for (unsigned i = 0; i < p.size; ++i) work.bodies.push_back(std::make_shared<CUgraph_st>());
  return work;
}

Work work_of(cudaGraphNodeParams& p) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel:
      return kernel_of(p.kernel);
    case cudaGraphNodeTypeMemcpy:
      return copy_of(p.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return fill_of(p.memset);
    case cudaGraphNodeTypeHost:
      return HostWork{p.host.fn, p.host.userData};
    case cudaGraphNodeTypeGraph:
      return child_of(p.graph.graph);
    case cudaGraphNodeTypeEmpty:
      return EmptyWork{};
    case cudaGraphNodeTypeWaitEvent:
      return WaitWork{p.eventWait.event};
    case cudaGraphNodeTypeEventRecord:
      return RecordWork{p.eventRecord.event};
    case cudaGraphNodeTypeMemFree:
      return FreeWork{p.free.dptr};
    case cudaGraphNodeTypeMemAlloc: {
      const AllocateWork work{std::make_shared<GraphMemory>(p.alloc.bytesize)};
      p.alloc.dptr = work.memory->pointer;
      return work;
    }
    case cudaGraphNodeTypeConditional:
      return conditional_of(p.conditional);
    default:
      throw ApiError(cudaErrorNotSupported,
                     "graph nodes of type " + std::to_string(p.type) + " are not emulated");
  }
}

}  // namespace

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             size_t count, cudaGraphNodeParams* p) {
  const cudaError_t result = add(node, graph, dependencies, count, [&] {
    given(p);
    return work_of(*p);
  });
  if (result != cudaSuccess || p->type != cudaGraphNodeTypeConditional) return result;
  // The program fills the bodies through an array that lives as long as the node.
  auto& work = std::get<ConditionalWork>((*node)->work);
  for (const auto& body : work.bodies) work.handles.push_back(body.get());
  p->conditional.phGraph_out = work.handles.data();
  return cudaSuccess;
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return set(node, [&] {
    given(p);
    return work_of(*p);
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  return set_in(executable, node, [&] {
    given(p);
    return work_of(*p);
  });
}
#endif
