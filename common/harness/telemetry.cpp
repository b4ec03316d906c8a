#include "harness/telemetry.h"

#include <dlfcn.h>

namespace tcd::harness {

namespace {

// NVML's C interface, the few calls used here. Opened at run time: it belongs to the driver, and
// a machine without a card has none.
class Nvml {
 public:
  static const Nvml& instance() {
    static const Nvml nvml;
    return nvml;
  }

  std::optional<Telemetry> read() const {
    if (!device_) return std::nullopt;
    constexpr int kSmClock = 1;
    constexpr int kMemoryClock = 2;
    constexpr int kGpuTemperature = 0;
    unsigned clock = 0;
    unsigned memory_clock = 0;
    unsigned milliwatts = 0;
    unsigned celsius = 0;
    if (clock_(device_, kSmClock, &clock) != 0) return std::nullopt;
    clock_(device_, kMemoryClock, &memory_clock);
    power_(device_, &milliwatts);
    temperature_(device_, kGpuTemperature, &celsius);
    unsigned long long reasons = 0;
    if (throttle_) throttle_(device_, &reasons);
    return Telemetry{static_cast<int>(clock), milliwatts / 1000.0, static_cast<int>(celsius),
                     static_cast<int>(memory_clock), reasons};
  }

  CardLimits limits() const {
    CardLimits limits;
    constexpr int kSmClock = 1;
    unsigned value = 0;
    if (device_ && most_clock_ && most_clock_(device_, kSmClock, &value) == 0) {
      limits.sm_clock_mhz = static_cast<int>(value);
    }
    if (device_ && power_limit_ && power_limit_(device_, &value) == 0) {
      limits.power_watts = value / 1000.0;
    }
    return limits;
  }

  std::string driver() const {
    char text[96] = "";
    if (device_) driver_(text, sizeof text);
    return text;
  }

 private:
  using Device = void*;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) return;
    auto init = load<int (*)()>(library, "nvmlInit_v2");
    auto by_index = load<int (*)(unsigned, Device*)>(library, "nvmlDeviceGetHandleByIndex_v2");
    clock_ = load<int (*)(Device, int, unsigned*)>(library, "nvmlDeviceGetClockInfo");
    power_ = load<int (*)(Device, unsigned*)>(library, "nvmlDeviceGetPowerUsage");
    temperature_ = load<int (*)(Device, int, unsigned*)>(library, "nvmlDeviceGetTemperature");
    throttle_ = load<int (*)(Device, unsigned long long*)>(
        library, "nvmlDeviceGetCurrentClocksThrottleReasons");  // optional
    most_clock_ = load<int (*)(Device, int, unsigned*)>(library, "nvmlDeviceGetMaxClockInfo");
    power_limit_ = load<int (*)(Device, unsigned*)>(library, "nvmlDeviceGetEnforcedPowerLimit");
    driver_ = load<int (*)(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
    if (!init || !by_index || !clock_ || !power_ || !temperature_ || !driver_) return;
    if (init() != 0 || by_index(0, &device_) != 0) device_ = nullptr;
  }

  template <typename Function>
  static Function load(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
  }

  Device device_ = nullptr;
  int (*clock_)(Device, int, unsigned*) = nullptr;
  int (*power_)(Device, unsigned*) = nullptr;
  int (*temperature_)(Device, int, unsigned*) = nullptr;
  int (*throttle_)(Device, unsigned long long*) = nullptr;
  int (*most_clock_)(Device, int, unsigned*) = nullptr;
  int (*power_limit_)(Device, unsigned*) = nullptr;
  int (*driver_)(char*, unsigned) = nullptr;
};

}  // namespace

CardLimits read_card_limits() { return Nvml::instance().limits(); }

std::string driver_version() { return Nvml::instance().driver(); }

std::optional<Telemetry> read_telemetry() { return Nvml::instance().read(); }

}  // namespace tcd::harness
