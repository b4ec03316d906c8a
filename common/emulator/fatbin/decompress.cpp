#include "fatbin/decompress.h"

#include <lz4.h>
#include <zstd.h>

#include <string>

namespace tcd::emu::fatbin {
namespace {

// No LZ4 block grows by more than this factor, so a larger claim is refused before allocating.
constexpr uint64_t kLz4MaxRatio = 255;

[[noreturn]] void fail(const std::string& why) {
  throw FatbinError("fat binary payload is corrupt: " + why);
}

std::vector<std::byte> decompress_zstd(std::span<const std::byte> stored, uint64_t plain_bytes) {
  const unsigned long long stated = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR) fail("it is not a ZSTD frame");
  if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != plain_bytes) {
    fail("the ZSTD frame holds " + std::to_string(stated) + " bytes, the entry says " +
         std::to_string(plain_bytes));
  }
  std::vector<std::byte> plain(plain_bytes);
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), stored.data(), stored.size());
  if (ZSTD_isError(got)) fail(std::string("ZSTD says: ") + ZSTD_getErrorName(got));
  if (got != plain_bytes) {
    fail(std::to_string(got) + " bytes came out of ZSTD, the entry says " +
         std::to_string(plain_bytes));
  }
  return plain;
}

std::vector<std::byte> decompress_lz4(std::span<const std::byte> stored, uint64_t plain_bytes) {
  if (plain_bytes > (stored.size() + 1) * kLz4MaxRatio) {
    fail(std::to_string(stored.size()) + " bytes of LZ4 cannot hold " +
         std::to_string(plain_bytes));
  }
  std::vector<std::byte> plain(plain_bytes);
  const int got = LZ4_decompress_safe(
      reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(plain.data()),
      static_cast<int>(stored.size()), static_cast<int>(plain.size()));
  if (got < 0 || static_cast<uint64_t>(got) != plain_bytes) {
    fail("LZ4 gave " + std::to_string(got) + ", the entry says " + std::to_string(plain_bytes) +
         " bytes");
  }
  return plain;
}

}  // namespace

std::vector<std::byte> decompress(Compression compression, std::span<const std::byte> stored,
                                  uint64_t plain_bytes) {
  if (plain_bytes > kMaxPlainBytes || stored.size() > kMaxPlainBytes) {
    fail("it claims " + std::to_string(plain_bytes) + " bytes; at most " +
         std::to_string(kMaxPlainBytes) + " are believed");
  }
  switch (compression) {
    case Compression::kZstd:
      return decompress_zstd(stored, plain_bytes);
    case Compression::kLz4:
      return decompress_lz4(stored, plain_bytes);
    case Compression::kNone:
      break;
  }
  return {stored.begin(), stored.end()};
}

}  // namespace tcd::emu::fatbin
