#include "counters/counter_table.h"

namespace tcd::emu {
namespace {

using C = LaunchCounters;

template <uint64_t C::*kMember>
uint64_t member(const C& c) {
  return c.*kMember;
}
template <SiteKind kKind, uint64_t MemoryTotals::*kMember>
uint64_t memory(const C& c) {
  return c.memory[static_cast<size_t>(kKind)].*kMember;
}
template <SiteKind kKind>
uint64_t conflicts(const C& c) {
  return c.memory[static_cast<size_t>(kKind)].bank_conflicts();
}
uint64_t hmma(const C& c) { return c.hmma_m16n8k8 + c.hmma_m16n8k16 + c.mma_bf16 + c.mma_tf32; }
uint64_t global_sectors_of_all(const C& c) {
  uint64_t sum = 0;
  for (const MemoryTotals& m : c.memory) sum += m.sectors;
  return sum;
}

constexpr auto kWavefronts = &MemoryTotals::wavefronts;
constexpr auto kIdeal = &MemoryTotals::ideal_wavefronts;
constexpr auto kSectors = &MemoryTotals::sectors;
constexpr auto kBytes = &MemoryTotals::bytes;
using K = SiteKind;

#define TCD_WAVEFRONTS(op) "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" op ".sum"
#define TCD_MATRIX_CONFLICTS(op) \
  "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_" op ".sum"
#define TCD_CONFLICTS(op) "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" op ".sum"

// Nsight's names as `ncu --query-metrics --chip gh100` lists them (2025.3).
constexpr Counter kTable[] = {
    // PTX instructions; ncu's smsp__inst_executed counts machine instructions.
    {"warp_instructions", "", "warp instructions executed (PTX, not machine code)",
     member<&C::warp_instructions>},
    {"hmma", "sm__inst_executed_pipe_tensor_op_hmma.sum",
     "mma.sync on 16-bit or TF32 inputs, all shapes", hmma},
    {"hmma_m16n8k8", "", "mma.sync.m16n8k8 on FP16", member<&C::hmma_m16n8k8>},
    {"hmma_m16n8k16", "", "mma.sync.m16n8k16 on FP16", member<&C::hmma_m16n8k16>},
    {"mma_bf16", "", "mma.sync on BF16", member<&C::mma_bf16>},
    {"mma_tf32", "", "mma.sync on TF32", member<&C::mma_tf32>},
    {"mma_fp8", "", "mma.sync on FP8", member<&C::mma_fp8>},
    {"mma_f64", "sm__inst_executed_pipe_tensor_op_dmma.sum", "mma.sync and wmma.mma on doubles",
     member<&C::mma_f64>},
    {"mma_integer", "sm__inst_executed_pipe_tensor_op_imma.sum", "mma.sync on 8- or 4-bit integers",
     member<&C::mma_integer>},
    {"mma_proven", "", "FP16 mma or wmma whose sums were proven exact, so taken the fast way",
     member<&C::mma_proven>},
    {"check_reports", "", "mistakes the checks reported, each source line once; never reset",
     member<&C::check_reports>},
    {"wmma", "", "wmma.mma; a card splits one into several HMMA", member<&C::wmma>},

    {"ldmatrix", "smsp__inst_executed_op_ldsm.sum", "ldmatrix executed, any width",
     member<&C::ldmatrix>},
    {"ldmatrix_wavefronts", TCD_WAVEFRONTS("ldsm"), "passes through shared memory they took",
     memory<K::kMatrixLoad, kWavefronts>},
    {"ldmatrix_ideal_wavefronts", "", "passes without any conflict: one per 8x8 matrix",
     memory<K::kMatrixLoad, kIdeal>},
    {"ldmatrix_bank_conflicts", TCD_MATRIX_CONFLICTS("ldsm"),
     "the extra passes: rows of one matrix in the same banks", conflicts<K::kMatrixLoad>},
    {"stmatrix", "smsp__sass_inst_executed_op_shared_stsm.sum", "stmatrix executed, any width",
     memory<K::kMatrixStore, &MemoryTotals::executed>},
    {"stmatrix_wavefronts", TCD_WAVEFRONTS("stsm"), "passes through shared memory they took",
     memory<K::kMatrixStore, kWavefronts>},
    {"stmatrix_bank_conflicts", TCD_MATRIX_CONFLICTS("stsm"), "the extra passes",
     conflicts<K::kMatrixStore>},

    {"shared_loads", "smsp__inst_executed_op_shared_ld.sum",
     "loads from shared memory executed; ldmatrix is not among them", member<&C::shared_loads>},
    {"shared_load_wavefronts", TCD_WAVEFRONTS("ld"), "passes through shared memory they took",
     memory<K::kSharedLoad, kWavefronts>},
    {"shared_load_ideal_wavefronts", "", "passes without any conflict",
     memory<K::kSharedLoad, kIdeal>},
    {"shared_load_bank_conflicts", TCD_CONFLICTS("ld"),
     "the extra passes: different words of one bank", conflicts<K::kSharedLoad>},
    {"shared_stores", "smsp__inst_executed_op_shared_st.sum", "stores to shared memory executed",
     member<&C::shared_stores>},
    {"shared_store_wavefronts", TCD_WAVEFRONTS("st"), "passes through shared memory they took",
     memory<K::kSharedStore, kWavefronts>},
    {"shared_store_ideal_wavefronts", "", "passes without any conflict",
     memory<K::kSharedStore, kIdeal>},
    {"shared_store_bank_conflicts", TCD_CONFLICTS("st"), "the extra passes",
     conflicts<K::kSharedStore>},

    {"async_copies", "smsp__inst_executed_op_ldgsts.sum", "cp.async executed",
     member<&C::async_copies>},
    {"cp_async_wavefronts", TCD_WAVEFRONTS("ldgsts"),
     "passes through shared memory that their writes took", memory<K::kAsyncCopy, kWavefronts>},
    {"cp_async_ideal_wavefronts", "", "passes if every pass filled 128 bytes",
     memory<K::kAsyncCopy, kIdeal>},
    {"cp_async_sectors", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
     "32-byte sectors of global memory they asked for", memory<K::kAsyncCopy, kSectors>},
    {"cp_async_bytes", "smsp__sass_data_bytes_mem_global_op_ldgsts.sum",
     "bytes they copied, zero fill not counted", memory<K::kAsyncCopy, kBytes>},

    {"global_loads", "smsp__inst_executed_op_global_ld.sum", "loads from global memory executed",
     member<&C::global_loads>},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "32-byte sectors they asked for", memory<K::kGlobalLoad, kSectors>},
    {"global_load_bytes", "smsp__sass_data_bytes_mem_global_op_ld.sum", "bytes they asked for",
     memory<K::kGlobalLoad, kBytes>},
    {"global_stores", "smsp__inst_executed_op_global_st.sum", "stores to global memory executed",
     member<&C::global_stores>},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "32-byte sectors they wrote to", memory<K::kGlobalStore, kSectors>},
    {"global_store_bytes", "smsp__sass_data_bytes_mem_global_op_st.sum", "bytes they wrote",
     memory<K::kGlobalStore, kBytes>},
    {"global_sectors", "",
     "sectors of all of these: the traffic between the SMs and L2 if L1 never hits",
     global_sectors_of_all},

