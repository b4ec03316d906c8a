// The inputs and the kernels of the recorded instructions: what was run on a card, and what the
// test runs again. Everything is a function of the line in h200_instructions.txt.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace recorded {

inline constexpr int kLanes = 1024;  // one CTA, 32 warps

struct Inputs {
  uint64_t a, b, c;
};

inline uint64_t next_random(uint64_t& state) {  // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Values at the edges of each type: F singles, D doubles, I integers, P pairs of halves, B pairs of
// bytes.
inline std::vector<uint64_t> edge_values(char set) {
  switch (set) {
    case 'F':
      return {0x00000000, 0x80000000, 0x3f800000, 0xbfc00000, 0x40490fdb, 0x000116c2, 0x80000001,
              0x00800000, 0x7149f2ca, 0xff7fc99e, 0x4b7fffff, 0x3dcccccd, 0x337ffe95, 0x7f800000,
              0xff800000, 0x7fc00000, 0x477fe000, 0x477fef00, 0x477ff000, 0x32fffe95, 0xc0f80000,
              0x44fff000, 0x45000800, 0x4f7fffff, 0x60ad78ec, 0xcf32d05e, 0x3f000000, 0x40200000,
              0xbecccccd, 0x43e00000, 0x43e80000, 0x47600000, 0x322bcc77, 0xffc12345, 0x7f812345};
    case 'D':
      return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000,
              0x400921fb54442d18, 0x000012688b70e62b, 0x7e37e43c8800759c, 0x81a56e1fc2f8f359,
              0x3fb999999999999a, 0x4340000000000001, 0x7ff0000000000000, 0xfff0000000000000,
              0x7ff8000000000000, 0x4004000000000000, 0xbfe0000000000000, 0x41f0000000080000,
              0xc1e0000000200000, 0x43e158e460913d00, 0xc202a05f20000000, 0x37a16c262777579c,
              0xfff8000000001234};
    case 'P':
      return {0x80000000, 0x3c008000, 0x35553c00, 0x0001bc00, 0x83ff3555, 0x04000001, 0x7bff83ff,
              0xfbff0400, 0x7c007bff, 0xfc00fbff, 0x7e017c00, 0xfe00fc00, 0x12347e01, 0x4248fe00,
              0x64001234, 0x20014248, 0xc9d26400, 0x56402001, 0x0000c9d2, 0x3f805640};
    case 'B': {
      std::vector<uint64_t> v;
      for (uint64_t i = 0; i < 256; i += 3) v.push_back(i | (255 - i) << 8);
      return v;
    }
    default:
      return {0,
              1,
              2,
              7,
              31,
              32,
              33,
              64,
              0x7f,
              0x80,
              0xff,
              0x7fff,
              0x8000,
              0xffff,
              0x12345678,
              0x7fffffff,
              0x80000000,
              0xffffffff,
              0x123456789abcdef0,
              0xfedcba9876543210,
              0x7fffffffffffffff,
              0x8000000000000000,
              0xffffffffffffffff};
  }
}

// Three quarters edges against edges, one quarter random bits near an edge or anywhere.
inline std::vector<Inputs> inputs_of(char set) {
  const std::vector<uint64_t> edges = edge_values(set);
  uint64_t state = static_cast<uint64_t>(set);
  const auto edge = [&] { return edges[next_random(state) % edges.size()]; };
  std::vector<Inputs> v(kLanes);
  for (int i = 0; i < kLanes; ++i) {
    v[size_t(i)] = {edge(), edge(), edge()};
    if (i % 4 != 3) continue;
    v[size_t(i)].a ^= next_random(state) & 0xfffff;
    if (set != 'B') v[size_t(i)].b = next_random(state);
    if (set == 'P' || set == 'D') v[size_t(i)].c = next_random(state);
  }
  return v;
}

// As in machine/tests/one_instruction.h; kernels are named k0, k1, …
inline std::string kernel_of(int number, const std::string& line) {
  return ".visible .entry k" + std::to_string(number) + R"((.param .u64 in, .param .u64 out)
{
  .reg .pred %p, %q;
  .reg .b16 %ha, %hb, %hc, %hd;
  .reg .b32 %a, %b, %c, %d, %e, %i;
  .reg .b64 %A, %B, %C, %D, %E, %in, %out, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %at, %i, 24, %in;
  ld.global.u64 %A, [%at];
  ld.global.u64 %B, [%at+8];
  ld.global.u64 %C, [%at+16];
  cvt.u32.u64 %a, %A;
  cvt.u32.u64 %b, %B;
  cvt.u32.u64 %c, %C;
  cvt.u16.u64 %ha, %A;
  cvt.u16.u64 %hb, %B;
  cvt.u16.u64 %hc, %C;
  mov.u64 %D, 0;
  mov.u32 %d, 0;
  mov.u32 %e, 0;
  )" + line +
         R"(
  mov.b64 %E, {%d, %e};
  or.b64 %D, %D, %E;
  mad.wide.u32 %at, %i, 8, %out;
  st.global.u64 [%at], %D;
  ret;
}
)";
}

inline const char* const kModuleHead = ".version 8.6\n.target sm_90\n.address_size 64\n";

inline uint64_t hash_of(const uint64_t* results) {  // FNV-1a over the bytes
  uint64_t h = 0xcbf29ce484222325u;
  for (int i = 0; i < kLanes; ++i) {
    for (int k = 0; k < 8; ++k) h = (h ^ (results[i] >> (8 * k) & 0xff)) * 0x100000001b3u;
  }
  return h;
}

}  // namespace recorded
