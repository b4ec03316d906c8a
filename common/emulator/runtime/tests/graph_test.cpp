// CUDA graphs: built by hand and by capture, launched, changed, with memory and conditions of
// their own.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "graph_kernels.h"

namespace {

struct Numbers {  // two integers on the device
  Numbers() {
    REQUIRE(cudaMalloc(&memory, 8) == cudaSuccess);
    set(0, 0);
  }
  ~Numbers() { CHECK(cudaFree(memory) == cudaSuccess); }
  Numbers(const Numbers&) = delete;
  void set(int first, int second) {
    const std::array<int, 2> values{first, second};
    REQUIRE(cudaMemcpy(memory, values.data(), 8, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  int get(int which) {
    std::array<int, 2> values{};
    REQUIRE(cudaMemcpy(values.data(), memory, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
    return values[static_cast<size_t>(which)];
  }
  int* at(int which) { return static_cast<int*>(memory) + which; }
  void* memory = nullptr;
};

struct Stream {
  Stream() { REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess); }
  ~Stream() { CHECK(cudaStreamDestroy(handle) == cudaSuccess); }
  Stream(const Stream&) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};

struct Event {
  Event() { REQUIRE(cudaEventCreate(&handle) == cudaSuccess); }
  ~Event() { CHECK(cudaEventDestroy(handle) == cudaSuccess); }
  Event(const Event&) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};

cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int* to,
                           int value) {
  void* arguments[] = {&to, &value};
  cudaKernelNodeParams params = {};
  params.func = const_cast<void*>(address_of_add());
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  REQUIRE(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params) == cudaSuccess);
  return node;
}

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  return executable;
}

void run(cudaGraphExec_t executable) {
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

size_t node_count(cudaGraph_t graph) {
  size_t count = 0;
  REQUIRE(cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess);
  return count;
}

}  // namespace

TEST_CASE("nodes run in the order of their dependencies, each time the graph is launched") {
  Numbers numbers;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  // Made in the wrong order: the copy to the second number first, then what it copies.
  cudaGraphNode_t copy = nullptr, fill = nullptr, host = nullptr;
  REQUIRE(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, numbers.at(1), numbers.at(0), 4,
                                   cudaMemcpyDeviceToDevice) == cudaSuccess);
  cudaMemsetParams params = {};
  params.dst = numbers.at(0);
  params.elementSize = 2;
  params.value = 0x0102;
  params.width = 2;
  params.height = 1;
  REQUIRE(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &params) == cudaSuccess);
  const cudaGraphNode_t kernel = add_kernel(graph, {fill}, numbers.at(0), 1);
  int calls = 0;
  cudaHostNodeParams call = {[](void* data) { ++*static_cast<int*>(data); }, &calls};
  REQUIRE(cudaGraphAddHostNode(&host, graph, &copy, 1, &call) == cudaSuccess);
#if CUDART_VERSION >= 13000
  REQUIRE(cudaGraphAddDependencies(graph, &kernel, &copy, nullptr, 1) == cudaSuccess);
  CHECK(cudaGraphAddDependencies(graph, &host, &fill, nullptr, 1) == cudaSuccess);  // a circle
  cudaGraphExec_t none = nullptr;
  CHECK(cudaGraphInstantiateWithFlags(&none, graph, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphRemoveDependencies(graph, &host, &fill, nullptr, 1) == cudaSuccess);
#else
  REQUIRE(cudaGraphAddDependencies(graph, &kernel, &copy, 1) == cudaSuccess);
#endif
  CHECK(node_count(graph) == 4);
  cudaGraphExec_t executable = instantiate(graph);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  for (int i = 1; i <= 2; ++i) {
    numbers.set(5, 6);
    run(executable);
    CHECK(numbers.get(1) == 0x01020103);
    CHECK(calls == i);
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("capture: forks and joins by events; nothing is done before the launch") {
  Numbers numbers;
  Stream first, second;
  Event forked, joined;
  REQUIRE(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMemsetAsync(numbers.memory, 0, 8, first) == cudaSuccess);
  CHECK(cudaEventRecord(forked, first) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(second, forked, 0) == cudaSuccess);
  launch_add(numbers.at(0), 3, first);
  launch_add(numbers.at(1), 4, second);
  CHECK(cudaEventRecord(joined, second) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(first, joined, 0) == cudaSuccess);
  launch_multiply(numbers.at(0), 2, first);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CHECK(cudaStreamIsCapturing(second, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(first, &graph) == cudaSuccess);
  CHECK(node_count(graph) == 4);
  CHECK(numbers.get(0) == 0);
  cudaGraphExec_t executable = instantiate(graph);
  run(executable);
  CHECK(numbers.get(0) == 6);
  CHECK(numbers.get(1) == 4);
  run(executable);
  CHECK(numbers.get(0) == 6);  // the memset is part of it
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

#if CUDART_VERSION >= 12030
TEST_CASE("capture into a graph that exists") {
  Numbers numbers;
  Stream stream;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  const cudaGraphNode_t first = add_kernel(graph, {}, numbers.at(0), 3);
  REQUIRE(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                        cudaStreamCaptureModeGlobal) == cudaSuccess);
  launch_multiply(numbers.at(0), 5, stream);
  CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
  CHECK(cudaStreamEndCapture(stream, nullptr) == cudaSuccess);
  CHECK(node_count(graph) == 2);
  cudaGraphExec_t executable = instantiate(graph);
  run(executable);
  CHECK(numbers.get(0) == 15);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  cudaGetLastError();
}
#endif

TEST_CASE("what a capture does not allow: waiting for it, leaving a stream out, other work") {
  Stream stream, other;
  Event event;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);

  Numbers numbers;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(other, event, 0) == cudaSuccess);
  launch_add(numbers.at(0), 1, other);
  CHECK(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);

  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(other, event, 0) == cudaSuccess);
  launch_add(numbers.at(0), 1, other);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);

