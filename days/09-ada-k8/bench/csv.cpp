#include "bench/csv.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/usage.h"

namespace day::bench {

namespace {

constexpr const char* kHeader =
    "tile,mma,acc,epilogue,layout,stages,group,m,n,k,registers,spill_bytes,shared_bytes,ctas_per_"
    "sm,"
    "passed,ldmatrix,ldmatrix_bank_conflicts,hmma,cp_async_wavefronts,dram_model_bytes,median_ms,"
    "tflops,sm_clock_mhz,refused,reference_ms,device,driver,cuda,date\n";

// 0 stands for "not counted" or "not timed" in memory, and for nothing in the file.
template <typename Number>
std::string cell(Number value) {
  return value == 0 ? "" : std::to_string(value);
}

std::string join(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& text : cells) line += text + ",";
  return line;
}

std::string to_csv(const Row& row) {
  const bool ran = row.refused.empty();
  const auto& spills = row.resources.spill_bytes;
  const std::vector<std::string> cells = {
      std::to_string(row.resources.registers),
      spills ? std::to_string(*spills) : "",
      std::to_string(row.resources.dynamic_shared_bytes),
      std::to_string(row.resources.ctas_per_sm),
      ran ? (row.passed ? "yes" : "no") : "",
      cell(row.ldmatrix),
      row.hmma > 0 ? std::to_string(row.ldmatrix_conflicts) : "",
      cell(row.hmma),
      cell(row.copy_wavefronts),
      cell(row.dram_model_bytes),
      cell(row.median_ms),
      cell(row.tflops),
      cell(row.clock_mhz)};
  return Csv::key(row) + join(cells) + (ran ? "" : "\"" + row.refused + "\"") + "," +
         cell(row.reference_ms) + ",";
}

constexpr int kKeyColumns = 10;

// The first columns of a line, each with its comma.
std::string key_of_line(const std::string& line) {
  size_t end = 0;
  for (int column = 0; column < kKeyColumns; ++column) {
    end = line.find(',', end);
    if (end == std::string::npos) return "";
    ++end;
  }
  return line.substr(0, end);
}

}  // namespace

std::string Csv::key(const Row& row) {
  const Configuration& configuration = row.configuration;
  const Instance& instance = *configuration.instance;
  return join({std::to_string(instance.tile), instance.mma == Mma::kK8 ? "k8" : "k16",
               instance.accumulator == Accumulator::kF32 ? "f32" : "f16",
               instance.epilogue == Epilogue::kNone ? "none" : "bias_relu",
               std::to_string(configuration.layout), std::to_string(configuration.stages),
               std::to_string(configuration.group), std::to_string(row.size.m),
               std::to_string(row.size.n), std::to_string(row.size.k)});
}

Csv::Csv(std::string path, bool resume, std::string provenance)
    : path_(std::move(path)), provenance_(std::move(provenance)) {
  if (path_.empty()) return;
  std::error_code ignored;
  existed_ = std::filesystem::exists(path_, ignored);
  if (resume && existed_) read_rows();
  file_ = std::fopen(path_.c_str(), "a");
  if (file_ == nullptr) fail(errno);
}

// A row that a killed run left unfinished is cut off.
void Csv::read_rows() {
  std::ifstream in(path_);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (text.empty()) return;
  if (!text.starts_with(kHeader)) {
    throw tcd::harness::UsageError("--resume: " + path_ +
                                   " has other columns than this bench writes; name another file");
  }
  text.resize(text.rfind('\n') + 1);
  std::error_code error;
  std::filesystem::resize_file(path_, text.size(), error);
  if (error) fail(error.value());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) present_.insert(key_of_line(line));
  begun_ = true;
}

Csv::~Csv() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!begun_ && !existed_) std::remove(path_.c_str());
}

void Csv::add(const Row& row) {
  if (file_ == nullptr) return;
  if (!std::exchange(begun_, true)) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path_, ignored) && ftruncate(fileno(file_), 0) != 0) {
      fail(errno);
    }
    write(kHeader);
  }
  write(to_csv(row) + provenance_ + "\n");
}

void Csv::write(const std::string& text) {
  if (std::fputs(text.c_str(), file_) < 0 || std::fflush(file_) != 0) fail(errno);
}

void Csv::fail(int error) const {
  throw tcd::harness::UsageError("--csv " + path_ + " cannot be written: " + std::strerror(error));
}

}  // namespace day::bench
