#include "runtime/loaded_module.h"

#include "fatbin/selection.h"
#include "ptx/parser.h"
#include "runtime/device_state.h"
#include "runtime/managed_variables.h"

namespace tcd::emu::runtime {

LoadedModule::~LoadedModule() { unload(); }

Program& LoadedModule::program() {
  if (failure_ != nullptr) throw *failure_;
  if (program_ == nullptr) {
    try {
      load();
    } catch (const ApiError& error) {
      failure_ = std::make_unique<ApiError>(error);
      throw;
    }
  }
  return *program_;
}

void LoadedModule::load() {
  try {
    const std::vector<fatbin::Entry> entries = fatbin::parse_wrapper(wrapper_);
    const fatbin::Selection chosen = fatbin::select(entries, profile().compute());
    if (chosen.ptx == nullptr) throw ApiError(cudaErrorNoKernelImageForDevice, chosen.problem);
    if (!chosen.note.empty()) note_once(chosen.note);
    ptx_architecture_ = chosen.ptx->sm;
    if (chosen.elf != nullptr) {
      resources_ = fatbin::read_cubin(chosen.elf->payload());
      binary_architecture_ = chosen.elf->sm;
      resources_are_approximate_ = chosen.elf_is_approximate;
    }
    ptx::Module module = ptx::parse(chosen.ptx->text());
    place_managed_variables(module, managed_);
    program_ = device().load(module);
  } catch (const fatbin::FatbinError& error) {
    throw ApiError(cudaErrorInvalidKernelImage, error.what());
  } catch (const OutOfDeviceMemory& error) {
    throw ApiError(cudaErrorMemoryAllocation, error.what());
  } catch (const ptx::ParseError& error) {
    throw ApiError(cudaErrorInvalidPtx,
                   std::string("the embedded PTX cannot be read: ") + error.what());
  }
}

const fatbin::KernelResources* LoadedModule::resources(std::string_view kernel) {
  program();
  const auto found = resources_.find(kernel);
  return found == resources_.end() ? nullptr : &found->second;
}

void LoadedModule::unload() {
  program_.reset();
  failure_.reset();
  resources_.clear();
  release_managed_variables(managed_);
}

}  // namespace tcd::emu::runtime
