// The operations whose wavefronts were recorded, by the names in tests/recorded.
#pragma once

#include <string>

enum class Operation {
  kLoad1,
  kLoad2,
  kLoad4,
  kLoad8,
  kLoad16,
  kStore1,
  kStore2,
  kStore4,
  kStore8,
  kStore16,
  kLdmatrix1,
  kLdmatrix2,
  kLdmatrix4,
  kCopy4,
  kCopy8,
  kCopy16,
  kCopyCg16,
  kGlobalLoad4,
  kGlobalLoad16,
  kGlobalStore4,
  kGlobalStore16,
};
inline constexpr const char* kOperationNames[] = {
    "ld1", "ld2",  "ld4",    "ld8",       "ld16",      "st1",       "st2",
    "st4", "st8",  "st16",   "ldmatrix1", "ldmatrix2", "ldmatrix4", "cp4",
    "cp8", "cp16", "cpcg16", "gld4",      "gld16",     "gst4",      "gst16"};
inline constexpr int kOperations = sizeof(kOperationNames) / sizeof(kOperationNames[0]);

// -1: none of that name.
inline int operation_of(const std::string& name) {
  for (int i = 0; i < kOperations; ++i) {
    if (name == kOperationNames[i]) return i;
  }
  return -1;
}
