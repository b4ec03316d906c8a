// CUDA graphs: nodes of work with what must be done before them. The emulated device does a graph's
// nodes one after the other, in an order that keeps the dependencies.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/work.h"

namespace tcd::emu::runtime {

// Value of a conditional node, in device memory so that kernels can set it.
struct Condition {
  Condition(unsigned default_value, bool reset_at_launch);
  ~Condition();
  Condition(const Condition&) = delete;

  uint64_t address = 0;  // the handle
  unsigned default_value = 0;
  bool reset_at_launch = false;
};

}  // namespace tcd::emu::runtime

// The types behind cudaGraphNode_t, cudaGraph_t and cudaGraphExec_t, left incomplete by NVIDIA's
// headers.
struct CUgraphNode_st {
  CUgraphNode_st(tcd::emu::runtime::Work what, CUgraph_st* owner);
  ~CUgraphNode_st();
  CUgraphNode_st(const CUgraphNode_st&) = delete;

  tcd::emu::runtime::Work work;
  CUgraph_st* graph = nullptr;
  std::vector<CUgraphNode_st*> needs;  // done before this one
  const CUgraphNode_st* origin;        // the node this is a copy of; itself if none
  bool is_enabled = true;
};

struct CUgraph_st {
  CUgraph_st();
  ~CUgraph_st();
  CUgraph_st(const CUgraph_st&) = delete;

  CUgraphNode_st& add(tcd::emu::runtime::Work work, std::vector<CUgraphNode_st*> needs);
  // A copy with all nodes, children and bodies too. `copies`: by the original node.
  using Copies = std::map<const CUgraphNode_st*, CUgraphNode_st*>;
  std::shared_ptr<CUgraph_st> copy(Copies& copies) const;
  // Nodes in an order that keeps the dependencies, early ones first. Throws ApiError: a circle.
  std::vector<CUgraphNode_st*> order() const;

  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<tcd::emu::runtime::Condition>> conditions;
  const CUgraph_st* origin;
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;
  CUgraph_st::Copies copies;
  unsigned long long flags = 0;
};

namespace tcd::emu::runtime {

// Throw ApiError (cudaErrorInvalidValue) for handles of nothing.
CUgraph_st& graph_of(cudaGraph_t handle);
CUgraphNode_st& node_of(cudaGraphNode_t handle);
CUgraphExec_st& executable_of(cudaGraphExec_t handle);
// The executable's copy of a node of the graph it was made from. Throws ApiError.
CUgraphNode_st& node_in(cudaGraphExec_t executable, cudaGraphNode_t node);
// Checked: nodes of one graph. Throws ApiError.
std::vector<CUgraphNode_st*> nodes_in(const CUgraph_st& graph, const cudaGraphNode_t* handles,
                                      size_t count);

// Ownership of graphs the program holds handles of.
cudaGraph_t own(std::shared_ptr<CUgraph_st> graph);
std::shared_ptr<CUgraph_st> owned(cudaGraph_t handle);  // nullptr: a child, or none
bool disown(cudaGraph_t handle);
void destroy_graphs();

// Runs nodes one after the other; not under the API's lock, because host functions are the
// program's own.
cudaError_t run_graph(const CUgraph_st& graph);

}  // namespace tcd::emu::runtime
