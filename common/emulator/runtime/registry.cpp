#include "runtime/registry.h"

#include <algorithm>

namespace tcd::emu::runtime {

Registry& registry() {
  static auto* all = new Registry;  // unregistering runs in exit handlers
  return *all;
}

// The handle is the module's address, seen as the void** the compiler's start-up code keeps.
void** Registry::add_fat_binary(const void* wrapper) {
  modules_.push_back(std::make_unique<LoadedModule>(wrapper));
  return reinterpret_cast<void**>(modules_.back().get());
}

LoadedModule& Registry::module_of(void** handle) {
  for (const auto& module : modules_) {
    if (static_cast<void*>(module.get()) == static_cast<void*>(handle)) return *module;
  }
  throw ApiError(cudaErrorInvalidResourceHandle, "no fat binary was registered under this handle");
}

void Registry::remove_fat_binary(void** handle) {
  const auto of_this = [&](const LoadedModule* module) {
    return static_cast<const void*>(module) == static_cast<const void*>(handle);
  };
  std::erase_if(handles_, [&](const auto& item) { return of_this(item.second->module); });
  std::erase_if(kernels_, [&](const auto& item) { return of_this(item.second->module); });
  std::erase_if(variables_, [&](const auto& item) { return of_this(item.second.module); });
  std::erase_if(modules_, [&](const auto& module) { return of_this(module.get()); });
}

void Registry::add_kernel(void** handle, const void* host_function, const char* name) {
  auto kernel = std::make_unique<RegisteredKernel>();
  kernel->module = &module_of(handle);
  kernel->name = name;
  handles_[kernel.get()] = kernel.get();
  kernels_[host_function] = std::move(kernel);
}

void Registry::add_variable(void** handle, const void* host_variable, const char* name,
                            uint64_t bytes) {
  variables_[host_variable] = {&module_of(handle), name, bytes, nullptr};
}

void Registry::add_managed(void** handle, void** host_pointer, const char* name, uint64_t bytes) {
  LoadedModule& module = module_of(handle);
  variables_[host_pointer] = {&module, name, bytes, host_pointer};
  module.add_managed({name, bytes, host_pointer, nullptr});
}

RegisteredKernel& Registry::kernel(const void* host_function_or_handle) {
  const auto by_function = kernels_.find(host_function_or_handle);
  if (by_function != kernels_.end()) return *by_function->second;
  const auto by_handle = handles_.find(host_function_or_handle);
  if (by_handle != handles_.end()) return *by_handle->second;
  // CUDA 13 takes any other pointer for a cudaKernel_t, and so a wrong handle (tests/recorded).
  const bool is_handle = CUDART_VERSION >= 13000 && host_function_or_handle != nullptr;
  throw ApiError(is_handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                 "a call names no __global__ function of this program");
}

const RegisteredVariable* Registry::variable(const void* host_variable) const {
  const auto found = variables_.find(host_variable);
  if (found != variables_.end()) return &found->second;
  // Host code that names a managed variable means its storage, not the pointer that leads there.
  for (const auto& [key, variable] : variables_) {
    if (variable.managed_at != nullptr && *variable.managed_at == host_variable) {
      return &variable;
    }
  }
  return nullptr;
}

void Registry::load_managed() {
  for (const auto& module : modules_) {
    if (module->has_managed()) module->program();
  }
}

void Registry::unload_all() {
  for (const auto& module : modules_) module->unload();
}

}  // namespace tcd::emu::runtime
