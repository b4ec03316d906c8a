// Kernels for the tests of graphs.
#pragma once

#include <cuda_runtime_api.h>

void launch_add(int* to, int value, cudaStream_t stream);  // *to += value
void launch_multiply(int* to, int value, cudaStream_t stream);
const void* address_of_add();         // (int*, int)
const void* address_of_count_down();  // (int* steps, int* left, handle): ++*steps; --*left; sets it
