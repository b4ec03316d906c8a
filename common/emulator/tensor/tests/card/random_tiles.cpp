#include "tensor/tests/card/random_tiles.h"

#include <algorithm>

namespace tcd::emu::card {
namespace {

struct Random {  // splitmix64
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint32_t word() { return uint32_t(next() >> 32); }
  int below(int n) { return int(uint64_t{word()} * uint32_t(n) >> 32); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool one_in(int n) { return below(n) == 0; }
};

// A floating-point format: where its fields stand in a register, and its limits.
struct Spec {
  int width, exponent_bits, fraction_bits;
  int unused;  // low bits that do not count (TF32): filled at random
  bool infinity;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int special() const { return (1 << exponent_bits) - 1; }
  int most() const { return infinity ? special() - 1 : special(); }  // largest finite field
  uint32_t fraction_mask() const { return (1u << fraction_bits) - 1; }
};

Spec spec_of(Format format) {
  switch (format) {
    case Format::kF16:
      return {16, 5, 10, 0, true};
    case Format::kBf16:
      return {16, 8, 7, 0, true};
    case Format::kTf32:
      return {32, 8, 10, 13, true};
    case Format::kE4m3:
      return {8, 4, 3, 0, false};
    case Format::kE5m2:
      return {8, 5, 2, 0, true};
    default:
      return {32, 8, 23, 0, true};
  }
}

// What the elements of one operand look like.
struct Style {
  int center = 0, spread = 0;                                      // exponent fields
  int zero_in = 0, infinity_in = 0, nan_in = 0, subnormal_in = 0;  // one in so many; 0: none
  bool positive = false, sparse = false;
};

uint32_t fraction_of(const Spec& s, bool sparse, Random& random) {
  const uint32_t any = random.word() & s.fraction_mask();
  if (!sparse) return any;
  switch (random.below(4)) {
    case 0:
      return 0;
    case 1:
      return 1u << random.below(s.fraction_bits);
    case 2:
      return s.fraction_mask();
    default:
      return s.fraction_mask() ^ 1u << random.below(s.fraction_bits);
  }
}

uint32_t element(const Spec& s, const Style& style, Random& random) {
  const uint32_t sign =
      style.positive ? 0 : (random.word() & 1) << (s.exponent_bits + s.fraction_bits);
  auto finite = [&](int field) {
    uint32_t value = uint32_t(std::clamp(field, 0, s.most())) << s.fraction_bits |
                     fraction_of(s, style.sparse, random);
    // E4M3's pattern of all ones is NaN: the number below it instead.
    if (!s.infinity && value == (uint32_t(s.special()) << s.fraction_bits | s.fraction_mask()))
      value -= 1;
    return sign | value;
  };
  if (style.zero_in != 0 && random.one_in(style.zero_in)) return sign;
  if (style.infinity_in != 0 && s.infinity && random.one_in(style.infinity_in)) {
    return sign | uint32_t(s.special()) << s.fraction_bits;
  }
  if (style.nan_in != 0 && random.one_in(style.nan_in)) {
    uint32_t payload =
        s.infinity ? std::max(1u, random.word() & s.fraction_mask()) : s.fraction_mask();
    return sign | uint32_t(s.special()) << s.fraction_bits | payload;
  }
  if (style.subnormal_in != 0 && random.one_in(style.subnormal_in)) return finite(0);
  return finite(style.center + random.between(-style.spread, style.spread));
}

template <typename Draw>
void fill(Row* rows, int registers, int width, int unused, Random& random, Draw&& draw) {
  for (int r = 0; r < registers; ++r) {
    for (uint32_t& word : rows[r].lane) {
      word = 0;
      for (int at = 0; at < 32; at += width) word |= draw() << unused << at;
      if (unused != 0) word |= random.word() & ((1u << unused) - 1);
    }
  }
}

void fill(Row* rows, int registers, const Spec& s, const Style& style, Random& random) {
  fill(rows, registers, s.width, s.unused, random, [&] { return element(s, style, random); });
}

// Moves each element by at most `steps` last bits, away from special patterns.
uint32_t nudge(uint32_t word, const Spec& s, int steps, Random& random) {
  uint32_t out = 0;
  for (int at = 0; at < 32; at += s.width) {
    const uint32_t mask = s.width == 32 ? ~0u : (1u << s.width) - 1;
    uint32_t value = (word >> at & mask) >> s.unused;
    const uint32_t magnitude = value & ~(1u << (s.exponent_bits + s.fraction_bits));
    if (magnitude >= 1u << s.fraction_bits && magnitude < uint32_t(s.most()) << s.fraction_bits) {
      value += uint32_t(random.between(-steps, steps));
    }
    out |= value << s.unused << at;
  }
  return out;
}

uint32_t signs_of(const Spec& s) {
  uint32_t out = 0;
  for (int at = 0; at < 32; at += s.width) {
    out |= 1u << (s.exponent_bits + s.fraction_bits + s.unused) << at;
  }
  return out;
}

// Lanes 2n and 2n + 1 hold neighbouring k of one row of A, and of one column of B: make the second
// the first's opposite (A) or equal (B), but for a last bit here and there.
void cancel(Row* a, int registers_a, const Spec& sa, Row* b, int registers_b, const Spec& sb,
            Random& random) {
  const int steps = random.below(3);
  for (int r = 0; r < registers_a; ++r) {
    for (int lane = 1; lane < kLanes; lane += 2) {
      a[r].lane[lane] = nudge(a[r].lane[lane - 1], sa, steps, random) ^ signs_of(sa);
    }
  }
  for (int r = 0; r < registers_b; ++r) {
    for (int lane = 1; lane < kLanes; lane += 2) {
      b[r].lane[lane] = nudge(b[r].lane[lane - 1], sb, steps, random);
    }
  }
}

struct Fragments {
  Row *a, *b, *c;
};

void fill_floats(const TileOp& op, Kind kind, const TensorNumerics& chip, Random& random,
                 Fragments f) {
  const Spec sa = spec_of(op.a_format), sb = spec_of(op.b_format), sc = spec_of(op.c_format);
  Style a{.center = sa.bias(), .spread = 3}, b{.center = sb.bias(), .spread = 3};
  Style c{.center = sc.bias() + random.between(-2, 4), .spread = 3};
  // The field of C (or D) whose exponent is that of a product of A's and B's centers.
  auto product_field = [&] { return a.center - sa.bias() + b.center - sb.bias() + sc.bias(); };
  // Centers of A and B whose products have that field of C, as far as the formats reach.
  auto aim = [&](int field) {
    const int exponent = field - sc.bias();
    a.center = std::clamp(exponent / 2 + random.between(-4, 4) + sa.bias(), 1, sa.most());
    b.center = std::clamp(exponent - (a.center - sa.bias()) + sb.bias(), 1, sb.most());
  };
  switch (kind) {
    case Kind::kNormal:
      break;
    case Kind::kSubnormal: {
      const int mode = random.below(4);
      a.subnormal_in = mode == 3 ? 0 : 2;
      a.center = 1, a.spread = random.below(2);
      if (mode == 0) b = a;
      if (mode == 1) b.spread = 6;
      if (mode == 2) {  // sums below the least normal result
        aim(random.between(-44, 6));
        a.subnormal_in = 8;
        a.spread = b.spread = random.below(6);
      }
      a.sparse = b.sparse = random.one_in(3);  // ties among the smallest
      if (mode == 3) a.zero_in = 1;            // C alone
      c.center = product_field() + random.between(-12, 12);
      c.spread = 2;
      c.subnormal_in = mode == 3 ? 1 : 3;
      if (mode != 3 && random.one_in(3)) c.zero_in = 1;  // nothing hides a sum that rounds to zero
      break;
    }
    case Kind::kSpread:
      a.center = random.below(sa.special()), b.center = random.below(sb.special());
      a.spread = random.below(sa.special()), b.spread = random.below(sb.special());
      c.center =
          random.one_in(4) ? random.below(sc.special()) : product_field() + random.between(-30, 30);
      c.spread = random.one_in(2) ? random.below(4) : random.below(40);
      c.zero_in = random.one_in(4) ? 1 : 0;
      break;
    case Kind::kInfinities: {
      const int often = 16 << 2 * random.below(3);
      a.infinity_in = b.infinity_in = often;
      c.infinity_in = random.one_in(2) ? 4 : 64;
      a.zero_in = b.zero_in = 8;
      break;
    }
    case Kind::kNan: {
      const int often = 16 << 2 * random.below(3);
      a.nan_in = b.nan_in = often;
      c.nan_in = random.one_in(2) ? 4 : 64;
      a.infinity_in = b.infinity_in = c.infinity_in = random.one_in(2) ? 64 : 0;
      break;
    }
    case Kind::kZeros:
      if (random.one_in(2)) a.spread = b.spread = sa.bias();
      break;  // continued below
    case Kind::kCancelling:
      a.spread = random.below(8), b.spread = random.below(8);
      c.center = product_field() - random.between(0, 26);
      c.zero_in = random.one_in(2) ? 1 : 0;
      break;
    case Kind::kAgainstC:
      a.spread = random.below(6), b.spread = random.below(6);
      break;
    case Kind::kTies:
      a.sparse = b.sparse = c.sparse = true;
      a.spread = random.below(6), b.spread = random.below(6);
      c.center = product_field() + random.between(-4, random.one_in(2) ? 14 : 26);
      c.spread = 2;
      a.positive = b.positive = random.one_in(3);
      break;
    case Kind::kOverflow:
      aim(sc.most() - random.between(-1, 6));
      a.spread = random.below(3), b.spread = random.below(3);
      c.center = sc.most(), c.spread = random.below(3);
      a.positive = b.positive = c.positive = random.one_in(2);
      a.sparse = b.sparse = c.sparse = random.one_in(2);
      break;
    default:  // kBits, kMixed: below
      break;
  }
  if (kind == Kind::kBits) {
    for (int r = 0; r < op.a; ++r) {
      for (uint32_t& word : f.a[r].lane) word = random.word();
    }
    for (int r = 0; r < op.b; ++r) {
      for (uint32_t& word : f.b[r].lane) word = random.word();
    }
    for (int r = 0; r < op.c; ++r) {
      for (uint32_t& word : f.c[r].lane) word = random.word();
    }
    return;
  }
  if (kind == Kind::kZeros || kind == Kind::kMixed) {
    const bool zeros = kind == Kind::kZeros;
    auto draw = [&](const Spec& s, Style style) {
      style.zero_in = style.infinity_in = style.nan_in = style.subnormal_in = 0;
      if (zeros) {
        style.zero_in = random.one_in(8) ? 0 : 1;
        return element(s, style, random);
      }
      const int which = random.below(16);
      style.sparse = which < 4;
      if (which == 5) style.spread = s.special();
      if (which == 6) style.zero_in = 1;
      if (which == 7) style.subnormal_in = 1;
      if (which == 8) style.infinity_in = 16;
      if (which == 9) style.nan_in = 32;
      return element(s, style, random);
    };
    fill(f.a, op.a, sa.width, sa.unused, random, [&] { return draw(sa, a); });
    fill(f.b, op.b, sb.width, sb.unused, random, [&] { return draw(sb, b); });
    fill(f.c, op.c, sc.width, sc.unused, random, [&] { return draw(sc, c); });
    return;
  }
  fill(f.a, op.a, sa, a, random);
  fill(f.b, op.b, sb, b, random);
  fill(f.c, op.c, sc, c, random);
  if (kind == Kind::kCancelling) cancel(f.a, op.a, sa, f.b, op.b, sb, random);
  if (kind == Kind::kAgainstC && op.c_format == op.d_format) {
    Row zero[kMostOutputs] = {}, product[kMostOutputs];
    op.emulate(chip, f.a, f.b, zero, product);
    const int steps = random.below(3);
    for (int r = 0; r < op.c; ++r) {
      for (int lane = 0; lane < kLanes; ++lane) {
        f.c[r].lane[lane] = nudge(product[r].lane[lane], sc, steps, random) ^ signs_of(sc);
      }
    }
  }
}

void fill_integers(const TileOp& op, Kind kind, Random& random, Fragments f) {
  const bool wide = op.a_format == Format::kS8 || op.a_format == Format::kU8;
  const int width = wide ? 8 : 4;
  const uint32_t mask = wide ? 255 : 15, top = wide ? 128 : 8;
  auto input = [&]() -> uint32_t {
    if (kind == Kind::kExtremes || (kind == Kind::kLimits && random.one_in(2))) {
      const uint32_t values[] = {0, 1, mask, top, top - 1};
      return values[random.below(5)];
    }
    if (kind == Kind::kSparse && !random.one_in(8)) return 0;
    return random.word() & mask;
  };
  auto addend = [&]() -> uint32_t {
    if (kind == Kind::kLimits || (kind == Kind::kExtremes && random.one_in(2))) {
      const uint32_t limit = random.one_in(2) ? 0x7fffffff : 0x80000000;
      return limit + uint32_t(random.between(-200000, 200000));
    }
    if (kind == Kind::kSparse) return random.one_in(2) ? 0 : uint32_t(random.between(-9, 9));
    return random.word();
  };
  fill(f.a, op.a, width, 0, random, input);
  fill(f.b, op.b, width, 0, random, input);
  fill(f.c, op.c, 32, 0, random, addend);
}

constexpr Kind kFloatKinds[] = {Kind::kNormal,     Kind::kSubnormal, Kind::kSpread,
                                Kind::kInfinities, Kind::kNan,       Kind::kZeros,
                                Kind::kCancelling, Kind::kAgainstC,  Kind::kTies,
                                Kind::kOverflow,   Kind::kBits,      Kind::kMixed};
constexpr Kind kIntegerKinds[] = {Kind::kAny, Kind::kExtremes, Kind::kLimits, Kind::kSparse};
constexpr std::string_view kNames[] = {
    "normal", "subnormal", "spread", "infinities", "nan", "zeros",    "cancelling", "against C",
    "ties",   "overflow",  "bits",   "mixed",      "any", "extremes", "limits",     "sparse"};

}  // namespace

std::string_view name_of(Kind kind) { return kNames[size_t(kind)]; }

std::span<const Kind> kinds_of(const TileOp& op) {
  if (op.is_integer()) return kIntegerKinds;
  return kFloatKinds;
}

void random_tile(const TileOp& op, Kind kind, uint64_t seed, uint64_t index,
                 const TensorNumerics& chip, Row* rows) {
  uint64_t key = kDigestStart;
  for (char ch : op.text) key = (key ^ uint8_t(ch)) * 0x100000001b3u;
  Random random{key + uint64_t(kind) * 0xd1342543de82ef95u + seed * 0xaf251af3b0f025b5u};
  random.state = random.next() + index * 0xa0761d6478bd642fu;
  random.state = random.next();
  const Fragments f{rows, rows + op.a, rows + op.a + op.b};
  if (op.is_integer()) {
    fill_integers(op, kind, random, f);
  } else {
    fill_floats(op, kind, chip, random, f);
  }
}

uint64_t digest(uint64_t so_far, const Row* rows, int count) {
  for (int r = 0; r < count; ++r) {
    for (uint32_t word : rows[r].lane) so_far = (so_far ^ word) * 0x100000001b3u;
  }
  return so_far;
}

}  // namespace tcd::emu::card
