// The address rules of ldmatrix (PTX ISA 9.0, 9.7.14.5.15), each broken on purpose.
//
// A device fault is final: no CUDA call of the process works after it. So a run breaks one rule and
// ends, with the fault's name and exit code 2. What the ISA calls undefined may also go unnoticed;
// then the run says that.
#include <cuda_fp16.h>

#include <array>

#include "day.h"
#include "harness/device_buffer.h"
#include "harness/usage.h"
#include "ptx/ldmatrix.cuh"
#include "ptx/shared_address.cuh"

namespace day {

namespace {

enum class Rule { kMisaligned, kGenericPointer, kIgnoredLane };

struct AddressDemo {
  const char* name;
  Rule rule;
  const char* what;
};

constexpr std::array<AddressDemo, 3> kDemos = {{
    {"misaligned", Rule::kMisaligned,
     "rows of 8 halves padded by one: row 1 starts 18 bytes in, off the 16-byte boundary"},
    {"generic-pointer", Rule::kGenericPointer,
     "a generic pointer cut to 32 bits, where a shared-space address belongs"},
    {"ignored-lane", Rule::kIgnoredLane,
     ".x1 takes its rows from lanes 0–7; lane 31 passes an address far outside shared memory"},
}};

__global__ void break_rule(Rule rule, uint32_t* out) {
  __shared__ __align__(16) half tile[8 * 9];
  for (int i = threadIdx.x; i < 8 * 9; i += 32) tile[i] = __float2half(static_cast<float>(i));
  __syncwarp();
  const int row = threadIdx.x % 8;
  uint32_t address = tcd::ptx::shared_address(&tile[row * 8]);
  if (rule == Rule::kMisaligned) address = tcd::ptx::shared_address(&tile[row * (8 + 1)]);
  if (rule == Rule::kGenericPointer) {
    address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&tile[row * 8]));
  }
  if (rule == Rule::kIgnoredLane && threadIdx.x == 31) address = 0x00800000;
  uint32_t r[1];
  tcd::ptx::ldmatrix_x1(r, address);
  out[threadIdx.x] = r[0];
}

}  // namespace

std::string address_demo_names() {
  std::string names;
  for (const AddressDemo& demo : kDemos)
    names += (names.empty() ? "" : ", ") + std::string(demo.name);
  return names;
}

void run_address_demo(Session& session, const std::string& name) {
  for (const AddressDemo& demo : kDemos) {
    if (name != demo.name) continue;
    session.section(name);
    session.say(demo.what);
    const tcd::harness::DeviceBuffer<uint32_t> out(32);
    break_rule<<<1, 32>>>(demo.rule, out.data());
    tcd::harness::check_launch("ldmatrix");
    const std::string part = "ldmatrix, " + name;
    if (demo.rule == Rule::kIgnoredLane && session.device().compute >= 80) {
      return session.not_run(part, "no fault: only sm_75 reads the addresses of ignored lanes");
    }
    return session.not_run(part,
                           "no fault: the ISA calls this undefined, and here it went unnoticed");
  }
  throw tcd::harness::UsageError("there is no demo called '" + name +
                                 "'; choose from: " + address_demo_names());
}

}  // namespace day