  void* memory = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMalloc(&memory, 8) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudaMalloc(&memory, 8) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(node_count(graph) == 0);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);

  cudaStream_t blocking = nullptr;  // the legacy stream would wait for it
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudaMemset(numbers.memory, 0, 8) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(blocking, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamDestroy(blocking) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("an executable graph is changed node by node, or by another graph like it") {
  Numbers numbers;
  cudaGraph_t graph = nullptr, other = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  const cudaGraphNode_t node = add_kernel(graph, {}, numbers.at(0), 1);
  cudaGraphExec_t executable = instantiate(graph);
  int* to = numbers.at(0);
  int value = 10;
  void* arguments[] = {&to, &value};
  cudaKernelNodeParams params = {};
  REQUIRE(cudaGraphKernelNodeGetParams(node, &params) == cudaSuccess);
  CHECK(*static_cast<int*>(params.kernelParams[1]) == 1);
  params.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &params) == cudaSuccess);
  run(executable);
  CHECK(numbers.get(0) == 10);

  REQUIRE(cudaGraphCreate(&other, 0) == cudaSuccess);
  const cudaGraphNode_t third = add_kernel(other, {}, numbers.at(1), 7);
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info = {};
  CHECK(cudaGraphExecUpdate(executable, other, &info) == cudaSuccess);
  run(executable);
  CHECK(numbers.get(1) == 7);
  add_kernel(other, {third}, numbers.at(1), 7);
  CHECK(cudaGraphExecUpdate(executable, other, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
#endif
  CHECK(cudaGraphNodeSetEnabled(executable, node, 0) == cudaSuccess);
  numbers.set(0, 0);
  run(executable);
  CHECK(numbers.get(1) == 0);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(other) == cudaSuccess);
  CHECK(cudaGraphDestroy(other) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("a child is a copy of a graph, and a clone knows the original's nodes") {
  Numbers numbers;
  cudaGraph_t child = nullptr, graph = nullptr, clone = nullptr;
  REQUIRE(cudaGraphCreate(&child, 0) == cudaSuccess);
  const cudaGraphNode_t inner = add_kernel(child, {}, numbers.at(0), 2);
  add_kernel(child, {inner}, numbers.at(0), 3);
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaGraphNode_t node = nullptr, found = nullptr;
  REQUIRE(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child) == cudaSuccess);
  add_kernel(child, {inner}, numbers.at(0), 100);  // too late to matter
  REQUIRE(cudaGraphClone(&clone, graph) == cudaSuccess);
  CHECK(cudaGraphNodeFindInClone(&found, node, clone) == cudaSuccess);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphNodeGetType(found, &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeGraph);
  CHECK(cudaGraphNodeFindInClone(&found, inner, clone) == cudaErrorInvalidValue);
  cudaGraphExec_t executable = instantiate(clone);
  run(executable);
  CHECK(numbers.get(0) == 5);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  for (cudaGraph_t one : {child, graph, clone}) CHECK(cudaGraphDestroy(one) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("memory that a graph allocates and frees, and memory it leaves to the program") {
  Stream stream;
  void* memory = nullptr;
  int value = 0;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&memory, 4, stream) == cudaSuccess);
  CHECK(cudaMemsetAsync(memory, 0, 4, stream) == cudaSuccess);
  launch_add(static_cast<int*>(memory), 11, stream);
  CHECK(cudaMemcpyAsync(&value, memory, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  cudaGraph_t leaves = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &leaves) == cudaSuccess);
  cudaGraphExec_t executable = instantiate(leaves);
  run(executable);
  CHECK(value == 11);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorInvalidValue);  // not freed yet
  CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(memory, stream) == cudaErrorInvalidValue);
  value = 0;
  run(executable);
  CHECK(value == 11);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, leaves,
                                        cudaGraphInstantiateFlagAutoFreeOnLaunch) == cudaSuccess);
  run(executable);
  run(executable);
  uint64_t used = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used) == cudaSuccess);
  CHECK(used == 4);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(leaves) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, 4) == cudaSuccess);  // still the program's
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaDeviceGraphMemTrim(0) == cudaSuccess);
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used) == cudaSuccess);
  CHECK(used == 0);
  cudaGetLastError();
}