    {"atomics", "", "atomic instructions executed, shared and global", member<&C::atomics>},
    {"barriers", "", "CTA barriers, one per warp that arrives", member<&C::barriers>},
};

}  // namespace

std::span<const CacheCounter> cache_counter_table() {
  using T = CacheTraffic;
  static constexpr CacheCounter kCaches[] = {
      {"l1_lookups", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       "sectors that loads asked L1 for; cp.async.ca among them", &T::l1_lookups},
      {"l1_hits", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "that were there",
       &T::l1_hits},
      {"l2_reads", "lts__t_sectors_op_read.sum", "sectors read from L2", &T::l2_reads},
      {"l2_writes", "lts__t_sectors_op_write.sum", "sectors written to L2", &T::l2_writes},
      {"l2_atomics", "lts__t_sectors_op_atom.sum", "sectors of atomics, done in L2",
       &T::l2_atomics},
      {"l2_hits", "", "of reads and atomics: sectors that L2 had", &T::l2_hits},
      {"dram_reads", "dram__sectors_read.sum", "sectors fetched from DRAM", &T::dram_reads},
      {"dram_writes", "dram__sectors_write.sum", "sectors L2 wrote to DRAM to make room",
       &T::dram_writes},
      {"l2_dirty", "", "sectors still to be written when the kernel has ended", &T::l2_dirty},
  };
  return kCaches;
}

std::span<const Counter> counter_table() { return kTable; }

const Counter* find_counter(std::string_view name) {
  for (const Counter& c : kTable) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

}  // namespace tcd::emu
