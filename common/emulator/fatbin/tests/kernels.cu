// Kernels whose resources differ in every way the cubin reader must see.
__constant__ float scale[4];

__global__ void plain(const float* a, float* b) { b[threadIdx.x] = a[threadIdx.x] * scale[0]; }

__global__ void with_frame(double* a) {  // an array indexed at run time lives on the stack
  double local[64];
  for (int i = 0; i < 64; i++) local[i] = a[i];
  a[threadIdx.x] = local[static_cast<int>(a[threadIdx.x]) & 63];
}

__global__ void with_shared(float* a) {
  __shared__ float tile[300];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// 1024 threads leave 64 registers each: 96 live values must spill.
__global__ void __launch_bounds__(1024) with_spills(float* a) {
  float value[96];
#pragma unroll
  for (int i = 0; i < 96; i++) value[i] = a[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; i++) a[i * 1024 + threadIdx.x] = value[i] * value[(i * 7 + 1) % 96];
}
