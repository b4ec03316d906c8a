#include "runtime/work.h"

#include <optional>

#include "runtime/capture.h"
#include "runtime/graph_memory.h"
#include "runtime/handles.h"

namespace tcd::emu::runtime {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

cudaError_t check(const Work& work) {
  return std::visit(
      Overloaded{[](const CopyWork& w) { return check_copy(w.to, w.from, w.block, w.kind); },
                 [](const FillWork& w) { return check_fill(w.to, w.element_bytes, w.block); },
                 [](const HostWork& w) {
                   return w.function != nullptr ? cudaSuccess : cudaErrorInvalidValue;
                 },
                 [](const RecordWork& w) {
                   require_event(w.event);
                   return cudaSuccess;
                 },
                 [](const WaitWork& w) {
                   require_event(w.event);
                   return cudaSuccess;
                 },
                 [](const auto&) { return cudaSuccess; }},
      work);
}

cudaError_t perform(const Work& work) {
  return std::visit(
      Overloaded{
          [](const KernelWork& w) { return perform_kernel(w); },
          [](const CopyWork& w) { return copy_block(w.to, w.from, w.block, w.kind); },
          [](const FillWork& w) { return fill_block(w.to, w.value, w.element_bytes, w.block); },
          [](const RecordWork& w) {
            record_event(w.event);
            return cudaSuccess;
          },
          [](const AllocateWork& w) { return begin_use(*w.memory); },
          [](const FreeWork& w) { return free_device(w.pointer); },
          [](const auto&) { return cudaSuccess; }},  // waits are over, the empty node is empty
      work);
}

cudaError_t submit(cudaStream_t stream, const Work& work) {
  const HostWork* run_here = nullptr;
  const cudaError_t result = queue([&] {
    require_stream(stream);
    refuse_beside_capture(stream);
    if (is_captured(stream)) {
      const cudaError_t wrong = check(work);
      if (wrong == cudaSuccess) capture(stream, work);
      return wrong;
    }
    if (const auto* host = std::get_if<HostWork>(&work)) {
      if (host->function == nullptr) return cudaErrorInvalidValue;
      if (!error_state().is_stopped()) run_here = host;
      return cudaSuccess;
    }
    return perform(work);
  });
  if (run_here != nullptr) run_here->function(run_here->data);
  return result;
}

}  // namespace tcd::emu::runtime
