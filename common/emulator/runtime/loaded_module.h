// One fat binary of the program: read, parsed and loaded when a kernel or variable of it is first
// needed, so that a program with a hundred of them starts at once.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fatbin/container.h"
#include "fatbin/cubin.h"
#include "machine/device.h"
#include "ptx/ast.h"
#include "runtime/error_state.h"

namespace tcd::emu::runtime {

// A `__managed__` variable: storage in host memory that kernels reach at the same address.
struct ManagedVariable {
  std::string name;
  uint64_t bytes = 0;
  void** host_pointer = nullptr;  // the program's own pointer to the variable; filled at load
  std::byte* storage = nullptr;
};

class LoadedModule {
 public:
  explicit LoadedModule(const void* wrapper) : wrapper_(wrapper) {}
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  void add_managed(ManagedVariable variable) { managed_.push_back(std::move(variable)); }
  bool has_managed() const { return !managed_.empty(); }

  // Loads on the first call. Throws ApiError; the same one again on later calls.
  Program& program();
  // What ptxas decided for a kernel; nullptr when no machine code is embedded.
  const fatbin::KernelResources* resources(std::string_view kernel);
  // Why a linked part of the program was left out; empty: none was.
  const std::string& left_out() const { return left_out_; }
  int ptx_architecture() const { return ptx_architecture_; }        // 80: what is executed
  int binary_architecture() const { return binary_architecture_; }  // of the resources; 0: none
  bool resources_are_approximate() const { return resources_are_approximate_; }

  // Forgets what was loaded (cudaDeviceReset); the next use loads again, with fresh variables.
  void unload();

 private:
  void load();
  ptx::Module choose(std::span<const fatbin::Entry> entries);
  std::vector<ptx::Module> choose_parts(std::vector<fatbin::Entry> whole);

  const void* wrapper_;
  std::vector<ManagedVariable> managed_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<ApiError> failure_;
  std::string left_out_;
  std::map<std::string, fatbin::KernelResources, std::less<>> resources_;
  int ptx_architecture_ = 0, binary_architecture_ = 0;
  bool resources_are_approximate_ = false;
};

}  // namespace tcd::emu::runtime
