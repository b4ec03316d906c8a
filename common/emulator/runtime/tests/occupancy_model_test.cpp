// Our occupancy arithmetic against NVIDIA's published calculator, for every profile.
#include "runtime/occupancy_model.h"

#include <doctest/doctest.h>

#if __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#endif

using namespace tcd::emu;

#ifdef HAVE_CALCULATOR
namespace {

int by_calculator(const Profile& gpu, const KernelFootprint& kernel, uint32_t threads,
                  uint32_t dynamic_shared) {
  cudaOccDeviceProp device;
  device.computeMajor = gpu.compute_major;
  device.computeMinor = gpu.compute_minor;
  device.maxThreadsPerBlock = gpu.threads_per_block;
  device.maxThreadsPerMultiprocessor = gpu.threads_per_sm;
  device.regsPerBlock = static_cast<int>(gpu.registers_per_block);
  device.regsPerMultiprocessor = static_cast<int>(gpu.registers_per_sm);
  device.warpSize = 32;
  device.sharedMemPerBlock = gpu.shared_per_block;
  device.sharedMemPerMultiprocessor = gpu.shared_per_sm;
  device.numSms = gpu.sm_count;
  device.sharedMemPerBlockOptin = gpu.shared_per_block_optin;
  device.reservedSharedMemPerBlock = gpu.shared_reserved_per_block;
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = static_cast<int>(kernel.max_threads ? kernel.max_threads : 1024);
  function.numRegs = static_cast<int>(kernel.registers);
  function.sharedSizeBytes = kernel.static_shared;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = gpu.shared_per_block_optin - kernel.static_shared;
  cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                              static_cast<int>(threads),
                                              dynamic_shared) != CUDA_OCC_SUCCESS) {
    return -1;
  }
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace

TEST_CASE("the same CTAs per SM as NVIDIA's calculator") {
  int compared = 0, different_answers = 0, previous = -1;
  for (const Profile& gpu : all_profiles()) {
    for (uint32_t registers = 16; registers <= 255; registers += 7) {
      for (uint32_t threads = 32; threads <= 1024; threads += 32) {
        for (const uint32_t shared : {0u, 128u, 5000u, 9728u, 16384u, 20480u, 33000u, 49152u}) {
          const KernelFootprint kernel{.registers = registers, .static_shared = 0};
          const int ours = ctas_per_sm(gpu, kernel, threads, shared);
          CAPTURE(gpu.name);
          CAPTURE(registers);
          CAPTURE(threads);
          CAPTURE(shared);
          REQUIRE(ours == by_calculator(gpu, kernel, threads, shared));
          ++compared;
          if (ours != previous) ++different_answers;
          previous = ours;
        }
      }
    }
  }
  CHECK(compared > 50'000);
  CHECK(different_answers > 1'000);  // control: the sweep does move the answer
}
#endif

// Residency of the course's own kernels on sm_89, from NVIDIA's compiler and calculator.
TEST_CASE("residency of the ladder's kernels on an Ada GPU") {
  const Profile& ada = *find_profile("rtx4060-laptop");
  const auto ctas = [&](uint32_t registers, uint32_t threads, uint64_t shared) {
    return ctas_per_sm(ada, {.registers = registers}, threads, shared);
  };
  CHECK(ctas(131, 256, 0) == 1);  // 8 warps, no minimum in the launch bounds
  CHECK(ctas(123, 256, 0) == 2);  // with a minimum of two
  CHECK(ctas(220, 128, 0) == 2);  // 4 warps
  CHECK(ctas(62, 128, 9728) == 8);
  CHECK(ctas(32, 128, 100 * 1024) == 0);  // 100 KiB: one more than a CTA may have
  CHECK(ctas(32, 128, 99 * 1024) == 1);
}

TEST_CASE("an unknown register count does not limit; a bad size gives nothing") {
  const Profile& t4 = *find_profile("t4");
  CHECK(ctas_per_sm(t4, {}, 1024, 0) == 1);
  CHECK(ctas_per_sm(t4, {}, 32, 0) == 16);
  CHECK(ctas_per_sm(t4, {}, 1025, 0) == 0);
  CHECK(ctas_per_sm(t4, {}, 0, 0) == 0);
  CHECK(max_threads_per_cta(t4, {.registers = 96}) == 640);
  CHECK(max_threads_per_cta(t4, {.registers = 32, .max_threads = 128}) == 128);
}

TEST_CASE("available shared memory, as an H200 answered") {
  const Profile& h200 = *find_profile("h200");
  const KernelFootprint kernel{
      .registers = 10, .static_shared = 1200, .dynamic_shared_limit = 48 * 1024 - 1200};
  const std::pair<int, int64_t> recorded[] = {{0, -1},     {1, 47952}, {3, 47952}, {7, 32080},
                                              {16, 13392}, {32, 6096}, {33, -1}};
  for (const auto& [ctas, bytes] : recorded) {
    CAPTURE(ctas);
    CHECK(available_dynamic_shared(h200, kernel, ctas, 64) == bytes);
  }
}
