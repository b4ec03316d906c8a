// Prints what a CUDA runtime answers to a list of questions, one line each. Run on a card, its
// output is a recording; run on the emulated device, the output must be the same.
//
// usage: observe SECTION
#include <immintrin.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels.h"

namespace {

void line(const std::string& what, const std::string& answer) {
  std::printf("%s: %s\n", what.c_str(), answer.c_str());
}
void line(const std::string& what, long long answer) { line(what, std::to_string(answer)); }
// The answer of one call, and the last error it left behind (which this also clears).
void line(const std::string& what, cudaError_t answer) {
  const cudaError_t last = cudaGetLastError();
  line(what, std::string(cudaGetErrorName(answer)) + ", last " + cudaGetErrorName(last));
}
// A launch has no result of its own.
void launched(const std::string& what) {
  const cudaError_t at_once = cudaGetLastError();
  const cudaError_t later = cudaDeviceSynchronize();
  line(what, std::string("at once ") + cudaGetErrorName(at_once) + ", waited for " +
                 cudaGetErrorName(later));
  cudaGetLastError();
}

template <typename T>
T* device_memory(size_t count) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  cudaMemset(pointer, 0, count * sizeof(T));
  return static_cast<T*>(pointer);
}

void observe_memory() {
  void* p = nullptr;
  line("malloc into null", cudaMalloc(nullptr, 16));
  line("malloc of 0", cudaMalloc(&p, 0));
  line("malloc of 0 gives null", p == nullptr);
  line("malloc of 2^50", cudaMalloc(&p, size_t{1} << 50));
  line("free null", cudaFree(nullptr));
  auto* a = device_memory<char>(1000);
  auto* b = device_memory<char>(1000);
  std::vector<char> host(1000, 'x');
  line("free inside a block", cudaFree(a + 16));
  line("free host memory", cudaFree(host.data()));
  line("aligned to 256", reinterpret_cast<size_t>(a) % 256 == 0);

  line("copy to null", cudaMemcpy(nullptr, host.data(), 4, cudaMemcpyHostToDevice));
  line("copy from null", cudaMemcpy(a, nullptr, 4, cudaMemcpyHostToDevice));
  line("copy of 0 from null", cudaMemcpy(a, nullptr, 0, cudaMemcpyHostToDevice));
  line("host to device", cudaMemcpy(a, host.data(), 1000, cudaMemcpyHostToDevice));
  line("host to device, default", cudaMemcpy(a, host.data(), 1000, cudaMemcpyDefault));
  line("device to device", cudaMemcpy(b, a, 1000, cudaMemcpyDeviceToDevice));
  std::vector<char> back(1000);
  line("device to host", cudaMemcpy(back.data(), b, 1000, cudaMemcpyDeviceToHost));
  line("came back", back == host);
  line("kind 17", cudaMemcpy(a, host.data(), 4, static_cast<cudaMemcpyKind>(17)));
  line("H2D onto host", cudaMemcpy(back.data(), host.data(), 4, cudaMemcpyHostToDevice));
  line("H2D from device", cudaMemcpy(a, b, 4, cudaMemcpyHostToDevice));
  line("D2H onto device", cudaMemcpy(a, b, 4, cudaMemcpyDeviceToHost));
  line("D2H from host", cudaMemcpy(back.data(), host.data(), 4, cudaMemcpyDeviceToHost));
  line("D2D from host", cudaMemcpy(a, host.data(), 4, cudaMemcpyDeviceToDevice));
  line("D2D onto host", cudaMemcpy(back.data(), a, 4, cudaMemcpyDeviceToDevice));
  line("H2H onto device", cudaMemcpy(a, host.data(), 4, cudaMemcpyHostToHost));
  line("H2H of host", cudaMemcpy(back.data(), host.data(), 4, cudaMemcpyHostToHost));

  line("2D pitch too small", cudaMemcpy2D(a, 8, host.data(), 16, 16, 2, cudaMemcpyHostToDevice));
  line("2D", cudaMemcpy2D(a, 32, host.data(), 16, 16, 10, cudaMemcpyHostToDevice));
  line("2D of no rows", cudaMemcpy2D(a, 32, host.data(), 16, 16, 0, cudaMemcpyHostToDevice));
  line("memset null", cudaMemset(nullptr, 0, 4));
  line("memset host", cudaMemset(host.data(), 0, 4));
  line("memset", cudaMemset(a, 1, 1000));
  line("memset 2D", cudaMemset2D(a, 100, 2, 10, 10));

  void* pinned = nullptr;
  line("malloc host", cudaMallocHost(&pinned, 64));
  line("H2D from pinned", cudaMemcpy(a, pinned, 64, cudaMemcpyHostToDevice));
  line("D2D from pinned", cudaMemcpy(a, pinned, 64, cudaMemcpyDeviceToDevice));
  line("H2D onto pinned", cudaMemcpy(pinned, host.data(), 64, cudaMemcpyHostToDevice));
  line("memset pinned", cudaMemset(pinned, 0, 64));
  line("free of pinned", cudaFree(pinned));
  line("free host", cudaFreeHost(pinned));
  line("free host null", cudaFreeHost(nullptr));
  line("host alloc, wrong flags", cudaHostAlloc(&pinned, 64, 0x80));
  line("free host of device memory", cudaFreeHost(a));

  void* managed = nullptr;
  line("managed of 0", cudaMallocManaged(&managed, 0, cudaMemAttachGlobal));
  line("managed, wrong flags", cudaMallocManaged(&managed, 64, 0));
  line("managed", cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  line("H2D onto managed", cudaMemcpy(managed, host.data(), 64, cudaMemcpyHostToDevice));
  line("H2H onto managed", cudaMemcpy(managed, host.data(), 64, cudaMemcpyHostToHost));
  line("free managed", cudaFree(managed));

  alignas(4096) static char registered[8192];
  line("register null", cudaHostRegister(nullptr, 64, 0));
  line("register of 0", cudaHostRegister(registered, 0, 0));
  line("register", cudaHostRegister(registered, 8192, 0));
  line("register again", cudaHostRegister(registered, 8192, 0));
  line("unregister", cudaHostUnregister(registered));
  line("unregister again", cudaHostUnregister(registered));

  cudaPointerAttributes attributes{};
  line("attributes of host", cudaPointerGetAttributes(&attributes, host.data()));
  line("  type", attributes.type);
  line("attributes of device", cudaPointerGetAttributes(&attributes, a + 5));
  line("  type", attributes.type);
  line("  device pointer is the same", attributes.devicePointer == a + 5);
  line("  host pointer is null", attributes.hostPointer == nullptr);
  line("pool allocation", cudaMallocAsync(&p, 100, nullptr));
  line("pool free", cudaFreeAsync(p, nullptr));
  line("double free", (cudaFree(b), cudaFree(b)));
}

void observe_launches() {
  auto* out = device_memory<int>(1 << 18);
  launch_dynamic_shared(out, 1, 64, 256);
  launched("a good launch");
  const std::pair<unsigned, unsigned> sizes[] = {{0, 64}, {1, 0}, {1, 1025}, {1, 1024}};
  for (const auto& [grid, block] : sizes) {
    launch_dynamic_shared(out, grid, block, 4096);
    launched("grid " + std::to_string(grid) + " block " + std::to_string(block));
  }
  launch_dynamic_shared_3d(out, dim3(1), dim3(1, 1, 65));
  launched("block z 65");
  launch_dynamic_shared_3d(out, dim3(1, 65536), dim3(1));
  launched("grid y 65536");
  launch_bounded(out, 128);
  launched("bounds 128, block 128");
  launch_bounded(out, 129);
  launched("bounds 128, block 129");
  auto* floats = device_memory<float>(80 * 1024);
  launch_unbounded_registers(floats, 512);
  launched("many registers, block 512");
  launch_unbounded_registers(floats, 1024);
  launched("many registers, block 1024");

  const void* kernel = kernel_named("dynamic_shared");
  constexpr auto kMost = cudaFuncAttributeMaxDynamicSharedMemorySize;
  launch_dynamic_shared(out, 1, 32, 48 * 1024);
  launched("48 KiB without opt-in");
  launch_dynamic_shared(out, 1, 32, 48 * 1024 + 1);
  launched("48 KiB + 1 without opt-in");
  line("opt in to 64 KiB", cudaFuncSetAttribute(kernel, kMost, 64 * 1024));
  launch_dynamic_shared(out, 1, 32, 64 * 1024);
  launched("64 KiB with opt-in");
  launch_dynamic_shared(out, 1, 32, 64 * 1024 + 1);
  launched("64 KiB + 1 with opt-in for 64 KiB");
  line("opt in to -1", cudaFuncSetAttribute(kernel, kMost, -1));
  line("opt in to 1 GiB", cudaFuncSetAttribute(kernel, kMost, 1 << 30));
  int optin = 0;
  cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  line("opt in to the most", cudaFuncSetAttribute(kernel, kMost, optin));
  line("opt in to one more", cudaFuncSetAttribute(kernel, kMost, optin + 1));
  line("static 1200 bytes, opt in to the most",
       cudaFuncSetAttribute(kernel_named("static_shared"), kMost, optin));
  line("carveout 101",
       cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  line("attribute 99", cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(99), 0));
  line("opt in for no kernel", cudaFuncSetAttribute(&optin, kMost, 0));

  void* arguments[] = {&out};
  line("launch of no kernel", cudaLaunchKernel(&optin, dim3(1), dim3(1), arguments, 0, nullptr));
  line("launch of null", cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, nullptr));
  line("launch by pointer", cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 64, nullptr));
  line("cooperative",
       cudaLaunchCooperativeKernel(kernel, dim3(2), dim3(32), arguments, 128, nullptr));
  line("cooperative, too large",
       cudaLaunchCooperativeKernel(kernel, dim3(1 << 20), dim3(32), arguments, 128, nullptr));
  line("wait", cudaDeviceSynchronize());
}

