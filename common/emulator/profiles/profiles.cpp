// The GPUs that can be emulated. Where each kind of figure comes from:
//
//   per architecture  CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
//                     Capability": threads, CTAs, registers and shared memory per SM and per CTA.
//                     From 8.0 on the system takes 1 KiB of shared memory for every resident CTA,
//                     so the opt-in limit of a CTA is that of the SM less 1 KiB.
//   SMs, clocks, bus  NVIDIA's whitepaper or datasheet of the card (named beside it). Memory clock
//                     as the runtime reports it: half the pin rate for GDDR6/6X and HBM.
//   memory            the frame buffer in MiB as nvidia-smi lists it.
//   tensor            fraction bits and chunk length: see tensor/; the evidence is stated for each.
#include "profiles/profile.h"

namespace tcd::emu {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint32_t kKiB = 1024;

constexpr Profile turing(Profile card) {  // compute capability 7.5
  card.compute_major = 7, card.compute_minor = 5;
  card.shared_per_sm = 64 * kKiB, card.shared_per_block_optin = 64 * kKiB;
  card.shared_reserved_per_block = 0;
  card.threads_per_sm = 1024, card.ctas_per_sm = 16;
  card.tensor = {.chunk_k16 = 8, .fraction_bits = 24, .evidence = "from the literature"};
  return card;
}

constexpr Profile ampere(Profile card) {  // 8.0
  card.compute_major = 8, card.compute_minor = 0;
  card.shared_per_sm = 164 * kKiB, card.shared_per_block_optin = 163 * kKiB;
  card.threads_per_sm = 2048, card.ctas_per_sm = 32;
  card.tensor = {.chunk_k16 = 8, .fraction_bits = 24, .evidence = "verified by recording"};
  return card;
}

constexpr Profile ada(Profile card) {  // 8.9
  card.compute_major = 8, card.compute_minor = 9;
  card.shared_per_sm = 100 * kKiB, card.shared_per_block_optin = 99 * kKiB;
  card.threads_per_sm = 1536, card.ctas_per_sm = 24;
  card.tensor = {.chunk_k16 = 8, .fraction_bits = 24, .evidence = "verified by recording"};
  return card;
}

constexpr Profile hopper(Profile card, std::string_view evidence) {  // 9.0
  card.compute_major = 9, card.compute_minor = 0;
  card.shared_per_sm = 228 * kKiB, card.shared_per_block_optin = 227 * kKiB;
  card.threads_per_sm = 2048, card.ctas_per_sm = 32;
  card.tensor = {.chunk_k16 = 16, .fraction_bits = 25, .evidence = evidence, .alignment_floor = 7};
  return card;
}

// What all of them share; the architecture functions set the rest.
constexpr Profile card(std::string_view name, std::string_view device_name, int sm_count,
                       int clock_mhz, int memory_clock_mhz, int memory_bus_bits,
                       uint64_t memory_mib, uint32_t l2_mib) {
  return {.name = name,
          .device_name = device_name,
          .compute_major = 0,
          .compute_minor = 0,
          .sm_count = sm_count,
          .clock_khz = clock_mhz * 1000,
          .memory_clock_khz = memory_clock_mhz * 1000,
          .memory_bus_bits = memory_bus_bits,
          .memory_bytes = memory_mib * kMiB,
          .l2_bytes = static_cast<uint32_t>(l2_mib * kMiB),
          .shared_per_sm = 0,
          .shared_per_block = 48 * kKiB,
          .shared_per_block_optin = 0,
          .shared_reserved_per_block = 1 * kKiB,
          .registers_per_sm = 65536,
          .registers_per_block = 65536,
          .threads_per_sm = 0,
          .threads_per_block = 1024,
          .ctas_per_sm = 0,
          .tensor = {}};
}

constexpr Profile kProfiles[] = {
    // Turing whitepaper WP-09183, T4 datasheet: 40 SMs, 1,590 MHz boost, 16 GB GDDR6 at 10 Gbit/s.
    turing(card("t4", "Tesla T4", 40, 1590, 5001, 256, 15360, 4)),
    // A100 whitepaper: 108 SMs, 1,410 MHz boost, 40 GB HBM2 at 2.4 Gbit/s, L2 40 MB.
    ampere(card("a100", "NVIDIA A100-SXM4-40GB", 108, 1410, 1215, 5120, 40960, 40)),
    // AD107 laptop part: 24 SMs, 2,370 MHz boost, 8 GB GDDR6 at 16 Gbit/s, L2 32 MB.
    ada(card("rtx4060-laptop", "NVIDIA GeForce RTX 4060 Laptop GPU", 24, 2370, 8001, 128, 8188,
             32)),
    // Ada whitepaper: 128 SMs, 2,520 MHz boost, 24 GB GDDR6X at 21 Gbit/s, L2 72 MB.
    ada(card("rtx4090", "NVIDIA GeForce RTX 4090", 128, 2520, 10501, 384, 24564, 72)),
    // L4 datasheet, Ada whitepaper (AD104): 58 SMs, 2,040 MHz boost, 24 GB GDDR6, L2 48 MB.
    ada(card("l4", "NVIDIA L4", 58, 2040, 6251, 192, 23034, 48)),
    // H100 whitepaper (SXM5): 132 SMs, 1,980 MHz maximum, 80 GB HBM3, L2 50 MB.
    hopper(card("h100", "NVIDIA H100 80GB HBM3", 132, 1980, 2619, 5120, 81559, 50),
           "verified by recording"),
    // As an H200's runtime reports it, 60 MB of L2 and a bus of 6,016 bits (4.8 TB/s) included.
    hopper(card("h200", "NVIDIA H200", 132, 1980, 3201, 6016, 143771, 60), "verified on the H200"),
};

}  // namespace

std::span<const Profile> all_profiles() { return kProfiles; }

uint32_t unified_l1_bytes(const Profile& profile) {
  switch (profile.compute()) {
    case 75:
      return 96 * kKiB;
    case 80:
      return 192 * kKiB;
    case 90:
      return 256 * kKiB;
    default:
      return 128 * kKiB;  // 8.9
  }
}

uint32_t effective_l2_bytes(const Profile& profile) {
  return profile.compute() == 80 || profile.compute() == 90 ? profile.l2_bytes / 2
                                                            : profile.l2_bytes;
}

}  // namespace tcd::emu
