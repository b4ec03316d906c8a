// ZSTD (nvcc's default), LZ4 (`-compress-mode=speed`) and plain payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fatbin/container.h"

namespace tcd::emu::fatbin {

// Larger payloads are taken for corrupt sizes: the largest real ones are tens of megabytes.
inline constexpr uint64_t kMaxPlainBytes = uint64_t{256} << 20;

// Returns exactly plain_bytes bytes or throws FatbinError.
std::vector<std::byte> decompress(Compression compression, std::span<const std::byte> stored,
                                  uint64_t plain_bytes);

}  // namespace tcd::emu::fatbin
