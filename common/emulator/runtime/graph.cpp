#include "runtime/graph.h"

#include <algorithm>
#include <set>

#include "runtime/allocations.h"
#include "runtime/capture.h"
#include "runtime/device_state.h"
#include "runtime/graph_memory.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

// What handles may name. Children and bodies are graphs too, though other graphs own them.
struct Live {
  std::set<const CUgraph_st*> graphs;
  std::set<const CUgraphNode_st*> nodes;
  std::map<const CUgraph_st*, std::shared_ptr<CUgraph_st>> owned;
  std::map<const CUgraphExec_st*, std::shared_ptr<CUgraphExec_st>> executables;
};
Live& live() {
  static auto* all = new Live;
  return *all;
}

unsigned value_of(cudaGraphConditionalHandle handle) {
  const auto view = allocations().view(reinterpret_cast<void*>(handle), sizeof(unsigned),
                                       DeviceMemory::HostUse::kRead);
  return view.bytes != nullptr ? *reinterpret_cast<const unsigned*>(view.bytes) : 0;
}

void set_value(const Condition& condition) {
  const auto view = allocations().view(reinterpret_cast<void*>(condition.address), sizeof(unsigned),
                                       DeviceMemory::HostUse::kWrite);
  if (view.bytes != nullptr) *reinterpret_cast<unsigned*>(view.bytes) = condition.default_value;
}

cudaError_t run_conditional(const ConditionalWork& work) {
  const auto value = [&] {
    const std::lock_guard lock(api_mutex());
    return error_state().is_stopped() ? 0 : value_of(work.handle);
  };
  unsigned now = value();
  switch (work.type) {
    case cudaGraphCondTypeWhile:
      for (; now != 0; now = value()) {
        const cudaError_t error = run_graph(*work.bodies[0]);
        if (error != cudaSuccess) return error;
      }
      return cudaSuccess;
    case cudaGraphCondTypeIf:
      now = now != 0 ? 0 : 1;
      break;
    case cudaGraphCondTypeSwitch:
      break;
  }
  return now < work.bodies.size() ? run_graph(*work.bodies[now]) : cudaSuccess;
}

cudaError_t run_node(const CUgraphNode_st& node) {
  if (const auto* host = std::get_if<HostWork>(&node.work)) {
    const cudaError_t ready = queue([] { return cudaSuccess; });
    if (ready == cudaSuccess && !error_state().is_stopped()) host->function(host->data);
    return ready;
  }
  if (const auto* child = std::get_if<GraphWork>(&node.work)) return run_graph(*child->graph);
  if (const auto* condition = std::get_if<ConditionalWork>(&node.work)) {
    return run_conditional(*condition);
  }
  return queue([&] { return perform(node.work); });
}

// A graph that allocates and does not free can be launched again only with this flag.
void free_what_is_left(const CUgraph_st& graph) {
  for (const auto& node : graph.nodes) {
    if (const auto* work = std::get_if<AllocateWork>(&node->work)) {
      cudaError_t ignored = cudaSuccess;
      end_use(work->memory->pointer, ignored);
    }
  }
}

}  // namespace

Condition::Condition(unsigned value, bool reset)
    : address(reinterpret_cast<uint64_t>(allocations().allocate_device(sizeof(unsigned)))),
      default_value(value),
      reset_at_launch(reset) {
  set_value(*this);
}

Condition::~Condition() {
  if (device_exists()) allocations().release(reinterpret_cast<void*>(address));
}

CUgraphNode_st::CUgraphNode_st(Work what, CUgraph_st* owner)
    : work(std::move(what)), graph(owner), origin(this) {
  live().nodes.insert(this);
}
CUgraphNode_st::~CUgraphNode_st() { live().nodes.erase(this); }

CUgraph_st::CUgraph_st() : origin(this) { live().graphs.insert(this); }
CUgraph_st::~CUgraph_st() { live().graphs.erase(this); }

CUgraphNode_st& CUgraph_st::add(Work work, std::vector<CUgraphNode_st*> needs) {
  nodes.push_back(std::make_unique<CUgraphNode_st>(std::move(work), this));
  nodes.back()->needs = std::move(needs);
  return *nodes.back();
}

