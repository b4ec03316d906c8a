#include <doctest/doctest.h>

#include <set>
#include <string>

#include "profiles/profile.h"

using namespace tcd::emu;

namespace {

// What the figures of one card must satisfy among themselves; the first broken rule, or "".
std::string inconsistency(const Profile& p) {
  if (p.sm_count <= 0 || p.clock_khz < 500'000 || p.clock_khz > 3'500'000) return "SMs or clock";
  if (p.shared_per_block > p.shared_per_block_optin) return "opt-in below the default";
  if (p.shared_per_block_optin + p.shared_reserved_per_block != p.shared_per_sm)
    return "one CTA with all opt-in shared memory must exactly fill an SM";
  if (p.compute() >= 80 && p.shared_reserved_per_block != 1024) return "reserved shared memory";
  if (p.registers_per_sm != 65536 || p.registers_per_block != 65536) return "registers";
  if (p.threads_per_block != 1024 || p.threads_per_sm % 32 != 0) return "threads";
  if (p.threads_per_sm / 32 % 4 != 0) return "warps must divide among four schedulers";
  if (p.ctas_per_sm * 32 > p.threads_per_sm) return "more CTAs than warps";
  if (p.tensor.chunk_k16 != (p.compute() >= 90 ? 16 : 8)) return "tensor chunk";
  if (p.tensor.fraction_bits != (p.compute() >= 90 ? 25 : 24)) return "tensor fraction bits";
  if (p.tensor.alignment_floor != (p.compute() == 90 ? 7 : 1000)) return "alignment floor";
  return "";
}

double bandwidth_gb_s(const Profile& p) {  // two transfers a clock
  return 2.0 * p.memory_clock_khz * 1e3 * p.memory_bus_bits / 8 / 1e9;
}

}  // namespace

TEST_CASE("the profiles are the seven the command line names, each once") {
  const std::set<std::string_view> wanted = {"t4",   "a100", "rtx4060-laptop", "rtx4090", "l4",
                                             "h100", "h200"};
  std::set<std::string_view> got;
  for (const Profile& p : all_profiles()) got.insert(p.name);
  CHECK(got == wanted);
  CHECK(all_profiles().size() == wanted.size());
}

TEST_CASE("every profile is consistent in itself") {
  for (const Profile& p : all_profiles()) {
    CAPTURE(p.name);
    CHECK(inconsistency(p) == "");
  }
}

TEST_CASE("control: a spoilt figure is noticed") {
  Profile p = *find_profile("rtx4090");
  p.shared_per_block_optin = 100 * 1024;
  CHECK(inconsistency(p) != "");
  p = *find_profile("h100");
  p.tensor.fraction_bits = 24;
  CHECK(inconsistency(p) != "");
}

TEST_CASE("clock and bus give the bandwidth the datasheets print") {
  const std::pair<const char*, double> datasheet[] = {
      {"t4", 320}, {"a100", 1555}, {"rtx4060-laptop", 256}, {"rtx4090", 1008},
      {"l4", 300}, {"h100", 3352}, {"h200", 4917}};
  for (const auto& [name, gb_s] : datasheet) {
    CAPTURE(name);
    CHECK(bandwidth_gb_s(*find_profile(name)) == doctest::Approx(gb_s).epsilon(0.03));
  }
}

TEST_CASE("the default exists; a wrong name is answered with all right ones") {
  REQUIRE(find_profile(kDefaultProfile) != nullptr);
  CHECK(find_profile("rtx5090") == nullptr);
  const std::string message = unknown_profile_message("rtx5090");
  CHECK(message.find("rtx5090") != std::string::npos);
  for (const Profile& p : all_profiles()) {
    CHECK(message.find(std::string(p.name)) != std::string::npos);
  }
}
