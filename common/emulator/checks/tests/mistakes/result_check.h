// Device memory of a small program, and the check of its results: bits against exact values, in an
// output that was filled with NaN and stands between guard bands.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "checks/tests/mistakes/mistake.h"
#include "gates/compare.h"
#include "gates/output.h"

namespace mistakes_test {

constexpr int kThreads = 64;
constexpr int kTile = kThreads * 4;  // floats: 16 bytes a thread
constexpr int kTiles = 8;
constexpr int kGiven = kTiles * kTile;  // floats of input; element i is i
constexpr int kGuard = 128;

// What the launch and the kernel returned; empty: no error.
inline std::string cuda_error() {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  return error == cudaSuccess ? "" : cudaGetErrorName(error);
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(size_t count) { cudaMalloc(&at_, count * sizeof(T)); }
  explicit OnDevice(const std::vector<T>& from) : OnDevice(from.size()) { copy(from); }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(at_); }
  void copy(const std::vector<T>& from) {
    cudaMemcpy(at_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  T* get() const { return static_cast<T*>(at_); }

 private:
  void* at_ = nullptr;
};

// Twice as long as what is copied to it, as a buffer for the largest case is.
struct Input : OnDevice<float> {
  Input() : OnDevice(2 * kGiven) {
    std::vector<float> given(kGiven);  // all different: writing what is there already is no race
    for (int i = 0; i < kGiven; ++i) given[i] = static_cast<float>(i);
    copy(given);
  }
};

inline Outcome outcome(const std::vector<tcd::GateResult>& gates) {
  for (const tcd::GateResult& gate : gates) {
    if (gate.passed()) continue;
    std::string words;
    for (const std::string& line : gate.lines()) words += (words.empty() ? "" : "; ") + line;
    return {false, words};
  }
  return {true, "all elements right, guard bands untouched"};
}

// Row-major values against an output of the same layout.
inline tcd::GateResult compare(const tcd::Product& product, const tcd::OutputView& got) {
  const tcd::Comparison found = tcd::compare_bits({&product, got.type, {}}, got);
  if (found.equal()) return tcd::GateResult::pass("results", found.compared);
  const auto [row, col] = found.first;
  std::string words = tcd::with_separators(found.different) + " of " +
                      tcd::with_separators(found.compared) + " elements differ";
  if (found.never_written != 0) {
    words += ", " + tcd::with_separators(found.never_written) + " never written";
  }
  words += ", the first (" + std::to_string(row) + ", " + std::to_string(col) + "): expected " +
           std::to_string(product.at(row, col)) + ", got " + std::to_string(got.value(row, col));
  return tcd::GateResult::fail("results", found.compared, {words});
}

// launch(out) must leave expected(i) in `count` floats. kLooks: ask for errors, as one should.
template <bool kLooks = true, class Launch, class Value>
Outcome check_floats(int count, const Launch& launch, const Value& expected) {
  tcd::Product product{1, count, std::vector<float>(count)};
  for (int i = 0; i < count; ++i) product.values[i] = static_cast<float>(expected(i));
  tcd::GuardedOutput output(tcd::OutputType::kF32, tcd::row_major(1, count), kGuard);
  output.fill();
  const OnDevice<std::byte> device(output.bytes());
  cudaMemcpy(device.get(), output.storage(), output.bytes(), cudaMemcpyHostToDevice);
  launch(reinterpret_cast<float*>(device.get() + output.payload_offset()));
  if (const std::string error = kLooks ? cuda_error() : ""; !error.empty()) return {false, error};
  cudaMemcpy(output.storage(), device.get(), output.bytes(), cudaMemcpyDeviceToHost);
  return outcome({compare(product, output.view()), output.check_guards("guard bands")});
}

// The usual case: one CTA, an input, an output element a thread.
using Kernel = void (*)(const float*, float*);
template <Kernel kWrongKernel, Kernel kRightKernel, float (*kExpected)(int), int kCount = kThreads>
Outcome one_cta(bool wrong) {
  const Input in;
  return check_floats(
      kCount,
      [&](float* out) { (wrong ? kWrongKernel : kRightKernel)<<<1, kThreads>>>(in.get(), out); },
      kExpected);
}

}  // namespace mistakes_test
