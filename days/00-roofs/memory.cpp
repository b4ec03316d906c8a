// DRAM and L2: gates first, then on a card GB/s beside what bus and clock would allow.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "bandwidth.h"
#include "day.h"
#include "gates/result.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "harness/memory_need.h"
#include "harness/telemetry.h"

namespace day {

namespace {

using tcd::harness::DeviceBuffer;

constexpr size_t kMiB = size_t{1} << 20;
constexpr int kGatePasses = 3;
constexpr size_t kL2Traffic = 512 * kMiB;  // of one timed launch

std::string size_text(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes % kMiB ? "%.1f MiB" : "%.0f MiB", bytes / 1048576.0);
  return text;
}

struct Bandwidths {  // GB/s; 0: not measured
  double read = 0, write = 0, copy = 0;
  double quarter_of_l2 = 0;
};

class Memory {
 public:
  Memory(Session& session, size_t bytes, Control control)
      : session_(session),
        bytes_(bytes),
        control_(control),
        seed_(static_cast<uint32_t>(session.seed()) * 7919),
        ctas_(session.device().properties.multiProcessorCount *
              std::min(8, session.device().properties.maxThreadsPerMultiProcessor / 256)),
        source_(bytes),
        target_(bytes),
        sums_(read_sums(ctas_)) {}

  bool gate_all() {
    const size_t written = bytes_ - (control_ == Control::kUnwritten ? 16 : 0);
    clear(source_);
    const bool write = gate_buffer("write " + size_text(bytes_), source_,
                                   [&] { launch_write(ctas_, source_.data(), written, seed_); },
                                   {{"global_store_bytes", bytes_}});
    const bool read = gate_sum("read " + size_text(bytes_), bytes_, 1);
    clear(target_);
    const bool copy =
        gate_buffer("copy " + size_text(bytes_), target_,
                    [&] { launch_copy(ctas_, target_.data(), source_.data(), written); },
                    {{"global_load_bytes", bytes_}, {"global_store_bytes", bytes_}});
    const size_t quarter = quarter_of_l2();
    const bool l2 =
        gate_sum("read " + size_text(quarter) + ", " + std::to_string(kGatePasses) + " times",
                 quarter, kGatePasses);
    return write && read && copy && l2;
  }

  Bandwidths measure() {
    const std::vector<size_t> sizes = l2_sizes();
    std::vector<tcd::harness::Candidate> candidates = {
        {"read", 0, [&] { launch_read(ctas_, source_.data(), bytes_, 1, sums_.data()); }},
        {"write", 0, [&] { launch_write(ctas_, target_.data(), bytes_, seed_); }},
        {"copy", 0, [&] { launch_copy(ctas_, target_.data(), source_.data(), bytes_); }}};
    for (size_t size : sizes) {
      candidates.push_back({size_text(size), 0, [this, size] {
                              launch_read(ctas_, source_.data(), size, passes(size), sums_.data());
                            }});
    }
    const auto timings = tcd::harness::time_launches(candidates, 10);
    const auto rate = [&](size_t i, double bytes) { return bytes / timings[i].median_ms * 1e-6; };
    Bandwidths found;
    found.read = rate(0, bytes_), found.write = rate(1, bytes_), found.copy = rate(2, 2.0 * bytes_);
    keep("DRAM read", found.read, timings[0].sm_clock_mhz, size_text(bytes_));
    keep("DRAM write", found.write, timings[1].sm_clock_mhz, size_text(bytes_));
    keep("DRAM copy", found.copy, timings[2].sm_clock_mhz,
         size_text(bytes_) + ", read and written");
    session_.section("Read again and again: where L2 ends");
    session_.say("buffer        of L2      GB/s");
    for (size_t i = 0; i < sizes.size(); ++i) {
      const double share = 1.0 * sizes[i] / l2_bytes();
      const double gb = rate(3 + i, 1.0 * sizes[i] * passes(sizes[i]));
      char line[80];
      std::snprintf(line, sizeof line, "%-10s %8.3f %9.1f", size_text(sizes[i]).c_str(), share, gb);
      session_.say(line);
      char name[64];
      std::snprintf(name, sizeof name, "read, %.3g × L2", share);
      session_.derive(std::string(session_.device().properties.name) + ": " + name,
                      {{"buffer_bytes", sizes[i]}, {"gb_per_s", gb}});
      if (sizes[i] == quarter_of_l2()) {
        found.quarter_of_l2 = gb;
        keep("L2 read", gb, timings[3 + i].sm_clock_mhz, size_text(sizes[i]) + ", a quarter of L2");
      }
    }
    return found;
  }

