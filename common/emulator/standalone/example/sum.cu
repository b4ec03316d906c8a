// A CUDA program as another project has them: adds numbers on the device, checks the sum.
#include <cstdio>
#include <vector>

__global__ void sum(const int* numbers, int* total) {
  __shared__ int part[256];
  part[threadIdx.x] = numbers[blockIdx.x * 256 + threadIdx.x];
  for (int width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

int main() {
  constexpr int kCount = 256 * 100;
  const std::vector<int> ones(kCount, 1);
  int *numbers = nullptr, *total = nullptr, answer = 0;
  cudaMalloc(&numbers, kCount * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(numbers, ones.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(int));
  sum<<<kCount / 256, 256>>>(numbers, total);
  cudaMemcpy(&answer, total, sizeof(int), cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  std::printf("%s: %d of %d\n", cudaGetErrorString(error), answer, kCount);
  return error == cudaSuccess && answer == kCount ? 0 : 1;
}
