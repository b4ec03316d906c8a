// Graphs as a whole: making, copying, destroying, and what their nodes and edges are.
#include <algorithm>

#include "runtime/capture.h"
#include "runtime/graph.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

using Nodes = std::vector<CUgraphNode_st*>;

// With no room given, says how many there are; with more room than needed, the rest is null.
cudaError_t list(const Nodes& nodes, cudaGraphNode_t* out, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (out == nullptr) {
    *count = nodes.size();
    return cudaSuccess;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

template <typename Keep>
Nodes select(const CUgraph_st& graph, Keep keep) {
  Nodes nodes;
  for (const auto& node : graph.nodes) {
    if (keep(*node)) nodes.push_back(node.get());
  }
  return nodes;
}

bool needs(const CUgraphNode_st& user, const CUgraphNode_st& node) {
  return std::find(user.needs.begin(), user.needs.end(), &node) != user.needs.end();
}

constexpr cudaGraphNodeType kTypes[] = {
    cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,      cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeMemAlloc,    cudaGraphNodeTypeMemFree,
    cudaGraphNodeTypeGraph,  cudaGraphNodeTypeConditional};
static_assert(std::size(kTypes) == std::variant_size_v<Work>, "in the order of Work");

cudaError_t list_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                       size_t* count) {
  return query([&] {
    Nodes sources, targets;
    for (const auto& node : graph_of(graph).nodes) {
      for (CUgraphNode_st* needed : node->needs) {
        sources.push_back(needed);
        targets.push_back(node.get());
      }
    }
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    size_t room = *count;
    const cudaError_t error = list(sources, from, count);
    return error != cudaSuccess || to == nullptr ? error : list(targets, to, &room);
  });
}

cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         size_t count, bool add) {
  return query([&] {
    const CUgraph_st& in = graph_of(graph);
    const Nodes sources = nodes_in(in, from, count), targets = nodes_in(in, to, count);
    for (size_t i = 0; i < count; ++i) {
      if (needs(*targets[i], *sources[i]) == add) return cudaErrorInvalidValue;
      if (add) {
        targets[i]->needs.push_back(sources[i]);
      } else {
        std::erase(targets[i]->needs, sources[i]);
      }
    }
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return query([&] {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = own(std::make_shared<CUgraph_st>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return query([&] {
    if (is_being_captured(graph_of(graph))) return cudaErrorInvalidValue;
    return disown(graph) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return query([&] {
    if (clone == nullptr) return cudaErrorInvalidValue;
    CUgraph_st::Copies ignored;
    *clone = own(graph_of(original).copy(ignored));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return query([&] {
    if (node == nullptr) return cudaErrorInvalidValue;
    const CUgraphNode_st* wanted = &node_of(original);
    const Nodes found =
        select(graph_of(clone), [&](const CUgraphNode_st& n) { return n.origin == wanted; });
    if (found.empty()) return cudaErrorInvalidValue;
    *node = found.front();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return query([&] {
    CUgraph_st& graph = *node_of(node).graph;
    if (is_being_captured(graph)) return cudaErrorInvalidValue;
    for (const auto& other : graph.nodes) std::erase(other->needs, node);
    std::erase_if(graph.nodes, [&](const auto& one) { return one.get() == node; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return query([&] {
    if (type == nullptr) return cudaErrorInvalidValue;
    *type = kTypes[node_of(node).work.index()];
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return query([&] {
    return list(select(graph_of(graph), [](const CUgraphNode_st&) { return true; }), nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return query([&] {
    return list(select(graph_of(graph), [](const CUgraphNode_st& n) { return n.needs.empty(); }),
                nodes, count);
  });
}

#if CUDART_VERSION >= 13000  // the edges got data
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData*, size_t* count) {
  return list_edges(graph, from, to, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData*, size_t* count) {
  return query([&] { return list(node_of(node).needs, nodes, count); });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData*, size_t* count) {
  return query([&] {
    const CUgraphNode_st& needed = node_of(node);
    return list(select(*needed.graph, [&](const CUgraphNode_st& n) { return needs(n, needed); }),
                nodes, count);
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return change_edges(graph, from, to, count, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
  return change_edges(graph, from, to, count, false);
}
#else
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              size_t* count) {
  return list_edges(graph, from, to, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         size_t* count) {
  return query([&] { return list(node_of(node).needs, nodes, count); });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           size_t* count) {
  return query([&] {
    const CUgraphNode_st& needed = node_of(node);
    return list(select(*needed.graph, [&](const CUgraphNode_st& n) { return needs(n, needed); }),
                nodes, count);
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, false);
}
#endif
