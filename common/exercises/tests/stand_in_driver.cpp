// A libcuda.so.1 for a machine without a card: what the checker calls of the driver API, done by
// the emulated device. So the way to a card is walked in the tests too. An endless kernel keeps the
// stream busy for ever, a wild address leaves a sticky error, as on a card.
#include <cstring>
#include <memory>
#include <string>

#include "machine/device.h"
#include "profiles/profile.h"
#include "ptx/parser.h"

namespace {

using namespace tcd::emu;

constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidPtx = 218, kNotFound = 500,
              kNotReady = 600, kIllegalAddress = 700;
constexpr double kEndlessAfterSeconds = 1;

Device& device() {
  static Device only(*find_profile("rtx4090"), 0, kEndlessAfterSeconds);
  return only;
}

int sticky = kSuccess;

struct Module {
  std::unique_ptr<Program> program;
};

}  // namespace

extern "C" {

int cuInit(unsigned) { return kSuccess; }
int cuDriverGetVersion(int* version) { return *version = 13000, kSuccess; }
int cuDeviceGetCount(int* count) { return *count = 1, kSuccess; }
int cuDeviceGet(int* handle, int) { return *handle = 0, kSuccess; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &sticky, kSuccess; }
int cuCtxSetCurrent(void*) { return kSuccess; }

int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "stand-in for a card", static_cast<size_t>(length));
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? 128 : attribute == 75 ? 8 : attribute == 76 ? 9 : 0;
  return kSuccess;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  try {
    auto loaded = std::make_unique<Module>();
    loaded->program = device().load(ptx::parse(static_cast<const char*>(image)));
    *module = loaded.release();
    return kSuccess;
  } catch (const std::exception&) {
    return kInvalidPtx;
  }
}

int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return kSuccess;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  const Kernel* found = static_cast<Module*>(module)->program->find_kernel(name);
  *function = const_cast<Kernel*>(found);
  return found != nullptr ? kSuccess : kNotFound;
}

int cuFuncGetAttribute(int* value, int attribute, void* function) {
  if (attribute != 1) return kInvalidValue;
  if (sticky != kSuccess) return sticky;
  *value = static_cast<int>(kernel_info(*static_cast<Kernel*>(function)).static_shared_bytes);
  return kSuccess;
}

int cuFuncSetAttribute(void*, int attribute, int) {
  return attribute == 8 ? kSuccess : kInvalidValue;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  *address = device().memory().allocate(bytes);
  return *address != 0 ? kSuccess : kOutOfMemory;
}

int cuMemFree_v2(uint64_t address) {
  return device().memory().release(address) ? kSuccess : kInvalidValue;
}

int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  std::byte* place = device().memory().host_view(to, bytes);
  if (place == nullptr) return kInvalidValue;
  std::memcpy(place, from, bytes);
  return sticky;
}

int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  const std::byte* place = device().memory().host_view(from, bytes, DeviceMemory::HostUse::kRead);
  if (place == nullptr) return kInvalidValue;
  std::memcpy(to, place, bytes);
  return sticky;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void*, void**, void** extra) {
  LaunchRequest request;
  request.kernel = static_cast<Kernel*>(function);
  request.grid = {grid_x, grid_y, grid_z};
  request.block = {block_x, block_y, block_z};
  request.dynamic_shared_bytes = shared_bytes;
  request.params = {static_cast<std::byte*>(extra[1]), *static_cast<size_t*>(extra[3])};
  const LaunchError error = device().launch(request);
  if (error.fault == Fault::kTimeout) {
    sticky = kNotReady;
  } else if (error.fault != Fault::kNone) {
    sticky = kIllegalAddress;
  }
  return kSuccess;  // a launch does not wait: what went wrong is seen afterwards
}

int cuStreamQuery(void*) { return sticky; }

int cuGetErrorName(int error, const char** name) {
  *name = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
  return kSuccess;
}

int cuGetErrorString(int, const char** text) { return *text = "as a card says it", kSuccess; }
}
