// What the device says of itself, and what follows from it on paper.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "day.h"
#include "harness/cuda_error.h"
#include "harness/telemetry.h"

namespace day {

namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  tcd::harness::check(cudaDeviceGetAttribute(&value, which, 0), "reading a limit of the device");
  return value;
}

template <typename... Values>
std::string text(const char* format, Values... values) {
  char line[160];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

}  // namespace

double queried_memory_clock_mhz() { return attribute(cudaDevAttrMemoryClockRate) / 1e3; }

// The clock is that of the memory's command bus: data moves on both of its edges.
double dram_ceiling(const Session& session, double memory_clock_mhz) {
  return 2 * memory_clock_mhz * 1e6 * session.device().properties.memoryBusWidth / 8 * 1e-9;
}

void show_limits(Session& session) {
  session.section("What the device says of itself");
  const cudaDeviceProp& p = session.device().properties;
  const double clock_mhz = attribute(cudaDevAttrClockRate) / 1e3;
  const double memory_mhz = queried_memory_clock_mhz();
  session.say(text("SMs                  %d, at most %.0f MHz", p.multiProcessorCount, clock_mhz));
  session.say(text("an SM holds          %d threads (%d warps), %d CTAs, %d registers",
                   p.maxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor / 32,
                   p.maxBlocksPerMultiProcessor, p.regsPerMultiprocessor));
  session.say(
      text("shared memory        %.0f KiB an SM; a CTA %.0f, on request %.0f, less %.0f kept back",
           p.sharedMemPerMultiprocessor / 1024.0, p.sharedMemPerBlock / 1024.0,
           p.sharedMemPerBlockOptin / 1024.0, p.reservedSharedMemPerBlock / 1024.0));
  session.say(text("L2                   %.0f MiB", p.l2CacheSize / 1048576.0));
  session.say(
      text("memory               %.0f MiB, %d bits wide, %.0f MHz: 2 × %.0f MHz × %d B = %.1f GB/s",
           p.totalGlobalMem / 1048576.0, p.memoryBusWidth, memory_mhz, memory_mhz,
           p.memoryBusWidth / 8, dram_ceiling(session, memory_mhz)));
  session.derive("limits", {{"sms", p.multiProcessorCount},
                            {"clock_mhz", clock_mhz},
                            {"threads_per_sm", p.maxThreadsPerMultiProcessor},
                            {"ctas_per_sm", p.maxBlocksPerMultiProcessor},
                            {"registers_per_sm", p.regsPerMultiprocessor},
                            {"shared_bytes_per_sm", p.sharedMemPerMultiprocessor},
                            {"shared_bytes_per_cta", p.sharedMemPerBlockOptin},
                            {"shared_bytes_kept_back", p.reservedSharedMemPerBlock},
                            {"l2_bytes", p.l2CacheSize},
                            {"memory_bytes", p.totalGlobalMem},
                            {"memory_bus_bits", p.memoryBusWidth},
                            {"memory_clock_mhz", memory_mhz},
                            {"dram_ceiling_gb_per_s", dram_ceiling(session, memory_mhz)}});
  if (session.emulated()) {
    session.say("These are the profile's. What follows is counted, not timed: rates need a card.");
  } else if (const auto now = tcd::harness::read_telemetry()) {
    session.say(text("now                  SM %d MHz, memory %d MHz, %.0f W, %d °C",
                     now->sm_clock_mhz, now->memory_clock_mhz, now->power_watts,
                     now->temperature_celsius));
  }
}

}  // namespace day
