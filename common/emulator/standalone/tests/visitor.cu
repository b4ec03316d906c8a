// A program from elsewhere, as ./day emulate meets it: what it does is its first argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void reverse(int* out, bool barrier) {
  __shared__ int tile[64];
  tile[threadIdx.x] = out[threadIdx.x];
  if (barrier) __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void count_up(volatile int* out) {
  for (unsigned i = 0;; ++i) *out = i;
}

__global__ void nothing() {}

int report(const char* what) {
  const cudaError_t at_once = cudaGetLastError();
  const cudaError_t later = cudaDeviceSynchronize();
  std::printf("%s: %s, then %s\n", what, cudaGetErrorName(at_once), cudaGetErrorName(later));
  return at_once == cudaSuccess && later == cudaSuccess ? 0 : 3;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  if (std::strcmp(what, "right") == 0 || std::strcmp(what, "race") == 0) {
    int host[64], answer[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(data, std::strcmp(what, "right") == 0);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);
    return report(what);
  }
  if (std::strcmp(what, "echo") == 0) {
    char line[100] = "";
    if (std::fgets(line, sizeof line, stdin) != nullptr) std::printf("read %s", line);
    return 7;
  }
  if (std::strcmp(what, "spin") == 0) {  // the host would answer after the launch, as on a card
    int* flag = nullptr;
    cudaMallocHost(&flag, sizeof(int));
    *flag = 0;
    wait_for<<<1, 32>>>(flag);
    *flag = 1;
    return report(what);
  }
  if (std::strcmp(what, "endless") == 0) {
    count_up<<<4, 64>>>(data);
    return report(what);
  }
  if (std::strcmp(what, "large grid") == 0) {  // 2^63 CTAs: a shape that a card takes
    nothing<<<dim3(2147483647, 65535, 65535), 1>>>();
    return report(what);
  }
  if (std::strcmp(what, "shapes") == 0) {
    nothing<<<dim3(1, 65536), 1>>>();
    report("grid (1, 65536)");
    nothing<<<1, dim3(1, 1, 65)>>>();
    report("block (1, 1, 65)");
    nothing<<<1, 1025>>>();
    report("1025 threads");
    nothing<<<1, 32, 1 << 30>>>();
    report("1 GiB of shared memory");
    nothing<<<0, 32>>>();
    report("no CTA");
    nothing<<<1, 32>>>();  // none of them harmed the next
    return report("afterwards");
  }
  if (std::strcmp(what, "abort") == 0) {
    nothing<<<1, 32>>>();
    std::abort();
  }
  if (std::strcmp(what, "memory") == 0) {
    void* p = nullptr;
    const size_t sizes[] = {size_t{1} << 60, size_t{120} << 30, size_t{1} << 20};
    for (const size_t bytes : sizes) {
      std::printf("%zu bytes: %s\n", bytes, cudaGetErrorName(cudaMalloc(&p, bytes)));
    }
    return cudaGetLastError() == cudaErrorMemoryAllocation ? 0 : 1;
  }
  std::fprintf(stderr, "usage: visitor WHAT\n");
  return 2;
}
