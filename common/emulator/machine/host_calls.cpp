// What device code asks of the host: printf, assert, malloc, free, a graph's condition.
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>

#include "machine/calls.h"
#include "machine/cta.h"

namespace tcd::emu {
namespace {

// Argument k of a call, as 64 bits of a lane (parameters are rows of words).
uint64_t argument(Warp& w, const MicroOp* op, uint32_t k, int lane, uint32_t bytes) {
  const uint32_t* args = w.pool + op->extra + 1;
  const auto* words = reinterpret_cast<const Row*>(w.regs + args[1 + k]);
  const uint64_t low = words[0].lane[lane];
  return bytes == 8 ? uint64_t{words[1].lane[lane]} << 32 | low : low;
}

std::byte* host_pointer(Warp& w, const MicroOp* op, int lane, uint64_t address, uint32_t bytes) {
  uint64_t addresses[kLanes] = {};
  std::byte* out[kLanes] = {};
  addresses[lane] = address;
  resolve_slow(w, op, 1u << lane, addresses, bytes, AccessKind::kLoad, ptx::Space::kGeneric, out);
  return out[lane];
}

std::string read_string(Warp& w, const MicroOp* op, int lane, uint64_t address) {
  if (address == 0) return "(null)";
  std::string text;
  for (; text.size() < 65536; ++address) {
    const char c = static_cast<char>(*host_pointer(w, op, lane, address, 1));
    if (c == 0) break;
    text += c;
  }
  return text;
}

// The argument buffer of vprintf: each value at a multiple of its own size.
class Arguments {
 public:
  Arguments(Warp& w, const MicroOp* op, int lane, uint64_t at)
      : w_(w), op_(op), lane_(lane), at_(at) {}
  uint64_t next(uint32_t bytes) {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    uint64_t v = 0;
    std::memcpy(&v, host_pointer(w_, op_, lane_, at_, bytes), bytes);
    at_ += bytes;
    ++count_;
    return v;
  }
  uint32_t count() const { return count_; }

 private:
  Warp& w_;
  const MicroOp* op_;
  int lane_;
  uint64_t at_;
  uint32_t count_ = 0;
};

template <class T>
void append(std::string& out, const std::string& format, T value) {
  char small[256];
  const int n = std::snprintf(small, sizeof small, format.c_str(), value);
  if (n < static_cast<int>(sizeof small)) {
    out.append(small, static_cast<size_t>(n < 0 ? 0 : n));
    return;
  }
  std::string large(static_cast<size_t>(n) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.c_str(), value);
  large.resize(static_cast<size_t>(n));
  out += large;
}

// One conversion specification at f[i] == '%'; returns the index behind it.
size_t format_one(const std::string& f, size_t i, Arguments& args, Warp& w, const MicroOp* op,
                  int lane, std::string& out) {
  std::string spec = "%";
  size_t j = i + 1;
  while (j < f.size() && std::strchr("-+ #0", f[j]) != nullptr) spec += f[j++];
  const auto number = [&] {
    if (j < f.size() && f[j] == '*') {
      spec += std::to_string(static_cast<int32_t>(args.next(4)));
      ++j;
    }
    while (j < f.size() && f[j] >= '0' && f[j] <= '9') spec += f[j++];
  };
  number();
  if (j < f.size() && f[j] == '.') {
    spec += f[j++];
    number();
  }
  uint32_t longs = 0;
  while (j < f.size() && std::strchr("hlLqjzt", f[j]) != nullptr) {
    if (f[j] != 'h') ++longs;
    ++j;
  }
  const char c = j < f.size() ? f[j] : '\0';
  switch (c) {
    case 'd':
    case 'i':
      if (longs != 0) {
        append(out, spec + "lld", static_cast<long long>(args.next(8)));
      } else {
        append(out, spec + "d", static_cast<int32_t>(args.next(4)));
      }
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (longs != 0) {
        append(out, spec + "ll" + c, static_cast<unsigned long long>(args.next(8)));
      } else {
        append(out, spec + c, static_cast<uint32_t>(args.next(4)));
      }
      break;
    case 'c':
      append(out, spec + "c", static_cast<int>(args.next(4)));
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      append(out, spec + c, std::bit_cast<double>(args.next(8)));
      break;
    case 's':
      append(out, spec + "s", read_string(w, op, lane, args.next(8)).c_str());
      break;
    case 'p':
      append(out, "0x%016llx", static_cast<unsigned long long>(args.next(8)));
      break;
    case '%':
      out += '%';
      break;
    default:
      out.append(f, i, j + 1 - i);
      break;
  }
  return j + 1;
}

}  // namespace

const MicroOp* call_vprintf(Warp& w, const MicroOp* op, uint32_t mask) {
  const uint32_t* args = w.pool + op->extra + 1;
  const uint32_t* results = args + 1 + args[0];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::string format = read_string(w, op, lane, argument(w, op, 0, lane, 8));
    Arguments values(w, op, lane, argument(w, op, 1, lane, 8));
    std::string& out = w.cta->output;
    for (size_t i = 0; i < format.size();) {
      if (format[i] == '%') {
        i = format_one(format, i, values, w, op, lane, out);
      } else {
        out += format[i++];
      }
    }
    if (results[0] != 0) {
      reinterpret_cast<Row*>(w.regs + results[1])->lane[lane] = values.count();
    }
  }
  return op + 1;
}

