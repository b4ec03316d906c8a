// Random tiles through every tensor core instruction, on the device and in the emulator's library
// side by side, bits compared. On a card:
//
//   LD_LIBRARY_PATH=/usr/local/cuda/lib64 compare_on_card --json h200.json
//
// Without one, the emulated device answers: that compares its decoding of each instruction with the
// library. Exit code 1: bits differ.
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cuda_error.h"
#include "harness/device_info.h"
#include "harness/output_file.h"
#include "harness/provenance.h"
#include "harness/usage.h"
#include "tensor/mma_kernels.h"
#include "tensor/tests/card/card_kernels.h"
#include "tensor/tests/card/compare.h"

namespace {

using namespace tcd::emu;
using card::Cell, card::Kind, card::TileOp;
using tcd::harness::check, tcd::harness::UsageError;

constexpr int kBatch = 1024;

struct Options {
  int64_t tiles = 98304;
  uint64_t seed = 1;
  int threads = 0;
  std::string only, profile, json, differences;
  bool flip = false;
};

// One thread's share of the device.
class Lane {
 public:
  Lane() {
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    check(cudaMallocHost(&host_in_, kInBytes), "cudaMallocHost");
    check(cudaMallocHost(&host_out_, kOutBytes), "cudaMallocHost");
    check(cudaMalloc(&in_, kInBytes), "cudaMalloc");
    check(cudaMalloc(&out_, kOutBytes), "cudaMalloc");
  }
  ~Lane() {
    cudaFree(in_);
    cudaFree(out_);
    cudaFreeHost(host_in_);
    cudaFreeHost(host_out_);
    cudaStreamDestroy(stream_);
  }
  Lane(const Lane&) = delete;

  Row* inputs() { return static_cast<Row*>(host_in_); }
  Row* outputs() { return static_cast<Row*>(host_out_); }
  void run(int number, const TileOp& op, int tiles) {
    const size_t in = sizeof(Row) * size_t(op.inputs()) * size_t(tiles);
    const size_t out = sizeof(Row) * size_t(op.d) * size_t(tiles);
    check(cudaMemcpyAsync(in_, host_in_, in, cudaMemcpyHostToDevice, stream_), "copy to the card");
    if (!card::launch_tiles(number, static_cast<uint32_t*>(in_), static_cast<uint32_t*>(out_),
                            tiles, stream_)) {
      throw UsageError("the toolkit that built this program cannot compile " + op.name());
    }
    check(cudaGetLastError(), op.name().c_str());
    check(cudaMemcpyAsync(host_out_, out_, out, cudaMemcpyDeviceToHost, stream_),
          "copy from the card");
    check(cudaStreamSynchronize(stream_), op.name().c_str());
  }

 private:
  static constexpr size_t kInBytes = sizeof(Row) * kBatch * card::kMostInputs;
  static constexpr size_t kOutBytes = sizeof(Row) * kBatch * card::kMostOutputs;
  cudaStream_t stream_ = nullptr;
  void *host_in_ = nullptr, *host_out_ = nullptr, *in_ = nullptr, *out_ = nullptr;
};

struct Task {
  size_t cell;
  int64_t first;
  int tiles;
};

class Comparison {
 public:
  Comparison(const Options& options, const TensorNumerics& chip, int compute)
      : options_(options), chip_(chip) {
    for (size_t i = 0; i < card::tile_ops().size(); ++i) {
      const TileOp& op = card::tile_ops()[i];
      if (op.since > compute || op.name().find(options.only) == std::string::npos) continue;
      // The same number of tiles for all, however many kinds.
      const int64_t each = options.tiles * (op.is_integer() ? 3 : 1);
      for (Kind kind : card::kinds_of(op)) {
        for (int64_t at = 0; at < each; at += kBatch) {
          tasks_.push_back({cells_.size(), at, int(std::min<int64_t>(kBatch, each - at))});
        }
        Cell cell;
        cell.op = int(i);
        cell.kind = kind;
        cells_.push_back(cell);
      }
    }
  }

  void run() {
    unsigned count = options_.threads > 0 ? unsigned(options_.threads)
                                          : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& t : threads) t.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  std::vector<Cell>& cells() { return cells_; }
  int64_t controls() const { return controls_; }
  int64_t controls_found() const { return controls_found_; }

