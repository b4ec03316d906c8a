// Reads little-endian numbers out of untrusted bytes: every access is checked, none crashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace tcd::emu::fatbin {

// What is wrong with a fat binary or cubin, with the offset it was seen at.
class FatbinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteReader {
 public:
  // `what` names the thing being read, for messages: "fat binary", "cubin".
  ByteReader(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}

  uint64_t size() const { return bytes_.size(); }
  uint8_t u8(uint64_t offset) const { return load<uint8_t>(offset); }
  uint16_t u16(uint64_t offset) const { return load<uint16_t>(offset); }
  uint32_t u32(uint64_t offset) const { return load<uint32_t>(offset); }
  uint64_t u64(uint64_t offset) const { return load<uint64_t>(offset); }

  std::span<const std::byte> slice(uint64_t offset, uint64_t length) const {
    if (offset > bytes_.size() || length > bytes_.size() - offset) {
      throw FatbinError(std::string(what_) + " is truncated: " + std::to_string(length) +
                        " bytes wanted at offset " + std::to_string(offset) + ", it has " +
                        std::to_string(bytes_.size()));
    }
    return bytes_.subspan(offset, length);
  }

 private:
  template <typename T>
  T load(uint64_t offset) const {
    T value;
    std::memcpy(&value, slice(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> bytes_;
  const char* what_;
};

}  // namespace tcd::emu::fatbin
