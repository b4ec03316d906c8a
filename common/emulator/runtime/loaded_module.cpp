#include "runtime/loaded_module.h"

#include "fatbin/selection.h"
#include "ptx/link.h"
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

// Takes registers and the like from the machine code that belongs to the choice.
ptx::Module LoadedModule::choose(std::span<const fatbin::Entry> entries) {
  const fatbin::Selection chosen = fatbin::select(entries, profile().compute());
  if (chosen.ptx == nullptr) throw ApiError(cudaErrorNoKernelImageForDevice, chosen.problem);
  if (!chosen.note.empty()) note_once(chosen.note);
  ptx_architecture_ = chosen.ptx->sm;
  if (chosen.elf != nullptr && binary_architecture_ == 0) {
    resources_ = fatbin::read_cubin(chosen.elf->payload());
    binary_architecture_ = chosen.elf->sm;
    resources_are_approximate_ = chosen.elf_is_approximate;
  }
  return ptx::parse(chosen.ptx->text());
}

// The translation units of a program built with -rdc=true: each has its PTX, and the whole has the
// machine code. One that has no PTX for this device (NVIDIA's device runtime) matters only to a
// kernel that calls it, if others have.
std::vector<ptx::Module> LoadedModule::choose_parts(std::vector<fatbin::Entry> whole) {
  std::vector<ptx::Module> parts;
  const std::vector<fatbin::Entry> machine_code = whole;
  for (const std::vector<fatbin::Entry>& linked : fatbin::parse_linked(wrapper_)) {
    std::vector<fatbin::Entry> entries = machine_code;
    for (const fatbin::Entry& entry : linked) {  // its machine code is not linked: no registers
      if (entry.kind != fatbin::Entry::Kind::kPtx) continue;
      entries.push_back(entry);
      whole.push_back(entry);
    }
    const fatbin::Selection chosen = fatbin::select(entries, profile().compute());
    if (chosen.ptx != nullptr) {
      parts.push_back(choose(entries));
    } else {
      left_out_ = chosen.problem;
    }
  }
  if (parts.empty()) parts.push_back(choose(whole));  // an ordinary program; or throws
  return parts;
}

void LoadedModule::load() {
  try {
    ptx::Module module = ptx::link(choose_parts(fatbin::parse_wrapper(wrapper_)));
    place_managed_variables(module, managed_);
    program_ = device().load(module);
  } catch (const fatbin::FatbinError& error) {
    throw ApiError(cudaErrorInvalidKernelImage, error.what());
  } catch (const OutOfDeviceMemory& error) {
    throw ApiError(cudaErrorMemoryAllocation, error.what());
  } catch (const ptx::LinkError& error) {
    throw ApiError(cudaErrorInvalidKernelImage, error.what());
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
  ptx_architecture_ = binary_architecture_ = 0;
  release_managed_variables(managed_);
}

}  // namespace tcd::emu::runtime
