// Which bytes of device memory anybody has written: half a byte for every four, one bit each.
//
// An allocation that the host has filled at once is known as a whole and costs kernels nothing.
// Only accesses to others come here. A read is reported when not one of its bytes was written:
// padding of a structure and the unused end of a vector are no mistake.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tcd::emu {

struct MicroOp;
struct Warp;
enum class AccessKind : uint8_t;

// `bits` belongs to the four bytes at the address whose multiple of 4 is index 0.
class WrittenBits {
 public:
  explicit WrittenBits(uint8_t* at) : at_(at) {}
  static constexpr uint32_t kBytesEach = 4;
  // bytes: a power of two up to 32, and offset a multiple of it; or any bytes that end inside.
  void mark(uint64_t offset, uint32_t bytes);
  bool any(uint64_t offset, uint32_t bytes) const;
  void mark_range(uint64_t offset, uint64_t bytes);
  bool all(uint64_t bytes) const;  // from offset 0

 private:
  uint8_t* at_;
};

// Lanes of an access that lie in one allocation not known to be written as a whole: checks reads,
// marks writes.
void note_global(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                 uint32_t bytes, AccessKind kind, uint64_t lo, uint8_t* written);

}  // namespace tcd::emu