void observe_symbols() {
  int values[4] = {};
  const void* table = symbol_named("constant_table");
  line("from symbol", cudaMemcpyFromSymbol(values, table, 16, 0, cudaMemcpyDeviceToHost));
  line("  initial values", values[0] * 1000 + values[1] * 100 + values[2] * 10 + values[3]);
  const int fresh[2] = {30, 40};
  line("to symbol", cudaMemcpyToSymbol(table, fresh, 8, 8, cudaMemcpyHostToDevice));
  line("past the end", cudaMemcpyToSymbol(table, fresh, 8, 12, cudaMemcpyHostToDevice));
  line("wrong direction", cudaMemcpyToSymbol(table, fresh, 8, 0, cudaMemcpyDeviceToHost));
  line("no symbol", cudaMemcpyToSymbol(values, fresh, 8, 0, cudaMemcpyHostToDevice));
  size_t bytes = 0;
  line("size", cudaGetSymbolSize(&bytes, table));
  line("  bytes", static_cast<long long>(bytes));
  void* address = nullptr;
  line("address", cudaGetSymbolAddress(&address, table));
  line("  read through it", cudaMemcpy(values, address, 16, cudaMemcpyDeviceToHost));
  line("  value 3", values[3]);
  cudaPointerAttributes attributes{};
  line("  attributes", cudaPointerGetAttributes(&attributes, address));
  line("  type", attributes.type);

  line("managed from the host", read_managed());
  write_managed(6);
  auto* out = device_memory<int>(1);
  launch_sum_table(out);
  launched("sum");
  int sum = 0;
  cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDeviceToHost);
  line("  of the table", sum);
  line("managed after the kernel", read_managed());
  int counter = 0;
  line("counter", cudaMemcpyFromSymbol(&counter, symbol_named("device_counter"), 4, 0,
                                       cudaMemcpyDeviceToHost));
  line("  value", counter);
  line("managed as a symbol",
       cudaMemcpyFromSymbol(&counter, symbol_named("managed_value"), 4, 0, cudaMemcpyDeviceToHost));
  line("  value", counter);
}

