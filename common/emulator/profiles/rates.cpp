#include "profiles/rates.h"

namespace tcd::emu {
namespace {

constexpr auto kTypes = static_cast<size_t>(TensorType::kCount);

struct Rates {
  std::string_view profile;
  Rate tensor[kTypes];  // in the order of TensorType
  Rate small_f16, small_int8;
  Rate l2;
};

// 65, 130 and 260 T(FL)OP/s on 40 SMs at 1,590 MHz.
constexpr std::string_view kT4 = "quoted: NVIDIA's T4 datasheet, its peak by SMs and boost clock";
// 312, 156, 624, 1,248 and (FP64) 19.5 on 108 SMs at 1,410 MHz.
constexpr std::string_view kA100 =
    "quoted: NVIDIA's A100 whitepaper, its peaks by SMs and boost clock";
// 165.2, 330.3, 82.6, 660.6 and 1,321.2 on 128 SMs at 2,520 MHz.
constexpr std::string_view kAda =
    "quoted: NVIDIA's Ada whitepaper, the RTX 4090's peaks by SMs and boost clock";
constexpr std::string_view kAdaSm = "derived: an SM as the RTX 4090's in NVIDIA's Ada whitepaper";
constexpr std::string_view kAccount =
    "quoted: the Ada account, 511.9, 1,024.4 and 2,048.4 FLOP/clk/SM measured there";
// 121, 60.5 and 242.5 (half of what is given with sparsity) on 58 SMs at 2,040 MHz.
constexpr std::string_view kL4 = "quoted: NVIDIA's L4 datasheet, its peaks by SMs and boost clock";
constexpr std::string_view kCycles =
    "measured: an H200's tensor cycles an instruction, 6.0 and 4.0 (ncu00-h200.json)";
constexpr std::string_view kIssue =
    "measured: an H200's issue rate in whole cycles (day00-h200.json: 2,728.2, 1,364.1, 5,456.5, "
    "2,045.3 FLOP/clk/SM)";
constexpr std::string_view kH100F64 =
    "quoted: NVIDIA's H100 datasheet, 67 TFLOP/s by SMs and boost clock";
constexpr std::string_view kA100L2 = "quoted: NVIDIA's A100 whitepaper, 5,120 bytes a clock";
constexpr std::string_view kH100L2 =
    "from the literature: as an A100; an H200's read stream reached 4,141 (day00-h200.json)";

constexpr double kHopperF16 = 4 * 4096 / 6.0;  // four tensor cores, 4,096 FLOP in 6 cycles

constexpr Rates hopper(std::string_view profile) {
  return {.profile = profile,
          .tensor = {{kHopperF16, kCycles},
                     {kHopperF16, kCycles},
                     {kHopperF16, kIssue},
                     {kHopperF16 / 2, kIssue},
                     {},  // mma.sync on FP8 is emulated on this chip
                     {},
                     {kHopperF16 * 2, kIssue},
                     {},
                     {256, kH100F64}},
          .small_f16 = {2048, kCycles},
          .small_int8 = {2048, kIssue},
          .l2 = {5120, kH100L2}};
}

constexpr Rates kRates[] = {
    {.profile = "t4",
     .tensor = {{1024, kT4}, {1024, kT4}, {}, {}, {}, {}, {2048, kT4}, {4096, kT4}, {}},
     .small_f16 = {},
     .small_int8 = {},
     .l2 = {}},
    {.profile = "a100",
     .tensor = {{2048, kA100},
                {2048, kA100},
                {2048, kA100},
                {1024, kA100},
                {},
                {},
                {4096, kA100},
                {8192, kA100},
                {128, kA100}},
     .small_f16 = {},
     .small_int8 = {},
     .l2 = {5120, kA100L2}},
    {.profile = "rtx4060-laptop",
     .tensor = {{512, kAccount},
                {1024, kAccount},
                {512, kAdaSm},
                {256, kAdaSm},
                {1024, kAdaSm},
                {2048, kAdaSm},
                {2048, kAccount},
                {4096, kAdaSm},
                {}},
     .small_f16 = {},
     .small_int8 = {},
     .l2 = {}},
    {.profile = "rtx4090",
     .tensor = {{512, kAda},
                {1024, kAda},
                {512, kAda},
                {256, kAda},
                {1024, kAda},
                {2048, kAda},
                {2048, kAda},
                {4096, kAda},
                {}},
     .small_f16 = {},
     .small_int8 = {},
     .l2 = {}},
    {.profile = "l4",
     .tensor = {{1024, kL4},
                {1024, kL4},
                {1024, kL4},
                {512, kL4},
                {2048, kL4},
                {2048, kL4},
                {2048, kL4},
                {},
                {}},
     .small_f16 = {},
     .small_int8 = {},
     .l2 = {}},
    hopper("h100"),  // the same chip as the H200, on which it was measured
    hopper("h200"),
};

const Rates& rates_of(const Profile& profile) {
  for (const Rates& rates : kRates) {
    if (rates.profile == profile.name) return rates;
  }
  static constexpr Rates kNone{};
  return kNone;
}

}  // namespace

const char* name_of(TensorType type) {
  constexpr const char* kNames[kTypes] = {"f16 → f32", "f16 → f16", "bf16", "tf32", "fp8 → f32",
                                          "fp8 → f16", "int8",      "int4", "f64"};
  return type < TensorType::kCount ? kNames[static_cast<size_t>(type)] : "none";
}

Rate tensor_rate(const Profile& profile, TensorType type, bool small) {
  const Rates& rates = rates_of(profile);
  if (type >= TensorType::kCount) return {};
  if (small && type == TensorType::kInt8 && rates.small_int8.per_clock != 0) {
    return rates.small_int8;
  }
  if (small && type <= TensorType::kBf16 && rates.small_f16.per_clock != 0) return rates.small_f16;
  return rates.tensor[static_cast<size_t>(type)];
}

Rate shared_rate(const Profile&) {
  return {1, "derived: 32 banks of 4 bytes, a word each a clock (CUDA C++ Programming Guide)"};
}

Rate l2_rate(const Profile& profile) { return rates_of(profile).l2; }

Rate dram_rate(const Profile& profile) {
  const double bytes_a_second = 2e3 * profile.memory_clock_khz * profile.memory_bus_bits / 8;
  return {bytes_a_second / (1e3 * profile.clock_khz),
          "derived: bus width and memory clock, two transfers a clock"};
}

}  // namespace tcd::emu
