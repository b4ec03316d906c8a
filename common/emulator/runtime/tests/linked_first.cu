#include "linked.h"

extern __device__ int counter;
extern __device__ float twice(float x);
extern __managed__ int managed_there;
__constant__ float scale = 3.0f;

static __device__ int own = 5;
static __device__ __noinline__ float helper(float x) { return x + own; }

__global__ void first(float* values) {
  __shared__ float tile[32];
  tile[threadIdx.x] = helper(values[threadIdx.x]);
  __syncthreads();
  values[threadIdx.x] = twice(tile[31 - threadIdx.x]);
  atomicAdd(&counter, 1);
}

void launch_first(float* values) { first<<<1, 32>>>(values); }

int read_counter() {
  int value = -1;
  cudaMemcpyFromSymbol(&value, counter, sizeof(value));
  return value;
}

int read_managed_there() { return managed_there; }

const void* address_of_first() { return reinterpret_cast<const void*>(first); }