  // The memory clock while it works: what the table says may not be what the card runs at.
  int memory_clock_under_load() {
    for (int i = 0; i < 64; ++i) launch_copy(ctas_, target_.data(), source_.data(), bytes_);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto loaded = tcd::harness::read_telemetry();
    tcd::harness::check_launch("the copy");
    return loaded ? loaded->memory_clock_mhz : 0;
  }

 private:
  using Counts = std::vector<std::pair<const char*, uint64_t>>;

  size_t l2_bytes() const { return session_.device().properties.l2CacheSize; }
  size_t quarter_of_l2() const { return std::min(bytes_, l2_bytes() / 8 / 512 * 512 * 2); }
  static int passes(size_t bytes) {
    return static_cast<int>(std::max<size_t>(1, kL2Traffic / bytes));
  }

  std::vector<size_t> l2_sizes() const {
    std::vector<size_t> sizes;
    for (size_t eighths : {1, 2, 4, 6, 8, 12, 16, 32}) {
      const size_t size = l2_bytes() / 8 / 512 * 512 * eighths;
      if (size <= bytes_) sizes.push_back(size);
    }
    return sizes;
  }

  void clear(const DeviceBuffer<std::byte>& buffer) const {
    tcd::harness::check(cudaMemset(buffer.data(), 0xFF, bytes_), "filling a buffer");
  }

  // Runs `launch`, then compares every word of `buffer` with the pattern, on the device.
  template <typename Launch>
  bool gate_buffer(const std::string& name, const DeviceBuffer<std::byte>& buffer,
                   const Launch& launch, const Counts& counts) {
    tcd::harness::reset_counters();
    launch();
    tcd::harness::check_launch(name.c_str());
    const auto wrong_counts = differing_counts(counts);
    if (control_ == Control::kOneBit) flip_a_bit(buffer);
    const DeviceBuffer<Differences> found(std::vector<Differences>{{0, ~0ull}});
    launch_compare(ctas_, buffer.data(), bytes_, seed_, found.data());
    tcd::harness::check_launch("the comparison");
    const Differences differences = found.download().front();
    std::vector<std::string> lines;
    if (differences.count > 0) {
      lines.push_back(tcd::with_separators(differences.count) + " of " +
                      tcd::with_separators(bytes_ / 4) + " words are wrong");
      lines.push_back("first: " + describe(buffer, differences.first));
    }
    lines.insert(lines.end(), wrong_counts.begin(), wrong_counts.end());
    return conclude(name, bytes_ / 4, lines);
  }

  bool gate_sum(const std::string& name, size_t bytes, int passes) {
    tcd::harness::reset_counters();
    const size_t read = bytes - (control_ == Control::kShortRead ? 16 : 0);
    launch_read(ctas_, source_.data(), read,
                passes - (control_ == Control::kMissingPass && passes > 1), sums_.data());
    tcd::harness::check_launch(name.c_str());
    auto lines = differing_counts({{"global_load_bytes", bytes * passes}});
    const std::vector<uint32_t> sums = sums_.download();
    const uint32_t got = std::accumulate(sums.begin(), sums.end(), 0u);
    const uint32_t expected = static_cast<uint32_t>(passes) * pattern_sum(bytes / 4);
    if (got != expected) {
      char text[96];
      std::snprintf(text, sizeof text, "the sum of its words is 0x%08X, expected 0x%08X", got,
                    expected);
      lines.insert(lines.begin(), text);
    }
    return conclude(name, bytes / 4 * passes, lines);
  }

  bool conclude(const std::string& name, int64_t checked, const std::vector<std::string>& lines) {
    return session_.gate(lines.empty() ? tcd::GateResult::pass(name, checked)
                                       : tcd::GateResult::fail(name, checked, lines));
  }

  // Σ (i · step + seed) over i < n, modulo 2³². n is even.
  uint32_t pattern_sum(uint64_t n) const {
    return static_cast<uint32_t>(n / 2 * (n - 1)) * kPatternStep + static_cast<uint32_t>(n) * seed_;
  }

  // On the emulated device: what it counted must be what the kernel was asked to move.
  std::vector<std::string> differing_counts(const Counts& counts) {
    if (!session_.emulated()) return {};
    const auto counted = tcd::harness::read_counters();
    std::vector<std::string> lines;
    for (const auto& [name, predicted] : counts) {
      if (counted.at(name) == predicted) continue;
      lines.push_back(std::string(name) + ": " + tcd::with_separators(counted.at(name)) +
                      " counted, predicted " + tcd::with_separators(predicted));
    }
    return lines;
  }

