#include "runtime/error_state.h"

namespace tcd::emu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

bool ErrorState::blocks(CallKind kind, cudaError_t& answer) {
  if (sticky_ != cudaSuccess) {
    answer = sticky_;
    return true;
  }
  if (pending_ == cudaSuccess || kind == CallKind::kQuery) return false;
  if (kind == CallKind::kSynchronizing) sticky_ = std::exchange(pending_, cudaSuccess);
  answer = sticky_;
  return true;
}

ErrorState& error_state() {
  static ErrorState state;
  return state;
}

std::recursive_mutex& api_mutex() {
  static auto* mutex = new std::recursive_mutex;  // exit handlers may still call the API
  return *mutex;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace tcd::emu

using namespace tcd::emu;

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard lock(api_mutex());
  return error_state().sticky() != cudaSuccess ? error_state().sticky() : last_error;
}

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(api_mutex());
  const cudaError_t previous = std::exchange(last_error, cudaSuccess);
  return error_state().sticky() != cudaSuccess ? error_state().sticky() : previous;
}