 private:
  void work() try {
    Lane lane;
    for (size_t next; (next = next_task_++) < tasks_.size();) one(lane, tasks_[next]);
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_task_ = tasks_.size();
  }

  void one(Lane& lane, const Task& task) {
    const int number = cells_[task.cell].op;
    const Kind kind = cells_[task.cell].kind;
    const TileOp& op = card::tile_ops()[size_t(number)];
    for (int i = 0; i < task.tiles; ++i) {
      card::random_tile(op, kind, options_.seed, uint64_t(task.first + i), chip_,
                        lane.inputs() + i * op.inputs());
    }
    lane.run(number, op, task.tiles);
    if (options_.flip) lane.outputs()[0].lane[5] ^= 1u << 9;
    Cell batch;
    for (int i = 0; i < task.tiles; ++i) {
      const Row* rows = lane.inputs() + i * op.inputs();
      Row answer[card::kMostOutputs];
      op.emulate(chip_, rows, rows + op.a, rows + op.a + op.b, answer);
      card::compare_tile(op, kind, task.first + i, rows, lane.outputs() + i * op.d, answer, batch);
    }
    if (task.first == 0) {
      const int kept = std::min(task.tiles, card::kDigestTiles);
      for (int i = 0; i < kept; ++i) {
        batch.digest = card::digest(batch.digest, lane.outputs() + i * op.d, op.d);
      }
      control(lane, op, kind);
    }
    std::lock_guard lock(mutex_);
    Cell& cell = cells_[task.cell];
    cell.tiles += batch.tiles;
    cell.differ += batch.differ;
    if (task.first == 0) cell.digest = batch.digest;
    for (std::string& line : batch.lines) {
      if (cell.lines.size() < card::kKeptLines) cell.lines.push_back(std::move(line));
    }
  }

  // The comparison itself: one bit of the card's first tile flipped must be one difference.
  void control(Lane& lane, const TileOp& op, Kind kind) {
    Row flipped[card::kMostOutputs];
    std::copy(lane.outputs(), lane.outputs() + op.d, flipped);
    const size_t n = cells_.size() + size_t(op.a);
    flipped[n % size_t(op.d)].lane[(n * 7 + size_t(kind)) % kLanes] ^= 1u << (n * 5 % 32);
    Cell cell;
    card::compare_tile(op, kind, 0, lane.inputs(), lane.outputs(), flipped, cell);
    ++controls_;
    controls_found_ += cell.differ == 1 && cell.lines.size() == 1;
  }

