// NVIDIA's driver API, found when the program runs: no card, no driver, no CUDA header is needed to
// build. Only what card_bench.cpp calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tcd::exercises {

inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaNotReady = 600;

// One card, as the driver describes it.
struct Card {
  std::string name;
  int compute = 0;  // 90
  int sm_count = 0;
  int cuda = 0;  // the newest CUDA that the driver supports: 13000
};

// Every function returns a CUresult. Handles are pointers, device addresses integers.
struct CudaDriver {
  // Device 0, whose primary context is made current. Throws NoDevice with the reason.
  static const CudaDriver& instance();

  Card card;
  int (*module_load)(void** module, const void* image, unsigned options, int* keys, void** values);
  int (*module_function)(void** function, void* module, const char* name);
  int (*module_unload)(void* module);
  int (*function_attribute)(int* value, int attribute, void* function);
  int (*set_function_attribute)(void* function, int attribute, int value);
  int (*allocate)(uint64_t* address, size_t bytes);
  int (*release)(uint64_t address);
  int (*copy_to_device)(uint64_t to, const void* from, size_t bytes);
  int (*copy_to_host)(void* to, uint64_t from, size_t bytes);
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                void** params, void** extra);
  int (*stream_query)(void* stream);
  int (*error_name)(int error, const char** name);
  int (*error_text)(int error, const char** text);

  std::string describe(int error) const;  // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal …"

 private:
  CudaDriver();
};

}  // namespace tcd::exercises
