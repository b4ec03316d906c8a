#include "graph_kernels.h"

__global__ void add(int* to, int value) { *to += value; }
__global__ void multiply(int* to, int value) { *to *= value; }
__global__ void count_down(int* steps, int* left, cudaGraphConditionalHandle handle) {
  ++*steps;
  --*left;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

void launch_add(int* to, int value, cudaStream_t stream) { add<<<1, 1, 0, stream>>>(to, value); }
void launch_multiply(int* to, int value, cudaStream_t stream) {
  multiply<<<1, 1, 0, stream>>>(to, value);
}
const void* address_of_add() { return reinterpret_cast<const void*>(add); }
const void* address_of_count_down() { return reinterpret_cast<const void*>(count_down); }
