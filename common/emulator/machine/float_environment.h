// The processor's floating-point mode while kernels are decoded and run: round to nearest,
// subnormals kept, no traps. A host program may have set its own (-ffast-math does, at start-up),
// and a card would not notice.
#pragma once

#include <immintrin.h>

namespace tcd::emu {

// Sets the calling thread's mode to the default, and gives the host's back at the end, its sticky
// exception flags included. One a thread: a new thread inherits the mode of the one that made it.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : host_(_mm_getcsr()) {
    _mm_setcsr(kDefault);
    __asm__ volatile("" ::: "memory");
  }
  ~DefaultFloatEnvironment() {
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(host_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, no FTZ, no DAZ, nearest
  unsigned host_;
};

}  // namespace tcd::emu