// The heap is device memory like any other: each block has its own bounds. 0 when there is none
// left.
const MicroOp* call_malloc(Warp& w, const MicroOp* op, uint32_t mask) {
  const uint32_t* args = w.pool + op->extra + 1;
  const uint32_t* results = args + 1 + args[0];
  auto* words = reinterpret_cast<Row*>(w.regs + results[1]);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t bytes = argument(w, op, 0, lane, 8);
    const uint64_t at = w.launch->memory->allocate(bytes, 16, {}, false);
    words[0].lane[lane] = static_cast<uint32_t>(at);
    words[1].lane[lane] = static_cast<uint32_t>(at >> 32);
  }
  return op + 1;
}

const MicroOp* call_free(Warp& w, const MicroOp* op, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t at = argument(w, op, 0, lane, 8);
    if (at == 0 || w.launch->memory->release(at)) continue;
    fail(w, op, Fault::kIllegalAddress, 1u << lane,
         "free of a pointer that malloc did not return: " + w.launch->memory->describe(at, 1),
         "Freed twice, or memory that cudaMalloc gave on the host?");
  }
  return op + 1;
}

// cudaGraphSetConditional(handle, value): the handle is the value's address (runtime/graph.h).
const MicroOp* call_set_conditional(Warp& w, const MicroOp* op, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    uint64_t addresses[kLanes] = {};
    std::byte* out[kLanes] = {};
    addresses[lane] = argument(w, op, 0, lane, 8);
    const auto value = static_cast<uint32_t>(argument(w, op, 1, lane, 4));
    resolve_slow(w, op, 1u << lane, addresses, sizeof(value), AccessKind::kStore,
                 ptx::Space::kGlobal, out);
    std::atomic_ref(*reinterpret_cast<uint32_t*>(out[lane])).store(value);
  }
  return op + 1;
}

// __assertfail(message, file, line, function, character size)
const MicroOp* call_assert_fail(Warp& w, const MicroOp* op, uint32_t mask) {
  const int lane = std::countr_zero(mask);
  const std::string what = read_string(w, op, lane, argument(w, op, 0, lane, 8));
  const std::string file = read_string(w, op, lane, argument(w, op, 1, lane, 8));
  const uint64_t line = argument(w, op, 2, lane, 4);
  const std::string function = read_string(w, op, lane, argument(w, op, 3, lane, 8));
  fail(w, op, Fault::kAssert, mask,
       file + ":" + std::to_string(line) + ": " + function + ": Assertion `" + what + "` failed.");
}

}  // namespace tcd::emu