void observe_streams() {
  cudaStream_t stream = nullptr;
  line("create into null", cudaStreamCreate(nullptr));
  line("create, wrong flags", cudaStreamCreateWithFlags(&stream, 0x40));
  line("create", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned flags = 0;
  line("flags", cudaStreamGetFlags(stream, &flags));
  line("  value", flags);
  int least = 0, greatest = 0, priority = 0;
  line("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  line("  least", least);
  line("  greatest", greatest);
  cudaStream_t urgent = nullptr;
  line("create, priority -100", cudaStreamCreateWithPriority(&urgent, 0, -100));
  line("priority", cudaStreamGetPriority(urgent, &priority));
  line("  value", priority);

  cudaEvent_t start, end, untimed;
  float ms = -1;
  line("event, wrong flags", cudaEventCreateWithFlags(&start, 0x80));
  line("event", cudaEventCreate(&start));
  line("event 2", cudaEventCreate(&end));
  line("event without timing", cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  line("query before record", cudaEventQuery(start));
  line("elapsed before record", cudaEventElapsedTime(&ms, start, end));
  line("record", cudaEventRecord(start, stream));
  auto* a = device_memory<float>(1024);
  launch_vector_add(a, a, a, 1024, stream);
  line("record 2", cudaEventRecord(end, stream));
  line("record 3", cudaEventRecord(untimed, stream));
  line("stream waits", cudaStreamWaitEvent(urgent, end, 0));
  line("synchronize", cudaEventSynchronize(end));
  line("query", cudaEventQuery(end));
  line("elapsed", cudaEventElapsedTime(&ms, start, end));
  line("  is not negative", ms >= 0);
  line("elapsed into null", cudaEventElapsedTime(nullptr, start, end));
  line("elapsed without timing", cudaEventElapsedTime(&ms, start, untimed));
  static int called = 0;
  line("host function", cudaLaunchHostFunc(
                            stream, [](void* p) { ++*static_cast<int*>(p); }, &called));
  line("stream synchronize", cudaStreamSynchronize(stream));
  line("  called", called);
  line("stream query", cudaStreamQuery(stream));
  line("destroy event", cudaEventDestroy(start));
  line("destroy stream", cudaStreamDestroy(stream));
  line("destroy default stream", cudaStreamDestroy(nullptr));
  line("default stream", cudaStreamSynchronize(nullptr));
  line("legacy stream", cudaStreamSynchronize(cudaStreamLegacy));
}

void observe_attributes() {
  for (const char* name : {"vector_add", "dynamic_shared", "static_shared", "bounded",
                           "many_registers", "unbounded_registers", "with_frame"}) {
    cudaFuncAttributes f;
    line(name, cudaFuncGetAttributes(&f, kernel_named(name)));
    line("  registers", f.numRegs);
    line("  shared", static_cast<long long>(f.sharedSizeBytes));
    line("  local", static_cast<long long>(f.localSizeBytes));
    line("  const", static_cast<long long>(f.constSizeBytes));
    line("  max threads", f.maxThreadsPerBlock);
    line("  ptx", f.ptxVersion);
    line("  binary", f.binaryVersion);
    line("  max dynamic shared", f.maxDynamicSharedSizeBytes);
    line("  carveout", f.preferredShmemCarveout);
  }
  cudaFuncAttributes f;
  line("no kernel", cudaFuncGetAttributes(&f, &f));
  for (const int attribute :
       {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 15, 16, 19,  20,  31, 36,
        37, 38, 39, 41, 75, 76, 78, 81, 82, 83, 87, 91, 95, 97, 99, 106, 111, 115}) {
    int value = -1;
    cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
    line("device attribute " + std::to_string(attribute), value);
  }
  int value = 0;
  line("attribute 0", cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0));
  line("attribute of device 7", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 7));
  line("set device 7", cudaSetDevice(7));
  line("set device -1", cudaSetDevice(-1));
  line("name of 999999", cudaGetErrorName(static_cast<cudaError_t>(999999)));
  line("text of 700", cudaGetErrorString(cudaErrorIllegalAddress));
  line("text of 1", cudaGetErrorString(cudaErrorInvalidValue));
}

void observe_occupancy() {
  for (const char* name : {"vector_add", "static_shared", "bounded", "many_registers",
                           "unbounded_registers", "with_frame"}) {
    for (const int threads : {32, 33, 64, 96, 128, 192, 256, 512, 768, 1024, 1025}) {
      for (const size_t shared : {0, 1, 1024, 10000, 16384, 33000, 49152, 65536, 101376, 200000}) {
        int ctas = -1;
        const cudaError_t result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &ctas, kernel_named(name), threads, shared);
        line(std::string(name) + " " + std::to_string(threads) + " threads, " +
                 std::to_string(shared) + " bytes",
             result == cudaSuccess ? std::to_string(ctas) : cudaGetErrorName(result));
      }
    }
  }
  cudaGetLastError();
  for (const int ctas : {0, 1, 2, 3, 7, 16, 32, 33}) {
    size_t bytes = 0;
    const cudaError_t result =
        cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel_named("static_shared"), ctas, 64);
    line("available for " + std::to_string(ctas) + " CTAs",
         result == cudaSuccess ? std::to_string(bytes) : cudaGetErrorName(result));
  }
  int ctas = 0;
  line("block of 0",
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, kernel_named("vector_add"), 0, 0));
  line("into null",
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel_named("vector_add"), 32, 0));
}

