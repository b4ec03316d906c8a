// The bench around Day 09's kernel.
#pragma once

#include "bench/options.h"
#include "harness/control.h"
#include "harness/session.h"

namespace day::bench {

// Parses the bench's options and runs what they ask for. Returns the exit code.
int run_bench(int argc, char** argv, const tcd::harness::DayInfo& info);

// ---- parts of it

// One configuration: an instance and its run-time knobs.
struct Configuration {
  const Instance* instance = nullptr;
  int layout = 3, stages = 3, group = 2;
  std::string text() const;  // "tile 3, k8, f32, layout 3, 3 stages, group 2"
};

// Asks for the shared memory first: until then the runtime says that no CTA fits.
tcd::harness::KernelResources resources_of(const Configuration& configuration);

template <typename Output>
void launch(const Configuration& configuration, const tcd::GemmArguments<Output>& gemm) {
  const BenchArguments arguments = {gemm.m,
                                    gemm.n,
                                    gemm.k,
                                    gemm.a,
                                    gemm.lda,
                                    gemm.b,
                                    gemm.ldb,
                                    gemm.d,
                                    gemm.ldd,
                                    gemm.bias,
                                    configuration.group,
                                    configuration.layout,
                                    configuration.stages,
                                    sizeof(Output) == sizeof(float)};
  configuration.instance->launch(arguments);
}

// One row of --csv and --json.
struct Row {
  Configuration configuration;
  Size size;
  std::string refused;  // why the device cannot hold it
  bool passed = false;
  tcd::harness::KernelResources resources;
  // Of one launch at `size`; 0 on a card.
  uint64_t ldmatrix = 0, ldmatrix_conflicts = 0, hmma = 0, copy_wavefronts = 0;
  double median_ms = 0, tflops = 0;  // 0: not timed
  int clock_mhz = 0;
  double reference_ms = 0;  // of the kernel that every batch of a sweep is timed beside
  uint64_t dram_model_bytes = 0;
};

// gates.cpp. Both record their gates in the session and return whether all passed.
bool gate_configuration(tcd::harness::Session& session, const Configuration& configuration,
                        const Size& size, Row& row, tcd::harness::Control control);
// The same on a few tiles, one line in all; counts are scaled to `row.size`.
bool gate_small(tcd::harness::Session& session, Row& row);
bool gate_unfused(tcd::harness::Session& session, const Configuration& configuration,
                  const Size& size);

// cublas_oracle.cpp: --check, on a card.
void check_cublas(tcd::harness::Session& session, const Configuration& configuration,
                  const Size& size);

// cpu_oracle.cpp: --cpu S.
void check_corner(tcd::harness::Session& session, const Configuration& configuration,
                  const Size& size, int corner, tcd::harness::Control control);

// accuracy.cpp: ‖err‖/‖ref‖ of FP16 and FP32 sums over K.
struct AccuracyPoint {
  int k = 0;
  double f16 = 0, f32 = 0;
};
struct PowerLaw {  // constant · K^exponent, by least squares on logarithms
  double constant = 0, exponent = 0;
};
std::vector<AccuracyPoint> measure_accuracy(Mma mma, uint64_t seed);
PowerLaw fit(const std::vector<AccuracyPoint>& points);
void show_accuracy(tcd::harness::Session& session, Mma mma);

// timing.cpp, on a card.
void time_configuration(tcd::harness::Session& session, const Options& options, Row& row);

// sweeps.cpp
class Csv;  // csv.h
std::vector<Row> sweep(tcd::harness::Session& session, const Options& options, Csv& csv);
std::vector<Row> group_sweep(tcd::harness::Session& session, const Options& options, Csv& csv);

// identity.cpp: busy tensor cycles, the same for everyone.
void show_identity(tcd::harness::Session& session, const Size& size, Mma mma,
                   Accumulator accumulator);

// rows.cpp
void record_rows(tcd::harness::Session& session, const std::vector<Row>& rows);

}  // namespace day::bench
