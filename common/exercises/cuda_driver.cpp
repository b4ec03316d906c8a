#include "exercises/cuda_driver.h"

#include <dlfcn.h>

#include "exercises/workbench.h"

namespace tcd::exercises {
namespace {

// From cuda.h.
constexpr int kMultiprocessorCount = 16, kComputeMajor = 75, kComputeMinor = 76;
constexpr int kNoDevice = 100;
constexpr int kStubLibrary = 34;

// The second: where WSL2 has it.
constexpr const char* kNames[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};

void* open_library() {
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  throw NoDevice(
      "there is no NVIDIA driver on this machine (no libcuda.so.1); without `gpu` the "
      "emulated device judges");
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw NoDevice(std::string("the NVIDIA driver on this machine has no ") + name +
                   ": it is too old, or not NVIDIA's");
  }
}

}  // namespace

const CudaDriver& CudaDriver::instance() {
  static const CudaDriver driver;
  return driver;
}

std::string CudaDriver::describe(int error) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(error, &name) != kCudaSuccess || name == nullptr) name = "an unknown CUDA error";
  if (error_text(error, &text) != kCudaSuccess || text == nullptr) return name;
  return std::string(name) + ": " + text;
}

CudaDriver::CudaDriver() {
  void* const library = open_library();
  find(library, "cuModuleLoadDataEx", module_load);
  find(library, "cuModuleGetFunction", module_function);
  find(library, "cuModuleUnload", module_unload);
  find(library, "cuFuncGetAttribute", function_attribute);
  find(library, "cuFuncSetAttribute", set_function_attribute);
  find(library, "cuMemAlloc_v2", allocate);
  find(library, "cuMemFree_v2", release);
  find(library, "cuMemcpyHtoD_v2", copy_to_device);
  find(library, "cuMemcpyDtoH_v2", copy_to_host);
  find(library, "cuLaunchKernel", launch);
  find(library, "cuStreamQuery", stream_query);
  find(library, "cuGetErrorName", error_name);
  find(library, "cuGetErrorString", error_text);

  int (*init)(unsigned), (*version)(int*), (*device_get)(int*, int), (*name)(char*, int, int),
      (*attribute)(int*, int, int), (*retain)(void**, int), (*set_current)(void*);
  find(library, "cuInit", init);
  find(library, "cuDriverGetVersion", version);
  find(library, "cuDeviceGet", device_get);
  find(library, "cuDeviceGetName", name);
  find(library, "cuDeviceGetAttribute", attribute);
  find(library, "cuDevicePrimaryCtxRetain", retain);
  find(library, "cuCtxSetCurrent", set_current);

  const auto need = [&](int error, const char* what) {
    if (error == kCudaSuccess) return;
    throw NoDevice(std::string(what) + ": " + describe(error));
  };
  const int started = init(0);
  if (started == kNoDevice || started == kStubLibrary) {
    throw NoDevice("the NVIDIA driver finds no GPU on this machine");
  }
  need(started, "the NVIDIA driver does not start");
  need(version(&card.cuda), "the NVIDIA driver does not say its version");
  int device = 0, major = 0, minor = 0;
  need(device_get(&device, 0), "the NVIDIA driver finds no GPU");
  char text[256] = {};
  need(name(text, sizeof text, device), "the GPU has no name");
  card.name = text;
  need(attribute(&major, kComputeMajor, device), "the GPU's compute capability");
  need(attribute(&minor, kComputeMinor, device), "the GPU's compute capability");
  need(attribute(&card.sm_count, kMultiprocessorCount, device), "the GPU's multiprocessors");
  card.compute = major * 10 + minor;
  void* context = nullptr;
  need(retain(&context, device), "the GPU gives no context");
  need(set_current(context), "the GPU's context");
}

}  // namespace tcd::exercises
