#include "runtime/error_state.h"

#include "runtime/unseen_failures.h"

namespace tcd::emu::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

bool ErrorState::blocks(CallKind kind, cudaError_t& answer) {
  if (kind == CallKind::kHostOnly) return false;
  if (sticky_ != cudaSuccess) {
    answer = sticky_;
    return true;
  }
  if (pending_ == cudaSuccess || kind == CallKind::kQuery) return false;
  if (kind == CallKind::kSynchronizing) {
    sticky_ = std::exchange(pending_, cudaSuccess);
    device_error_seen();
  }
  answer = sticky_;
  return true;
}

void ErrorState::reset() {
  const bool was_lost = pending_ != cudaSuccess || sticky_ != cudaSuccess;
  pending_ = cudaSuccess;
  sticky_ = was_lost ? cudaErrorDevicesUnavailable : cudaSuccess;
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

}  // namespace tcd::emu::runtime

using namespace tcd::emu;
using namespace tcd::emu::runtime;

cudaError_t cudaPeekAtLastError() {
  if (last_error != cudaSuccess) last_error_seen();
  return last_error;
}
cudaError_t cudaGetLastError() {
  if (last_error != cudaSuccess) last_error_seen();
  return std::exchange(last_error, cudaSuccess);
}
