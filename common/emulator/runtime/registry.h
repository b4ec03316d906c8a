// What the program told the runtime about itself before main(): fat binaries, kernels, variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/loaded_module.h"

namespace tcd::emu::runtime {

// One __global__ function. Its address serves as cudaKernel_t and cudaFunction_t.
struct RegisteredKernel {
  LoadedModule* module = nullptr;
  std::string name;             // mangled
  int max_dynamic_shared = -1;  // set by cudaFuncSetAttribute; -1: never set
  int shared_carveout = -1;
};

// One __device__, __constant__ or __managed__ variable.
struct RegisteredVariable {
  LoadedModule* module = nullptr;
  std::string name;
  uint64_t bytes = 0;
  void** managed_at = nullptr;  // __managed__: where the program keeps the storage's address
};

class Registry {
 public:
  void** add_fat_binary(const void* wrapper);
  void remove_fat_binary(void** handle);
  LoadedModule& module_of(void** handle);
  void add_kernel(void** handle, const void* host_function, const char* name);
  void add_variable(void** handle, const void* host_variable, const char* name, uint64_t bytes);
  void add_managed(void** handle, void** host_pointer, const char* name, uint64_t bytes);

  // By host function or by handle. Throws ApiError.
  RegisteredKernel& kernel(const void* host_function_or_handle);
  // By the address of the host's shadow variable, or of a managed variable's storage. nullptr: no
  // symbol of the device.
  const RegisteredVariable* variable(const void* host_variable) const;
  // Loads what kernels do not: managed variables must exist before the host touches them.
  void load_managed();
  void unload_all();

 private:
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::unordered_map<const void*, std::unique_ptr<RegisteredKernel>> kernels_;
  std::unordered_map<const void*, RegisteredKernel*> handles_;
  std::unordered_map<const void*, RegisteredVariable> variables_;
};

Registry& registry();

}  // namespace tcd::emu::runtime
