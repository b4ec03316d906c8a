// What C++ turns into: printf, assert, recursion, switches, templates, tables, function pointers.
#include <cassert>
#include <cstdio>

enum class Color { kRed, kGreen };
struct Pair {
  int a;
  double b;
  short c[3];
};
__constant__ float kWeights[2][3] = {{1.5f, -2.25f, 3.0f}, {0.1f, 1e-20f, -0.0f}};
__device__ Pair pairs[2] = {{1, 2.5, {3, 4, 5}}, {-6, -7.25, {8, 9, -10}}};
__device__ int counter = 42;
__device__ int* pointer_to_counter = &counter + 3;
__device__ const char* message = "hello \"PTX\"\n";
__managed__ int managed_value = 7;
__device__ unsigned char bytes[5] = {1, 2, 255};
__device__ long long wide = -1;

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
using Operation = int (*)(int);
__device__ Operation operations[2] = {twice, thrice};

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ Pair make_pair(int x, Pair other) {
  other.a += x;
  return other;
}

template <typename T, int N>
__global__ void sum(T* out, const T* in) {
  T total = 0;
#pragma unroll 1
  for (int i = 0; i < N; ++i) total += in[i];
  *out = total;
}
template __global__ void sum<double, 5>(double*, const double*);
template __global__ void sum<unsigned char, 300>(unsigned char*, const unsigned char*);

__global__ void talk(int n, Pair by_value, float* __restrict__ out) {
  assert(n > 0);
  printf("n = %d, %f, %s\n", n, by_value.b, message);
  Pair p = make_pair(n, by_value);
  out[0] = kWeights[n & 1][by_value.c[n & 1]] + p.a;
  out[1] = fibonacci(n) + operations[n & 1](n) + *pointer_to_counter + bytes[n] + wide;
  out[2] = pairs[n & 1].b + managed_value;
}

__global__ void choose(int* out, int n) {
  int value = 0;
  switch (n) {
    case 0:
      value = out[9];
      break;
    case 1:
      value = twice(out[8]);
      break;
    case 2:
      out[3] = 6;
      [[fallthrough]];
    case 3:
      value = out[2] * 5;
      break;
    case 4:
      __threadfence();
      value = 11;
      break;
    case 5:
      value = out[1] / 3;
      break;
    case 6:
      value = thrice(n + out[0]);
      break;
    case 7:
      return;
    default:
      value = -1;
  }
  int local[16];
  for (int i = 0; i < n; ++i) local[i & 15] = value + i;
  while (n > 0) {
    if (out[n] == 3) break;
    if (out[n] == 4) {
      n -= 2;
      continue;
    }
    for (int j = 0; j < n; ++j) {
      if (out[j] < 0) break;
      value += local[(value + j) & 15];
    }
    --n;
  }
  out[threadIdx.x] = value;
}