std::shared_ptr<CUgraph_st> CUgraph_st::copy(Copies& copies) const {
  auto result = std::make_shared<CUgraph_st>();
  result->conditions = conditions;
  result->origin = this;
  for (const auto& node : nodes) {
    Work work = node->work;
    Copies inner;  // of no use to anybody: an executable's children are not changed node by node
    if (auto* child = std::get_if<GraphWork>(&work)) child->graph = child->graph->copy(inner);
    if (auto* condition = std::get_if<ConditionalWork>(&work)) {
      for (auto& body : condition->bodies) body = body->copy(inner);
    }
    CUgraphNode_st& twin = result->add(std::move(work), {});
    twin.origin = node.get();
    twin.is_enabled = node->is_enabled;
    copies[node.get()] = &twin;
  }
  for (const auto& node : nodes) {
    for (const CUgraphNode_st* needed : node->needs) {
      copies[node.get()]->needs.push_back(copies.at(needed));
    }
  }
  return result;
}

std::vector<CUgraphNode_st*> CUgraph_st::order() const {
  std::map<const CUgraphNode_st*, size_t> index, missing;
  std::map<const CUgraphNode_st*, std::vector<size_t>> users;
  for (size_t i = 0; i < nodes.size(); ++i) {
    index[nodes[i].get()] = i;
    missing[nodes[i].get()] = nodes[i]->needs.size();
    for (const CUgraphNode_st* needed : nodes[i]->needs) users[needed].push_back(i);
  }
  std::set<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->needs.empty()) ready.insert(i);
  }
  std::vector<CUgraphNode_st*> sorted;
  while (!ready.empty()) {
    CUgraphNode_st* node = nodes[*ready.begin()].get();
    ready.erase(ready.begin());
    sorted.push_back(node);
    for (const size_t user : users[node]) {
      if (--missing[nodes[user].get()] == 0) ready.insert(user);
    }
  }
  if (sorted.size() != nodes.size()) {
    throw ApiError(cudaErrorInvalidValue, "a graph's dependencies go round in a circle");
  }
  return sorted;
}

CUgraph_st& tcd::emu::runtime::graph_of(cudaGraph_t handle) {
  if (!live().graphs.contains(handle)) {
    throw ApiError(cudaErrorInvalidValue, "a graph was used that does not exist");
  }
  return *handle;
}

CUgraphNode_st& tcd::emu::runtime::node_of(cudaGraphNode_t handle) {
  if (!live().nodes.contains(handle)) {
    throw ApiError(cudaErrorInvalidValue, "a node of a graph was used that does not exist");
  }
  return *handle;
}

CUgraphExec_st& tcd::emu::runtime::executable_of(cudaGraphExec_t handle) {
  const auto found = live().executables.find(handle);
  if (found == live().executables.end()) {
    throw ApiError(cudaErrorInvalidValue, "an executable graph was used that does not exist");
  }
  return *found->second;
}

CUgraphNode_st& tcd::emu::runtime::node_in(cudaGraphExec_t executable, cudaGraphNode_t node) {
  const auto& copies = executable_of(executable).copies;
  const auto found = copies.find(node);
  if (found == copies.end()) {
    throw ApiError(cudaErrorInvalidValue, "this node is not of the graph that was instantiated");
  }
  return *found->second;
}

std::vector<CUgraphNode_st*> tcd::emu::runtime::nodes_in(const CUgraph_st& graph,
                                                         const cudaGraphNode_t* handles,
                                                         size_t count) {
  std::vector<CUgraphNode_st*> nodes;
  if (handles == nullptr && count != 0) {
    throw ApiError(cudaErrorInvalidValue, "dependencies of a node are missing");
  }
  for (size_t i = 0; i < count; ++i) {
    CUgraphNode_st& node = node_of(handles[i]);
    if (node.graph != &graph) {
      throw ApiError(cudaErrorInvalidValue, "a node cannot depend on a node of another graph");
    }
    nodes.push_back(&node);
  }
  return nodes;
}

cudaGraph_t tcd::emu::runtime::own(std::shared_ptr<CUgraph_st> graph) {
  cudaGraph_t handle = graph.get();
  live().owned[handle] = std::move(graph);
  return handle;
}