  const Options& options_;
  const TensorNumerics chip_;
  std::vector<Cell> cells_;
  std::vector<Task> tasks_;
  std::atomic<size_t> next_task_ = 0;
  std::atomic<int64_t> controls_ = 0, controls_found_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

const Profile& profile_for(const Options& options, const tcd::harness::DeviceInfo& device) {
  const std::string& asked = options.profile.empty() ? device.profile : options.profile;
  if (!asked.empty()) {
    const Profile* named = find_profile(asked);
    if (named == nullptr) throw UsageError(unknown_profile_message(asked));
    return *named;
  }
  for (const Profile& p : all_profiles()) {
    if (p.device_name == device.properties.name) return p;
  }
  throw UsageError("no profile is of a " + std::string(device.properties.name) +
                   ": name one to compare it with, e.g. --profile h200");
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// One JSON entry an instruction; returns the number of elements that differ.
int64_t report(const std::vector<Cell>& cells, nlohmann::json& ops, std::string& differences) {
  int64_t differ = 0;
  for (size_t i = 0; i < cells.size();) {
    const TileOp& op = card::tile_ops()[size_t(cells[i].op)];
    nlohmann::json entry = {{"op", op.name()}, {"digests", nlohmann::json::object()}};
    int64_t tiles = 0, wrong = 0;
    for (const int same = cells[i].op; i < cells.size() && cells[i].op == same; ++i) {
      const Cell& c = cells[i];
      const std::string kind(name_of(c.kind));
      tiles += c.tiles;
      wrong += c.differ;
      entry["digests"][kind] = hex(c.digest);
      if (c.differ != 0) {
        std::printf("%-44s %-10s %9lld tiles, %lld elements differ; first: %s\n", op.name().c_str(),
                    kind.c_str(), static_cast<long long>(c.tiles), static_cast<long long>(c.differ),
                    c.lines.front().c_str());
      }
      for (const std::string& line : c.lines) differences += line + "\n";
    }
    std::printf("%-44s %9lld tiles, %lld elements differ\n", op.name().c_str(),
                static_cast<long long>(tiles), static_cast<long long>(wrong));
    entry["tiles"] = tiles;
    entry["elements"] = tiles * op.d * kLanes * (op.d_format == card::Format::kF16 ? 2 : 1);
    entry["differ"] = wrong;
    ops.push_back(entry);
    differ += wrong;
  }
  return differ;
}

// What decides the outcome; where files went does not.
std::string command_of(const Options& options) {
  std::string command = "compare_on_card --tiles " + std::to_string(options.tiles);
  if (options.seed != 1) command += " --seed " + std::to_string(options.seed);
  if (!options.only.empty()) command += " --only " + options.only;
  if (!options.profile.empty()) command += " --profile " + options.profile;
  return options.flip ? command + " --flip" : command;
}

// One line an instruction.
std::string text_of(nlohmann::json out) {
  const nlohmann::json ops = out["ops"];
  out.erase("ops");
  std::string text = out.dump(1);
  text.erase(text.size() - 2);  // "\n}"
  text += ",\n \"ops\": [";
  for (const auto& op : ops) text += (&op == &ops.front() ? "\n  " : ",\n  ") + op.dump();
  return text + "\n ]\n}\n";
}

int run(const Options& options) {
  tcd::harness::OutputFile json_file("--json", options.json);
  tcd::harness::OutputFile differences_file("--differences", options.differences);
  const tcd::harness::DeviceInfo device = tcd::harness::query_device();
  const Profile& profile = profile_for(options, device);
  std::printf("%s, compared with profile %s (%s)\n", device.description().c_str(),
              std::string(profile.name).c_str(), mma_kernels().isa);
  Comparison comparison(options, profile.tensor, device.compute);
  if (comparison.cells().empty()) {
    throw UsageError("no instruction has \"" + options.only + "\" in its name on this device");
  }
  comparison.run();
  nlohmann::json ops = nlohmann::json::array();
  std::string differences = "op,kind,tile,row,column,a,b,c,card,emulator\n";
  const int64_t differ = report(comparison.cells(), ops, differences);
  int64_t tiles = 0, elements = 0;
  for (const auto& op : ops) {
    tiles += op["tiles"].get<int64_t>();
    elements += op["elements"].get<int64_t>();
  }
  const bool controlled = comparison.controls_found() == comparison.controls();
  nlohmann::json out = {{"schema", "tcd-tiles/1"},
                        {"provenance", tcd::harness::provenance(device, command_of(options))},
                        {"profile", profile.name},
                        {"isa", mma_kernels().isa},
                        {"seed", options.seed},
                        {"digest_tiles", card::kDigestTiles},
                        {"tiles", tiles},
                        {"elements", elements},
                        {"differ", differ},
                        {"controls", comparison.controls()},
                        {"controls_found", comparison.controls_found()},
                        {"ops", ops}};
  json_file.write(text_of(out));
  differences_file.write(differences);
  std::printf("control: one flipped bit was found in %lld of %lld tries\n",
              static_cast<long long>(comparison.controls_found()),
              static_cast<long long>(comparison.controls()));
  std::printf("%s: %lld tiles, %lld elements, %lld differ\n",
              differ == 0 && controlled ? "passed" : "FAILED", static_cast<long long>(tiles),
              static_cast<long long>(elements), static_cast<long long>(differ));
  return differ == 0 && controlled ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Random tiles through every tensor core instruction: the device against the library"};
  app.add_option("--tiles", options.tiles,
                 "for each instruction and kind; integers have three times "
                 "as many for each of their four kinds")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--only", options.only, "instructions whose name holds this, e.g. m16n8k8.f32");
  app.add_option("--profile", options.profile, "compare with this one; else the device's own");
  app.add_option("--json", options.json, "the outcome, with provenance and digests");
  app.add_option("--differences", options.differences, "the first differences, with their inputs");
  app.add_flag("--flip", options.flip,
               "flip a bit of the device's answers: must end in exit code 1");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return tcd::harness::check_stdout(run(options));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare_on_card: %s\n", error.what());
    return 2;
  }
}