  void flip_a_bit(const DeviceBuffer<std::byte>& buffer) const {
    uint32_t word = 0;
    std::byte* at = buffer.data() + bytes_ / 2;
    tcd::harness::check(cudaMemcpy(&word, at, 4, cudaMemcpyDeviceToHost), "reading a word");
    word ^= 1;
    tcd::harness::check(cudaMemcpy(at, &word, 4, cudaMemcpyHostToDevice), "writing a word");
  }

  std::string describe(const DeviceBuffer<std::byte>& buffer, uint64_t i) const {
    uint32_t got = 0;
    tcd::harness::check(cudaMemcpy(&got, buffer.data() + 4 * i, 4, cudaMemcpyDeviceToHost),
                        "reading a word");
    const uint32_t expected = static_cast<uint32_t>(i) * kPatternStep + seed_;
    char text[128];
    std::snprintf(text, sizeof text, "word %llu: got 0x%08X, expected 0x%08X%s",
                  static_cast<unsigned long long>(i), got, expected,
                  got == 0xFFFFFFFFu ? ", never written" : "");
    return text;
  }

  void keep(const std::string& name, double gb, int clock_mhz, const std::string& detail) {
    session_.rate({name, gb, "GB/s", clock_mhz, detail});
  }

  Session& session_;
  const size_t bytes_;
  const Control control_;
  const uint32_t seed_;
  const int ctas_;
  const DeviceBuffer<std::byte> source_, target_;
  const DeviceBuffer<uint32_t> sums_;
};

// Much larger than L2, and no more than half of what is free.
size_t default_bytes(const Session& session) {
  if (session.emulated()) return 8 * kMiB;
  size_t free_bytes = 0, total_bytes = 0;
  tcd::harness::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const size_t wanted =
      std::max<size_t>(256 * kMiB, 16ull * session.device().properties.l2CacheSize);
  return std::min(wanted, free_bytes / 4) / kMiB * kMiB;
}

void judge(Session& session, const Bandwidths& found, int loaded_mhz) {
  const char* roof = "no stream exceeds 2 × memory clock × bus width";
  const char* l2 = "a quarter of L2 reads faster than DRAM";
  if (found.read == 0) {
    const char* why =
        session.emulated() ? "rates need a card" : "only what passed its gate is timed";
    session.predict_unanswered(7, roof, why);
    session.predict_unanswered(8, l2, why);
    return;
  }
  const double queried = dram_ceiling(session, queried_memory_clock_mhz());
  const double loaded = dram_ceiling(session, loaded_mhz);
  char line[160];
  std::snprintf(line, sizeof line,
                "bus × clock: %.1f GB/s by the queried clock, %.1f by the %d MHz read under load",
                queried, loaded, loaded_mhz);
  session.say(line);
  session.rate({"bus × memory clock, queried", queried, "GB/s", 0, ""});
  if (loaded_mhz > 0) session.rate({"bus × memory clock, under load", loaded, "GB/s", 0, ""});
  const double best = std::max({found.read, found.write, found.copy});
  std::snprintf(line, sizeof line, "%s (%.1f %% of it)", roof, 100 * best / queried);
  session.predict(7, line, best <= queried);
  std::snprintf(line, sizeof line, "%s (%.2f times)", l2, found.quarter_of_l2 / found.read);
  session.predict(8, line, found.quarter_of_l2 > found.read);
}

}  // namespace

void measure_memory(Session& session, int mebibytes, Control control) {
  const size_t bytes = mebibytes > 0 ? mebibytes * kMiB : default_bytes(session);
  if (mebibytes > 0) {
    const std::string asked = "--mib " + std::to_string(mebibytes);
    const size_t l2 = session.device().properties.l2CacheSize;
    if (!session.emulated() && bytes < 4 * l2) {
      throw tcd::harness::UsageError(asked + " is less than four times this device's L2 (" +
                                     size_text(l2) + "): L2 would answer for DRAM");
    }
    tcd::harness::require_memory(asked, 2 * bytes + kMiB, 0);
  }
  session.section("DRAM: read, write, copy, " + size_text(bytes));
  Memory memory(session, bytes, control);
  const bool passed = memory.gate_all();
  Bandwidths found;
  int loaded_mhz = 0;
  if (passed && !session.emulated()) {
    found = memory.measure();
    loaded_mhz = memory.memory_clock_under_load();
  }
  judge(session, found, loaded_mhz);
}

}  // namespace day
