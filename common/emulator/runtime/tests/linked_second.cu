#include "linked.h"

__device__ int counter = 100;
__managed__ int managed_there = 40;
extern __constant__ float scale;

static __device__ int own = 7;
static __device__ __noinline__ float helper(float x) { return x * own; }

__device__ float twice(float x) { return 2 * scale * x; }

__global__ void second(float* out) {
  *out = helper(scale);
  ++managed_there;
}

void launch_second(float* out) { second<<<1, 1>>>(out); }

int read_own() {
  int value = -1;
  cudaMemcpyFromSymbol(&value, own, sizeof(value));
  return value;
}
