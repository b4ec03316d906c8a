// Built with code=sm_80 alone: there is machine code, but no PTX to execute.
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  void* pointer = nullptr;  // the rest of the runtime is unharmed
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&pointer, 16)));
  return 0;
}
