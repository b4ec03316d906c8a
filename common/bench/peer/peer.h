// What a library of peer kernels gives the bench. C, because the two are built apart: the bench
// opens the library by --peer and knows nothing of what it was compiled from.
#pragma once

extern "C" {

struct TcdPeerKernel {
  const char* name;
  // D (m×n, row-major, f16) = A (m×k, row-major) × B (k×n, column-major), f32 sums, no padding.
  // 0, or a number that says why not: 1 the configuration cannot take the shape, 2 the launch
  // failed.
  int (*launch)(int m, int n, int k, const void* a, const void* b, void* d);
};

struct TcdPeer {
  const char* name;  // of the library, with its version
  const TcdPeerKernel* kernels;
  int count;
};

// The one symbol of the library.
const TcdPeer* tcd_peer();
}
