#include "fatbin/container.h"

#include <algorithm>

#include "fatbin/decompress.h"
#include "hex.h"

namespace tcd::emu::fatbin {
namespace {

constexpr uint64_t kContainerHeaderBytes = 16;
constexpr uint64_t kEntryHeaderBytes = 64;
constexpr uint32_t kLinkedVersion = 2;  // of a wrapper
constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;

Entry read_entry(const ByteReader& in, uint64_t at, uint64_t header_bytes, uint64_t payload_bytes) {
  Entry entry;
  entry.kind = static_cast<Entry::Kind>(in.u16(at));
  entry.sm = static_cast<int>(in.u32(at + 28));
  const uint64_t flags = in.u64(at + 40);
  const uint64_t compressed_bytes = in.u32(at + 16);
  entry.compression = (flags & kFlagZstd)  ? Compression::kZstd
                      : (flags & kFlagLz4) ? Compression::kLz4
                                           : Compression::kNone;
  if (entry.compression == Compression::kNone) {
    entry.plain_bytes = payload_bytes;
    entry.stored = in.slice(at + header_bytes, payload_bytes);
    return entry;
  }
  if (compressed_bytes == 0 || compressed_bytes > payload_bytes) {
    throw FatbinError("fat binary entry at offset " + std::to_string(at) + " says " +
                      std::to_string(compressed_bytes) + " compressed bytes in a payload of " +
                      std::to_string(payload_bytes));
  }
  entry.plain_bytes = in.u64(at + 56);
  entry.stored = in.slice(at + header_bytes, compressed_bytes);
  return entry;
}

// Appends the entries of the container at `at`; returns the offset behind it.
uint64_t parse_one(const ByteReader& in, uint64_t at, std::vector<Entry>& entries) {
  const uint64_t header_bytes = in.u16(at + 6);
  const uint64_t entries_bytes = in.u64(at + 8);
  if (header_bytes < kContainerHeaderBytes) {
    throw FatbinError("fat binary at offset " + std::to_string(at) + " has a header of " +
                      std::to_string(header_bytes) + " bytes; at least 16 are needed");
  }
  in.slice(at + header_bytes, entries_bytes);  // throws when the container is cut off
  uint64_t offset = at + header_bytes;
  const uint64_t end = offset + entries_bytes;
  while (end - offset >= kEntryHeaderBytes) {
    const uint64_t entry_header = in.u32(offset + 4);
    const uint64_t payload = in.u64(offset + 8);
    if (entry_header < kEntryHeaderBytes || entry_header > end - offset ||
        payload > end - offset - entry_header) {
      throw FatbinError("fat binary entry at offset " + std::to_string(offset) +
                        " does not fit: header " + std::to_string(entry_header) + ", payload " +
                        std::to_string(payload) + ", " + std::to_string(end - offset) +
                        " bytes left");
    }
    const uint16_t kind = in.u16(offset);
    if (kind == static_cast<uint16_t>(Entry::Kind::kPtx) ||
        kind == static_cast<uint16_t>(Entry::Kind::kElf)) {
      entries.push_back(read_entry(in, offset, entry_header, payload));
    }
    offset += entry_header + payload;
  }
  return end;
}

ByteReader read_wrapper(const void* wrapper) {
  if (wrapper == nullptr) throw FatbinError("the fat binary wrapper is a null pointer");
  const ByteReader in({static_cast<const std::byte*>(wrapper), 24}, "fat binary wrapper");
  if (in.u32(0) != kWrapperMagic) {
    throw FatbinError("not a fat binary wrapper: magic " + hex(in.u32(0)) + ", expected " +
                      hex(kWrapperMagic));
  }
  return in;
}

// A container in this process; how long it is, it says itself.
std::vector<Entry> parse_in_memory(uint64_t address) {
  const auto* container = reinterpret_cast<const std::byte*>(address);
  if (container == nullptr) throw FatbinError("the fat binary wrapper points nowhere");
  const ByteReader header({container, kContainerHeaderBytes}, "fat binary");
  if (header.u32(0) != kContainerMagic) {
    throw FatbinError("the wrapper points at no fat binary: magic " + hex(header.u32(0)) +
                      ", expected " + hex(kContainerMagic));
  }
  return parse_containers({container, header.u16(6) + header.u64(8)});
}

}  // namespace

std::vector<Entry> parse_containers(std::span<const std::byte> bytes) {
  const ByteReader in(bytes, "fat binary");
  std::vector<Entry> entries;
  uint64_t at = 0;
  while (at < in.size()) {
    if (at > 0 && in.u8(at) == 0) {  // padding between containers
      ++at;
      continue;
    }
    const uint32_t magic = in.u32(at);
    if (magic != kContainerMagic) {
      throw FatbinError("no fat binary at offset " + std::to_string(at) + ": magic " + hex(magic) +
                        ", expected " + hex(kContainerMagic));
    }
    at = parse_one(in, at, entries);
  }
  return entries;
}

std::vector<Entry> parse_wrapper(const void* wrapper) {
  return parse_in_memory(read_wrapper(wrapper).u64(8));
}

std::vector<std::vector<Entry>> parse_linked(const void* wrapper) {
  const ByteReader in = read_wrapper(wrapper);
  std::vector<std::vector<Entry>> linked;
  if (in.u32(4) != kLinkedVersion) return linked;
  const auto* list = reinterpret_cast<const uint64_t*>(in.u64(16));
  if (list == nullptr) return linked;
  for (; *list != 0; ++list) linked.push_back(parse_in_memory(*list));
  return linked;
}

std::vector<std::byte> Entry::payload() const {
  return decompress(compression, stored, plain_bytes);
}

std::string Entry::text() const {
  const std::vector<std::byte> bytes = payload();
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(nul - bytes.begin())};
}

}  // namespace tcd::emu::fatbin
