// Kernels for the runtime's tests, each with a host function that launches it.
#undef NDEBUG  // assert below is meant to be there in every build
#include <cassert>

#include "kernels.h"

__constant__ int constant_table[4] = {1, 2, 3, 4};
__device__ int device_counter = 40;
__managed__ int managed_value = 5;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void take_struct(Mixed mixed, double* out) {
  out[0] = mixed.letter;
  out[1] = mixed.number;
  out[2] = mixed.wide;
}

__global__ void sum_table(int* out) {
  *out = 0;
  for (int i = 0; i < 4; ++i) *out += constant_table[i];
  device_counter += 2;
  managed_value *= 3;
}

__global__ void dynamic_shared(int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void static_shared(float* a) {
  __shared__ float tile[300];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = threadIdx.x; }

// More than 64 live registers: 1,024 threads of it do not fit an SM.
__global__ void __launch_bounds__(256) many_registers(float* a) {
  float value[80];
#pragma unroll
  for (int i = 0; i < 80; i++) value[i] = a[i * 256 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 80; i++) a[i * 256 + threadIdx.x] = value[i] * value[(i * 7 + 1) % 80];
}

// The same without bounds: the launch itself must be refused.
__global__ void unbounded_registers(float* a) {
  float value[80];
#pragma unroll
  for (int i = 0; i < 80; i++) value[i] = a[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 80; i++) a[i * 1024 + threadIdx.x] = value[i] * value[(i * 7 + 1) % 80];
}

__global__ void with_frame(double* a) {
  double local[64];
  for (int i = 0; i < 64; i++) local[i] = a[i];
  a[threadIdx.x] = local[static_cast<int>(a[threadIdx.x]) & 63];
}

__global__ void store_at(int* where) { *where = 7; }
__global__ void round_in_ptx(float* out, float tiny) {
  asm("mov.f32 %0, 0.1;" : "=f"(out[0]));
  asm("div.rn.f32 %0, 0f3f800000, 0f40400000;" : "=f"(out[1]));
  asm("add.rn.f32 %0, %1, %1;" : "=f"(out[2]) : "f"(tiny));
  asm("div.rn.f32 %0, 0f3f800000, 0f00000000;" : "=f"(out[3]));
}
__global__ void trap() { asm volatile("trap;"); }
__global__ void failed_assert(int limit) { assert(limit > 3); }

void launch_vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  vector_add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
void launch_take_struct(const Mixed& mixed, double* out) { take_struct<<<1, 1>>>(mixed, out); }
void launch_sum_table(int* out) { sum_table<<<1, 1>>>(out); }
void launch_dynamic_shared(int* out, unsigned grid, unsigned block, size_t bytes) {
  dynamic_shared<<<grid, block, bytes>>>(out);
}
void launch_dynamic_shared_3d(int* out, dim3 grid, dim3 block) {
  dynamic_shared<<<grid, block, 4096>>>(out);
}
void launch_bounded(int* out, unsigned block) { bounded<<<1, block>>>(out); }
void launch_unbounded_registers(float* a, unsigned block) { unbounded_registers<<<1, block>>>(a); }
void launch_store_at(int* where) { store_at<<<1, 1>>>(where); }
void launch_round_in_ptx(float* out, float tiny) { round_in_ptx<<<1, 1>>>(out, tiny); }
void launch_trap() { trap<<<1, 1>>>(); }
void launch_failed_assert() { failed_assert<<<1, 1>>>(3); }

int read_managed() { return managed_value; }
void write_managed(int value) { managed_value = value; }

const void* kernel_named(const std::string& name) {
  if (name == "vector_add") return reinterpret_cast<const void*>(vector_add);
  if (name == "dynamic_shared") return reinterpret_cast<const void*>(dynamic_shared);
  if (name == "static_shared") return reinterpret_cast<const void*>(static_shared);
  if (name == "bounded") return reinterpret_cast<const void*>(bounded);
  if (name == "many_registers") return reinterpret_cast<const void*>(many_registers);
  if (name == "unbounded_registers") return reinterpret_cast<const void*>(unbounded_registers);
  if (name == "with_frame") return reinterpret_cast<const void*>(with_frame);
  if (name == "store_at") return reinterpret_cast<const void*>(store_at);
  return nullptr;
}
const void* symbol_named(const std::string& name) {
  if (name == "constant_table") return constant_table;
  if (name == "device_counter") return &device_counter;
  if (name == "managed_value") return &managed_value;
  return nullptr;
}
