// Two translation units of device code that need each other, built with -rdc=true.
#pragma once

#include <cuda_runtime_api.h>

// first.cu: uses what second.cu defines.
void launch_first(float* values);  // 32 of them: 2 · scale · (the mirrored one + 5)
int read_counter();                // counts the threads of launch_first, from 100 on
const void* address_of_first();

// second.cu
void launch_second(float* out);  // scale · 7, by a static function that first.cu has as well
int read_own();                  // its own static variable: 7
int read_managed_there();        // launch_second adds 1 to it
