#include "runtime/loaded_module.h"

#include <algorithm>

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

// A translation unit of a program built with -rdc=true: its own PTX, and the machine code of the
// whole. One that brings no PTX (NVIDIA's device runtime) matters only to a kernel that calls it.
void LoadedModule::add_linked(std::span<const fatbin::Entry> whole,
                              std::span<const fatbin::Entry> linked,
                              std::vector<ptx::Module>& parts) {
  std::vector<fatbin::Entry> entries;
  for (const fatbin::Entry& entry : whole) {
    if (entry.kind == fatbin::Entry::Kind::kElf) entries.push_back(entry);
  }
  const bool has_ptx = std::any_of(linked.begin(), linked.end(), [](const fatbin::Entry& entry) {
    return entry.kind == fatbin::Entry::Kind::kPtx;
  });
  if (!has_ptx) return;
  for (const fatbin::Entry& entry : linked) {  // its machine code is not linked: no register count
    if (entry.kind == fatbin::Entry::Kind::kPtx) entries.push_back(entry);
  }
  parts.push_back(choose(entries));
}

void LoadedModule::load() {
  try {
    const std::vector<fatbin::Entry> entries = fatbin::parse_wrapper(wrapper_);
    std::vector<ptx::Module> parts;
    for (const std::vector<fatbin::Entry>& linked : fatbin::parse_linked(wrapper_)) {
      add_linked(entries, linked, parts);
    }
    if (parts.empty()) parts.push_back(choose(entries));
    ptx::Module module = ptx::link(std::move(parts));
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
