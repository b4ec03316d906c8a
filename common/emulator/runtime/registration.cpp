// What nvcc's start-up code calls before main(), and at exit. Nothing is parsed here.
#include "runtime/registry.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

TCD_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard lock(api_mutex());
  return registry().add_fat_binary(wrapper);
}

TCD_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

TCD_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(api_mutex());
  registry().remove_fat_binary(handle);
}

TCD_EXPORT void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                       const char* name, int, void*, void*, void*, void*, int*) {
  host_only([&] {
    registry().add_kernel(handle, host_function, name);
    return cudaSuccess;
  });
}

TCD_EXPORT void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int,
                                  size_t bytes, int, int) {
  host_only([&] {
    registry().add_variable(handle, host_variable, name, bytes);
    return cudaSuccess;
  });
}

TCD_EXPORT void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*,
                                         const char* name, int, size_t bytes, int, int) {
  host_only([&] {
    registry().add_managed(handle, host_pointer, name, bytes);
    return cudaSuccess;
  });
}

// Called before host code touches a __managed__ variable. Returns 1 when the module is loaded.
TCD_EXPORT char __cudaInitModule(void** handle) {
  return query([&] {
           registry().module_of(handle).program();
           return cudaSuccess;
         }) == cudaSuccess;
}