#if CUDART_VERSION >= 13000
TEST_CASE("conditional nodes: a loop that a kernel ends, and one of two bodies") {
  Numbers numbers;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaGraphConditionalHandle handle = 0;
  REQUIRE(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault) ==
          cudaSuccess);
  cudaGraphNodeParams loop = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr, inside = nullptr, after = nullptr;
  REQUIRE(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop) == cudaSuccess);

  int *steps = numbers.at(0), *left = numbers.at(1);
  void* arguments[] = {&steps, &left, &handle};
  cudaGraphNodeParams body = {};
  body.type = cudaGraphNodeTypeKernel;
  body.kernel.func = const_cast<void*>(address_of_count_down());
  body.kernel.gridDim = body.kernel.blockDim = dim3(1);
  body.kernel.kernelParams = arguments;
  REQUIRE(cudaGraphAddNode(&inside, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &body) ==
          cudaSuccess);

  cudaGraphNodeParams branch = {};  // the loop leaves 0: the second body
  branch.type = cudaGraphNodeTypeConditional;
  branch.conditional.handle = handle;
  branch.conditional.type = cudaGraphCondTypeIf;
  branch.conditional.size = 2;
  REQUIRE(cudaGraphAddNode(&after, graph, &node, nullptr, 1, &branch) == cudaSuccess);
  add_kernel(branch.conditional.phGraph_out[0], {}, steps, 1000);
  add_kernel(branch.conditional.phGraph_out[1], {}, steps, 100);

  cudaGraphExec_t executable = instantiate(graph);
  for (const int count : {5, 1}) {
    numbers.set(0, count);
    run(executable);
    CHECK(numbers.get(0) == count + 100);
    CHECK(numbers.get(1) == 0);
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
#endif