std::shared_ptr<CUgraph_st> tcd::emu::runtime::owned(cudaGraph_t handle) {
  const auto found = live().owned.find(handle);
  return found == live().owned.end() ? nullptr : found->second;
}

bool tcd::emu::runtime::disown(cudaGraph_t handle) { return live().owned.erase(handle) != 0; }

void tcd::emu::runtime::destroy_graphs() {
  forget_all_captures();
  live().executables.clear();
  live().owned.clear();
}

cudaError_t tcd::emu::runtime::run_graph(const CUgraph_st& graph) {
  std::vector<CUgraphNode_st*> order;
  {
    const std::lock_guard lock(api_mutex());
    order = graph.order();
    for (const auto& condition : graph.conditions) {
      if (condition->reset_at_launch) set_value(*condition);
    }
  }
  for (const CUgraphNode_st* node : order) {
    if (!node->is_enabled) continue;
    const cudaError_t error = run_node(*node);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                        cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagUseNodePriority;
  return query([&] {
    if (executable == nullptr) return cudaErrorInvalidValue;
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      throw ApiError(cudaErrorNotSupported, "graphs launched by a kernel are not emulated");
    }
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    auto made = std::make_shared<CUgraphExec_st>();
    made->graph = graph_of(graph).copy(made->copies);
    made->graph->order();  // throws for a circle
    made->flags = flags;
    *executable = made.get();
    live().executables[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
#endif

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (params == nullptr) return remember(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiateWithFlags(executable, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  return query([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = executable_of(executable).flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return query([&] {
    executable_of(executable);
    live().executables.erase(executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return queue([&] {
    require_stream(stream);
    executable_of(executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::shared_ptr<CUgraphExec_st> run;  // lives through the launch, whatever host nodes do
  const cudaError_t ready = queue([&] {
    require_stream(stream);
    refuse_beside_capture(stream);
    CUgraphExec_st& known = executable_of(executable);
    if (is_captured(stream)) {
      capture(stream, GraphWork{known.graph});
      return cudaSuccess;
    }
    if ((known.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) {
      free_what_is_left(*known.graph);
    }
    run = live().executables[executable];
    return cudaSuccess;
  });
  if (ready != cudaSuccess || run == nullptr) return ready;
  return run_graph(*run->graph);
}

// Takes over what nodes do, if the two graphs are the same apart from that.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return query([&] {
    if (info == nullptr) return cudaErrorInvalidValue;
    *info = {};
    CUgraphExec_st& target = executable_of(executable);
    const CUgraph_st& source = graph_of(graph);
    const auto differs = [&](cudaGraphExecUpdateResult why, CUgraphNode_st* node) {
      info->result = why;
      info->errorNode = node;
      return cudaErrorGraphExecUpdateFailure;
    };
    CUgraph_st::Copies copies;
    std::shared_ptr<CUgraph_st> fresh = source.copy(copies);
    if (fresh->nodes.size() != target.graph->nodes.size()) {
      return differs(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
    }
    const auto position = [](const CUgraph_st& all, const CUgraphNode_st* node) {
      return std::find_if(all.nodes.begin(), all.nodes.end(),
                          [&](const auto& n) { return n.get() == node; }) -
             all.nodes.begin();
    };
    for (size_t i = 0; i < fresh->nodes.size(); ++i) {
      const CUgraphNode_st &now = *target.graph->nodes[i], &then = *fresh->nodes[i];
      auto* original = const_cast<CUgraphNode_st*>(then.origin);
      if (now.work.index() != then.work.index()) {
        return differs(cudaGraphExecUpdateErrorNodeTypeChanged, original);
      }
      if (now.needs.size() != then.needs.size()) {
        return differs(cudaGraphExecUpdateErrorTopologyChanged, original);
      }
      for (size_t k = 0; k < now.needs.size(); ++k) {
        if (position(*target.graph, now.needs[k]) != position(*fresh, then.needs[k])) {
          return differs(cudaGraphExecUpdateErrorTopologyChanged, original);
        }
      }
    }
    for (size_t i = 0; i < fresh->nodes.size(); ++i) {
      target.graph->nodes[i]->work = fresh->nodes[i]->work;
    }
    info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
  });
}
