// The kernels of kernels.cu as ordinary functions, so that the tests are host C++.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

struct Mixed {  // offsets 0, 4, 8: the parameter block must keep the padding
  char letter;
  int number;
  double wide;
};

void launch_vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream);
void launch_take_struct(const Mixed& mixed, double* out);
void launch_sum_table(int* out);  // *out = sum; device_counter += 2; managed_value *= 3
void launch_dynamic_shared(int* out, unsigned grid, unsigned block, size_t bytes);
void launch_dynamic_shared_3d(int* out, dim3 grid, dim3 block);
void launch_bounded(int* out, unsigned block);  // __launch_bounds__(128)
void launch_unbounded_registers(float* a, unsigned block);
void launch_store_at(int* where);
void launch_round_in_ptx(float* out, float tiny);  // 0.1 as a decimal in PTX, 1/3, tiny + tiny, 1/0
void launch_trap();
void launch_failed_assert();

int read_managed();
void write_managed(int value);

// The address the runtime knows a kernel or variable by; nullptr: none of that name.
const void* kernel_named(const std::string& name);
const void* symbol_named(const std::string& name);
