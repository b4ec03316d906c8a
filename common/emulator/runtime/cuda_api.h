// NVIDIA's declarations of the runtime API, made visible: a function defined in this library under
// one of these names is exported. Everything else stays hidden (-fvisibility=hidden).
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

// For functions that NVIDIA's headers do not declare to host compilers (__cudaRegister…).
#define TCD_EXPORT extern "C" __attribute__((visibility("default")))
