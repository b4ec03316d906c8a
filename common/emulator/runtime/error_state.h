// When an error is seen, and by which call: the rules of a real card.
//
//  - A wrong argument is returned by the call itself and remembered for cudaGetLastError. It harms
//    nothing else.
//  - A fault inside a kernel stays unseen until a call waits for the device. That call returns it,
//    and from then on it is sticky: every call that needs the device returns it again, also after
//    cudaGetLastError. Until it is seen, work that is only queued (launches, asynchronous copies,
//    event records) succeeds and does nothing, as behind a kernel that is still running.
//  - cudaDeviceReset does not repair it: the process has to end, as beside a card.
//
// Recorded on an H200, see tests/recorded/.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "machine/float_environment.h"
#include "runtime/cuda_api.h"
#include "runtime/messages.h"
#include "runtime/settings.h"

namespace tcd::emu::runtime {

enum class CallKind {
  kHostOnly,       // answered without the device, even after a fault
  kQuery,          // needs the device, but waits for nothing
  kQueued,         // puts work on a stream
  kSynchronizing,  // waits for the device
};

class ErrorState {
 public:
  // True when the call must not run and returns `answer` at once.
  bool blocks(CallKind kind, cudaError_t& answer);
  void fault(cudaError_t error) { pending_ = error; }  // seen by the next synchronizing call
  void fault_now(cudaError_t error) { sticky_ = error; }
  // Work that is queued from now on does nothing.
  bool is_stopped() const { return pending_ != cudaSuccess || sticky_ != cudaSuccess; }
  bool is_lost() const { return sticky_ != cudaSuccess; }
  void reset();

 private:
  cudaError_t pending_ = cudaSuccess, sticky_ = cudaSuccess;
};

ErrorState& error_state();
// One lock around the whole API: CTAs already use all cores, so calls gain nothing by overlapping.
std::recursive_mutex& api_mutex();
// Stores a failure as this thread's last error; returns it.
cudaError_t remember(cudaError_t error);

// An error code on its way to the caller, with an explanation for stderr (printed once).
class ApiError : public std::runtime_error {
 public:
  ApiError(cudaError_t code, const std::string& why) : std::runtime_error(why), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Runs the body of one API function under the rules above. No exception leaves the library.
template <typename Body>
cudaError_t api_call(CallKind kind, Body&& body) {
  const std::lock_guard lock(api_mutex());
  const DefaultFloatEnvironment environment;  // a PTX literal is rounded when it is parsed
  cudaError_t answer = cudaSuccess;
  if (error_state().blocks(kind, answer)) return remember(answer);
  try {
    if (kind != CallKind::kHostOnly) settings();  // no device under a name that does not exist
    return remember(std::forward<Body>(body)());
  } catch (const ApiError& error) {
    complain_once(error.what());
    return remember(error.code());
  } catch (const SettingsError& error) {
    complain_once(error.what());
    return remember(cudaErrorInitializationError);
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  } catch (const std::exception& error) {
    complain_once(error.what());
    return remember(cudaErrorUnknown);
  }
}

template <typename Body>
cudaError_t host_only(Body&& body) {
  return api_call(CallKind::kHostOnly, std::forward<Body>(body));
}
template <typename Body>
cudaError_t query(Body&& body) {
  return api_call(CallKind::kQuery, std::forward<Body>(body));
}
template <typename Body>
cudaError_t queue(Body&& body) {
  return api_call(CallKind::kQueued, std::forward<Body>(body));
}
template <typename Body>
cudaError_t synchronize(Body&& body) {
  return api_call(CallKind::kSynchronizing, std::forward<Body>(body));
}

}  // namespace tcd::emu::runtime
