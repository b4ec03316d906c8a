// Loading a module: places its variables, describes its kernels. Functions are decoded when a
// kernel that needs them is launched for the first time.
#include "machine/program.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "machine/decode/decoder.h"
#include "ptx/parser.h"

namespace tcd::emu {
namespace {

// What no toolkit would have let through: ptxas stops there too. Below it, sums fit 32 bits.
constexpr uint64_t kMostParamBytes = uint64_t{64} << 10;
constexpr uint64_t kMostLocalBytes = uint64_t{512} << 10;  // of a thread
constexpr uint64_t kMostSharedBytes = kSharedWindowBytes;

// Names that a function refers to, and the functions it calls, and so on. No recursion: a chain of
// calls may be as long as the text.
std::unordered_set<std::string> names_reached_from(const Program::Impl& program, int index) {
  std::unordered_set<std::string> names;
  std::unordered_set<int> seen = {index};
  std::vector<int> waiting = {index};
  const auto visit = [&](const ptx::Operand& o, const auto& self) -> void {
    if (!o.symbol.empty() && names.insert(o.symbol).second) {
      const int callee = program.function_index(o.symbol);
      if (callee >= 0 && seen.insert(callee).second) waiting.push_back(callee);
    }
    for (const auto& e : o.elements) self(e, self);
  };
  while (!waiting.empty()) {
    const auto& function = program.module.functions[static_cast<size_t>(waiting.back())];
    waiting.pop_back();
    for (const auto& in : function.body) {
      for (const auto& o : in.operands) visit(o, visit);
    }
  }
  return names;
}

uint64_t align_up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

void refuse_beyond(uint64_t bytes, uint64_t most, const ptx::Function& f, const char* what) {
  if (bytes <= most) return;
  throw ptx::ParseError(f.ptx_line, f.name.substr(0, 200) + " has " + std::to_string(bytes) +
                                        " bytes of " + what + "; at most " + std::to_string(most) +
                                        " can be had");
}

// Sizes are at most 2^40 each (ptx/declarations.cpp), so sums of them do not wrap.
void check_sizes(const ptx::Function& f) {
  uint64_t params = 0, returns = 0, locals = 0;
  for (const auto& p : f.params) params = align_up(params, p.align) + p.size;
  for (const auto& r : f.returns) returns = align_up(returns, r.align) + r.size;
  for (const auto& v : f.variables) {
    if (v.space == ptx::Space::kLocal) locals = align_up(locals, v.align) + v.size;
    if (v.space == ptx::Space::kParam) refuse_beyond(v.size, kMostParamBytes, f, "a parameter");
  }
  refuse_beyond(params, kMostParamBytes, f, "parameters");
  refuse_beyond(returns, kMostParamBytes, f, "results");
  refuse_beyond(locals, kMostLocalBytes, f, "local memory");
}

}  // namespace

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

const Kernel* Program::find_kernel(std::string_view name) const {
  const auto it = impl_->kernels.find(std::string(name));
  return it == impl_->kernels.end() ? nullptr : it->second.get();
}

std::optional<Program::Symbol> Program::find_symbol(std::string_view name) const {
  const Symbol* s = impl_->symbol(std::string(name));
  return s == nullptr ? std::nullopt : std::optional<Symbol>(*s);
}

const KernelInfo& kernel_info(const Kernel& kernel) { return kernel.info; }

Program::Impl::Impl(const ptx::Module& source, DeviceMemory::Impl& device_memory,
                    const Profile& device_profile)
    : module(source), memory(device_memory), profile(device_profile) {
  for (size_t i = 0; i < module.functions.size(); ++i) {
    functions[module.functions[i].name] = static_cast<int>(i);
  }
  for (const auto& f : module.functions) check_sizes(f);
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].is_entry) describe_kernel(static_cast<int>(i));
  }
  try {
    place_variables();
  } catch (...) {  // no destructor runs: a module that was refused leaves nothing behind
    release_variables();
    throw;
  }
}

Program::Impl::~Impl() { release_variables(); }

void Program::Impl::release_variables() {
  for (const auto& [name, s] : symbols) memory.release(s.address);
}

int Program::Impl::function_index(const std::string& name) const {
  const auto it = functions.find(name);
  return it == functions.end() ? -1 : it->second;
}

uint64_t Program::Impl::function_address(int index) const {
  return memory.code_window() + static_cast<uint64_t>(index + 1) * kCodeStep;
}

const Program::Symbol* Program::Impl::symbol(const std::string& name) const {
  const auto it = symbols.find(name);
  return it == symbols.end() ? nullptr : &it->second;
}

