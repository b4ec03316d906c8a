// The tensor instructions of the day: one struct each, its PTX and what the host must know of it.
//
// Registers are plain 32-bit words, whatever they hold; mma takes them as they are. Every operand
// has the same map (PTX ISA 9.0, 9.7.14.5), with p = 32 / bits elements a register:
//   A, register r: row groupID + 8 (r % 2), columns p (threadID_in_group + 4 (r / 2)) and on
//   B, register r: rows p (threadID_in_group + 4 r) and on, column groupID
#pragma once

#include <cstdint>

#include "day.h"

namespace day {

// What is compiled for an architecture without the instruction must not mention it: ptxas assembles
// a branch that never runs as well. 0 in host code.
#ifdef DAY00_FORCE_FP8  // to see what ptxas says
constexpr int kCompute = 89;
#elif defined(__CUDA_ARCH__)
constexpr int kCompute = __CUDA_ARCH__ / 10;
#else
constexpr int kCompute = 0;
#endif

// m16n8k8 and m16n8k16 of FP16: 2,048 and 4,096 FLOP.
struct F16F32K16 {
  static constexpr MmaShape kShape = {"m16n8k16 FP16→FP32", 16, 8,     16, Operand::kF16,
                                      Accumulator::kF32,    80, "hmma"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct F16F16K16 {
  static constexpr MmaShape kShape = {"m16n8k16 FP16→FP16", 16, 8,     16, Operand::kF16,
                                      Accumulator::kF16,    80, "hmma"};
  static __device__ void run(uint32_t (&d)[2], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct F16F32K8 {
  static constexpr MmaShape kShape = {"m16n8k8 FP16→FP32", 16, 8,     8, Operand::kF16,
                                      Accumulator::kF32,   75, "hmma"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[2], const uint32_t (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
};

struct F16F16K8 {
  static constexpr MmaShape kShape = {"m16n8k8 FP16→FP16", 16, 8,     8, Operand::kF16,
                                      Accumulator::kF16,   75, "hmma"};
  static __device__ void run(uint32_t (&d)[2], const uint32_t (&a)[2], const uint32_t (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
};

struct Bf16F32K16 {
  static constexpr MmaShape kShape = {"m16n8k16 BF16→FP32", 16, 8,     16, Operand::kBf16,
                                      Accumulator::kF32,    80, "hmma"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Tf32F32K8 {
  static constexpr MmaShape kShape = {"m16n8k8 TF32→FP32", 16, 8,     8, Operand::kTf32,
                                      Accumulator::kF32,   80, "hmma"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// Turing's integer shape, which later chips keep; its D is 8×8.
struct Int8K16 {
  static constexpr MmaShape kShape = {
      "m8n8k16 INT8→INT32", 8, 8, 16, Operand::kInt8, Accumulator::kS32, 75, "mma_integer"};
  static __device__ void run(uint32_t (&d)[2], const uint32_t (&a)[1], const uint32_t (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
        "{%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(b[0]));
  }
};

struct Int8K32 {
  static constexpr MmaShape kShape = {
      "m16n8k32 INT8→INT32", 16, 8, 32, Operand::kInt8, Accumulator::kS32, 80, "mma_integer"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// FP8 (e4m3): assembled for sm_89 from CUDA 12.4 on; before that ptxas did not know it.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1204
#define DAY00_HAS_FP8 1
struct Fp8F32K32 {
  static constexpr MmaShape kShape = {"m16n8k32 FP8→FP32", 16, 8,        32, Operand::kE4m3,
                                      Accumulator::kF32,   89, "mma_fp8"};
  static __device__ void run(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
#else
#define DAY00_HAS_FP8 0
#endif

}  // namespace day