// What follows after a kernel was stopped; `fault` launches it.
void observe_fault(const std::function<void()>& fault) {
  auto* a = device_memory<int>(4);
  int host = 0;
  cudaEvent_t event;
  cudaEventCreate(&event);
  fault();
  line("synchronize", cudaDeviceSynchronize());
  line("peek", cudaPeekAtLastError());
  line("get", cudaGetLastError());
  line("get again", cudaGetLastError());
  line("copy", cudaMemcpy(&host, a, 4, cudaMemcpyDeviceToHost));
  line("malloc", cudaMalloc(reinterpret_cast<void**>(&a), 16));
  line("free", cudaFree(a));
  launch_store_at(a);
  line("launch", cudaPeekAtLastError());
  line("record", cudaEventRecord(event, nullptr));
  line("query", cudaEventQuery(event));
  int number = -1;
  line("get device", cudaGetDevice(&number));
  line("device count", cudaGetDeviceCount(&number));
  line("attribute", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
  cudaFuncAttributes f;
  line("function attributes", cudaFuncGetAttributes(&f, kernel_named("store_at")));
  line("set device", cudaSetDevice(0));
  line("synchronize again", cudaDeviceSynchronize());
  line("reset", cudaDeviceReset());
  line("malloc after the reset", cudaMalloc(reinterpret_cast<void**>(&a), 16));
  line("synchronize after the reset", cudaDeviceSynchronize());
}

// The host rounds towards zero, flushes subnormals, and wants a signal for a division by zero.
void observe_float_mode() {
  constexpr unsigned kHost = (0x1f80u & ~0x0200u) | 0x8040u | 0x6000u;
  uint32_t bits[4] = {};
  _mm_setcsr(kHost);
  auto* out = device_memory<float>(4);
  launch_round_in_ptx(out, 0x1p-149f);
  launched("launch");
  cudaMemcpy(bits, out, sizeof bits, cudaMemcpyDeviceToHost);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(0x1f80);
  char text[64];
  std::snprintf(text, sizeof text, "%08x %08x %08x %08x", bits[0], bits[1], bits[2], bits[3]);
  line("device", text);
  line("the host keeps its mode", after == kHost);
}

// Destructors of static objects may still use the device. By then the thread's own objects are
// gone: what they had on the heap is given to others, who would notice a use of it.
struct AtExit {
  int* where = nullptr;
  ~AtExit() {
    if (where == nullptr) return;
    int number = 0;
    std::vector<std::string> others;
    for (size_t bytes = 16; bytes < 512; ++bytes) others.emplace_back(bytes, 'x');
    launch_store_at(where);
    bool untouched = true;
    for (const std::string& other : others) {
      untouched = untouched && other == std::string(other.size(), 'x');
    }
    launched("launch at exit");
    line("copy at exit", cudaMemcpy(&number, where, sizeof number, cudaMemcpyDeviceToHost));
    line("stored at exit", number);
    line("nothing else was written", untouched);
  }
};
AtExit at_exit;  // made before main() and so before anything of the runtime that is made on demand

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> sections = {
      {"memory", observe_memory},
      {"launches", observe_launches},
      {"symbols", observe_symbols},
      {"streams", observe_streams},
      {"attributes", observe_attributes},
      {"occupancy", observe_occupancy},
      {"float-mode", observe_float_mode},
      {"at-exit",
       [] {
         at_exit.where = device_memory<int>(1);
         launch_store_at(at_exit.where);
       }},
      {"fault-null", [] { observe_fault([] { launch_store_at(nullptr); }); }},
      {"fault-misaligned",
       [] {
         auto* odd = reinterpret_cast<int*>(device_memory<char>(16) + 2);
         observe_fault([odd] { launch_store_at(odd); });
       }},
      {"fault-trap", [] { observe_fault(launch_trap); }},
      {"fault-assert", [] { observe_fault(launch_failed_assert); }},
  };
  const auto section = sections.find(argc == 2 ? argv[1] : "");
  if (section == sections.end()) {
    std::fprintf(stderr, "usage: observe SECTION, one of:");
    for (const auto& [name, run] : sections) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  section->second();
  return 0;
}
