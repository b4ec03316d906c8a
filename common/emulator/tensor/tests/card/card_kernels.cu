#include <utility>

#include "tensor/tests/card/card_kernels.h"

namespace tcd::emu::card {
namespace {

constexpr int kLanes = 32, kWarps = 4;

// The operands of one form: TCD_FORM_DABC.
#define TCD_1(x) "r"(x[0])
#define TCD_2(x) "r"(x[0]), "r"(x[1])
#define TCD_4(x) TCD_2(x), "r"(x[2]), "r"(x[3])
#define TCD_8(x) TCD_4(x), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7])
#define TCD_OUT_2(x) "=r"(x[0]), "=r"(x[1])
#define TCD_OUT_4(x) TCD_OUT_2(x), "=r"(x[2]), "=r"(x[3])
#define TCD_OUT_8(x) TCD_OUT_4(x), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
#define TCD_FORM_4214(text)                                 \
  asm(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" \
      : TCD_OUT_4(d)                                        \
      : TCD_2(a), TCD_1(b), TCD_4(c))
#define TCD_FORM_4424(text)                                             \
  asm(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" \
      : TCD_OUT_4(d)                                                    \
      : TCD_4(a), TCD_2(b), TCD_4(c))
#define TCD_FORM_2212(text) \
  asm(text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : TCD_OUT_2(d) : TCD_2(a), TCD_1(b), TCD_2(c))
#define TCD_FORM_2422(text)                             \
  asm(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" \
      : TCD_OUT_2(d)                                    \
      : TCD_4(a), TCD_2(b), TCD_2(c))
#define TCD_FORM_2112(text) \
  asm(text " {%0,%1}, {%2}, {%3}, {%4,%5};" : TCD_OUT_2(d) : TCD_1(a), TCD_1(b), TCD_2(c))
#define TCD_FORM_8888(text)                                                   \
  asm(text                                                                    \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, "         \
      "{%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27,%28,%29,%30,%31};" \
      : TCD_OUT_8(d)                                                          \
      : TCD_8(a), TCD_8(b), TCD_8(c))
#define TCD_FORM_4888(text)                                                              \
  asm(text                                                                               \
      " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, " \
      "{%20,%21,%22,%23,%24,%25,%26,%27};"                                               \
      : TCD_OUT_4(d)                                                                     \
      : TCD_8(a), TCD_8(b), TCD_8(c))
#define TCD_FORM_8884(text)                                           \
  asm(text                                                            \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, " \
      "{%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27};"         \
      : TCD_OUT_8(d)                                                  \
      : TCD_8(a), TCD_8(b), TCD_4(c))
#define TCD_FORM_4884(text)                                                              \
  asm(text                                                                               \
      " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, " \
      "{%20,%21,%22,%23};"                                                               \
      : TCD_OUT_4(d)                                                                     \
      : TCD_8(a), TCD_8(b), TCD_4(c))
#define TCD_FORM_8448(text)                                   \
  asm(text                                                    \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, "         \
      "{%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23};" \
      : TCD_OUT_8(d)                                          \
      : TCD_4(a), TCD_4(b), TCD_8(c))
#define TCD_FORM_8828(text)                                           \
  asm(text                                                            \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, " \
      "{%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};"                 \
      : TCD_OUT_8(d)                                                  \
      : TCD_8(a), TCD_2(b), TCD_8(c))
#define TCD_FORM_8288(text)                                                   \
  asm(text                                                                    \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, "                                 \
      "{%10,%11,%12,%13,%14,%15,%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};" \
      : TCD_OUT_8(d)                                                          \
      : TCD_2(a), TCD_8(b), TCD_8(c))
#define TCD_FORM_8228(text)                           \
  asm(text                                            \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, "         \
      "{%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};" \
      : TCD_OUT_8(d)                                  \
      : TCD_2(a), TCD_2(b), TCD_8(c))
#define TCD_FORM_8418(text)                           \
  asm(text                                            \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, " \
      "{%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"     \
      : TCD_OUT_8(d)                                  \
      : TCD_4(a), TCD_1(b), TCD_8(c))
#define TCD_FORM_8148(text)                                  \
  asm(text                                                   \
      " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8}, "                   \
      "{%9,%10,%11,%12}, {%13,%14,%15,%16,%17,%18,%19,%20};" \
      : TCD_OUT_8(d)                                         \
      : TCD_1(a), TCD_4(b), TCD_8(c))

#if defined(__CUDA_ARCH__)
#define TCD_ARCH (__CUDA_ARCH__ / 10)
#else
#define TCD_ARCH 1000
#endif

// FP8 with k16 or FP16 accumulators came with PTX 8.7, CUDA 12.8.
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8)
constexpr bool kHasAll = true;
#else
constexpr bool kHasAll = false;
#endif

template <int kNumber>
struct Op;

constexpr int kFirst = __COUNTER__ + 1;
#define TCD_TILE_OP(d_, a_, b_, c_, since, text, ...) \
  TCD_NUMBERED(__COUNTER__ - kFirst, d_, a_, b_, c_, since, text)
#define TCD_NUMBERED(number, d_, a_, b_, c_, since, text)                          \
  template <>                                                                      \
  struct Op<number> {                                                              \
    static constexpr int kD = d_, kA = a_, kB = b_, kC = c_;                       \
    static constexpr bool kExists = since != 89 || kHasAll;                        \
    static __device__ void run(uint32_t* d, const uint32_t* a, const uint32_t* b,  \
                               const uint32_t* c) {                                \
      if constexpr (kExists && TCD_ARCH >= since) TCD_FORM_##d_##a_##b_##c_(text); \
    }                                                                              \
  };
#include "tensor/tests/card/tile_ops.def"
constexpr int kOps = __COUNTER__ - kFirst;

template <typename Operation>
__global__ void tiles_kernel(const uint32_t* in, uint32_t* out, int tiles) {
  constexpr int kIn = Operation::kA + Operation::kB + Operation::kC;
  const int tile = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (tile >= tiles) return;
  uint32_t r[kIn], d[Operation::kD] = {};
  for (int i = 0; i < kIn; ++i) r[i] = in[(tile * kIn + i) * kLanes + lane];
  Operation::run(d, r, r + Operation::kA, r + Operation::kA + Operation::kB);
  for (int i = 0; i < Operation::kD; ++i) out[(tile * Operation::kD + i) * kLanes + lane] = d[i];
}

template <typename Operation>
bool launch(const uint32_t* in, uint32_t* out, int tiles, cudaStream_t stream) {
  tiles_kernel<Operation>
      <<<(tiles + kWarps - 1) / kWarps, kWarps * kLanes, 0, stream>>>(in, out, tiles);
  return Operation::kExists;
}

using Launch = bool (*)(const uint32_t*, uint32_t*, int, cudaStream_t);

template <int... kNumbers>
Launch nth(int op, std::integer_sequence<int, kNumbers...>) {
  constexpr Launch kAll[] = {launch<Op<kNumbers>>...};
  return kAll[op];
}

}  // namespace

bool launch_tiles(int op, const uint32_t* in, uint32_t* out, int tiles, cudaStream_t stream) {
  return nth(op, std::make_integer_sequence<int, kOps>{})(in, out, tiles, stream);
}

}  // namespace tcd::emu::card
