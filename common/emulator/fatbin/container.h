// The fat binary container: what nvcc's `fatbinary` puts into the section .nv_fatbin.
//
//   wrapper   u32 magic 0x466243B1 · u32 version · u64 pointer to the container · u64, in version 2
//             (-rdc=true) a pointer to a list, ended by null, of the containers that were linked
//   container u32 magic 0xBA55ED50 · u16 version · u16 header bytes · u64 bytes of all entries
//   entry     u16 kind · u16 version · u32 header bytes · u64 payload bytes (padded)
//             +16 u32 compressed bytes (0: plain) · +28 u32 sm · +40 u64 flags · +56 u64 plain
//             bytes
//
// The format is not documented by NVIDIA; it was read off binaries made by CUDA 12.4 to 13.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fatbin/byte_reader.h"

namespace tcd::emu::fatbin {

inline constexpr uint32_t kWrapperMagic = 0x466243B1;
inline constexpr uint32_t kContainerMagic = 0xBA55ED50;

enum class Compression : uint8_t { kNone, kLz4, kZstd };

struct Entry {
  enum class Kind : uint8_t { kPtx = 1, kElf = 2 };
  Kind kind = Kind::kPtx;
  int sm = 0;  // 75, 80, …: the architecture this entry was compiled for
  Compression compression = Compression::kNone;
  std::span<const std::byte> stored;  // as it lies in the container; not owned
  uint64_t plain_bytes = 0;           // size after decompression

  // The payload, decompressed. Throws FatbinError when the data do not decompress to plain_bytes.
  std::vector<std::byte> payload() const;
  // The payload as PTX text, without the trailing NUL.
  std::string text() const;
};

// Every PTX and ELF entry of one or more containers that follow each other (a .nv_fatbin section
// holds one per translation unit, with zero padding between). Entries of other kinds are skipped.
// Throws FatbinError on anything that is not such a container. Entries point into `bytes`.
std::vector<Entry> parse_containers(std::span<const std::byte> bytes);

// The container a wrapper in this process points at (what __cudaRegisterFatBinary is given). Its
// size is taken from the container's own header: the wrapper states none.
std::vector<Entry> parse_wrapper(const void* wrapper);

// The containers that the device linker joined into that one: it holds their machine code, they
// hold the PTX. Empty for a program that was not built with -rdc=true.
std::vector<std::vector<Entry>> parse_linked(const void* wrapper);

}  // namespace tcd::emu::fatbin