void Program::Impl::place_variables() {
  std::vector<const ptx::Variable*> placed;
  const auto place = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::kGlobal && v.space != ptx::Space::kConst) return;
    if (symbols.contains(v.name)) return;
    const uint64_t size = std::max<uint64_t>(v.size, v.init.size());
    const uint64_t address =
        memory.allocate(size, std::max(v.align, 256u), v.name, v.space == ptx::Space::kConst);
    if (address == 0) throw OutOfDeviceMemory("no device memory for the variable " + v.name);
    symbols[v.name] = {address, size};
    placed.push_back(&v);
  };
  for (const auto& v : module.variables) place(v);
  for (const auto& f : module.functions) {
    for (const auto& v : f.variables) place(v);
  }
  for (const ptx::Variable* v : placed) {
    AccessCache record;
    const Symbol& s = symbols[v->name];
    if (s.size == 0 || !memory.find(s.address, record)) continue;
    auto* bytes = reinterpret_cast<std::byte*>(s.address + record.delta);
    if (!v->init.empty()) std::memcpy(bytes, v->init.data(), v->init.size());
    for (const auto& r : v->relocations) {
      uint64_t value = static_cast<uint64_t>(r.addend);
      if (const Symbol* target = symbol(r.symbol); target != nullptr) {
        value += target->address;
      } else if (const int f = function_index(r.symbol); f >= 0) {
        value += function_address(f);
      }
      if (r.offset + 8 <= s.size) std::memcpy(bytes + r.offset, &value, 8);
    }
  }
}

void Program::Impl::describe_kernel(int index) {
  const ptx::Function& f = module.functions[static_cast<size_t>(index)];
  auto kernel = std::make_unique<Kernel>();
  kernel->program = this;
  kernel->function = index;
  KernelInfo& info = kernel->info;
  info.name = f.name;
  info.ptx_target = module.target;
  info.max_threads = f.max_threads;
  for (int i = 0; i < 3; ++i) info.required_threads[i] = f.required_threads[i];
  for (const auto& p : f.params) {
    info.param_bytes = static_cast<uint32_t>(align_up(info.param_bytes, p.align));
    info.params.push_back({info.param_bytes, static_cast<uint32_t>(p.size), p.align});
    info.param_bytes += static_cast<uint32_t>(p.size);
  }
  for (const auto& v : f.variables) {
    if (v.space == ptx::Space::kLocal) {
      info.local_bytes = static_cast<uint32_t>(align_up(info.local_bytes, v.align) + v.size);
    }
  }
  // Shared variables the kernel or what it calls refers to; then the dynamic ones, all at the end.
  const std::unordered_set<std::string> names = names_reached_from(*this, index);
  uint64_t top = 0, dynamic_align = 16;
  std::vector<const ptx::Variable*> dynamic;
  const auto place = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::kShared || !names.contains(v.name)) return;
    if (v.size == 0) {
      dynamic.push_back(&v);
      dynamic_align = std::max<uint64_t>(dynamic_align, v.align);
      return;
    }
    top = align_up(top, v.align);
    kernel->shared_offsets[v.name] = static_cast<uint32_t>(top);
    top += v.size;
  };
  for (const auto& v : module.variables) place(v);
  for (const auto& g : module.functions) {
    for (const auto& v : g.variables) place(v);
  }
  if (!dynamic.empty()) top = align_up(top, dynamic_align);
  for (const auto* v : dynamic) kernel->shared_offsets[v->name] = static_cast<uint32_t>(top);
  refuse_beyond(top, kMostSharedBytes, f, "shared memory");
  info.static_shared_bytes = static_cast<uint32_t>(top);
  kernels[f.name] = std::move(kernel);
}

const WrittenPointers& Kernel::written() const {
  const std::lock_guard lock(mutex);
  if (found_written == nullptr) {
    const ptx::Module& module = program->module;
    found_written = std::make_unique<WrittenPointers>(
        written_pointers(module, module.functions[static_cast<size_t>(function)], info));
  }
  return *found_written;
}

const Code& Kernel::decode() const {
  const std::lock_guard lock(mutex);
  if (!codes.empty() && codes[static_cast<size_t>(function)] != nullptr) {
    return *codes[static_cast<size_t>(function)];
  }
  auto& self = const_cast<Kernel&>(*this);  // decoding is a cache, filled once under the lock
  const auto& functions = program->module.functions;
  std::vector<std::unique_ptr<Code>> fresh(functions.size());
  self.pending = {function};
  bool all_added = false;
  while (!self.pending.empty()) {
    const auto index = static_cast<size_t>(self.pending.back());
    self.pending.pop_back();
    if (fresh[index] != nullptr) continue;
    fresh[index] = std::make_unique<Code>();
    Decoder(self, static_cast<int>(index), *fresh[index]).run();
    if (self.pending.empty() && self.calls_indirectly && !all_added) {
      all_added = true;
      for (size_t i = 0; i < functions.size(); ++i) {
        if (fresh[i] != nullptr || functions[i].is_entry || functions[i].is_declaration) continue;
        try {
          auto code = std::make_unique<Code>();
          Decoder(self, static_cast<int>(i), *code).run();
          fresh[i] = std::move(code);
        } catch (const DecodeError&) {  // complain when it is called, not because it exists
        }
      }
    }
  }
  self.codes = std::move(fresh);
  return *codes[static_cast<size_t>(function)];
}

}  // namespace tcd::emu
