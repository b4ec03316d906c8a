// Runs a fuzz target without libFuzzer: the kept corpus as it is, then a fixed number of mutations
// of it. The inputs run in a child process, so that whatever ends it (a signal, a sanitizer, too
// much time or memory) is told with the input that did it, which is a function of seed and number.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/mutations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr int kExitUsage = 2, kExitMemory = 77;

struct Options {
  bool text = false;
  uint64_t runs = 0, seed = 1;
  long milliseconds = 10000;  // of CPU time, for one input
  long megabytes = 512;       // that the whole run may grow by
  std::vector<fs::path> paths;
};

struct Input {
  std::string name, bytes;
};

[[noreturn]] void usage(const std::string& why) {
  std::fprintf(
      stderr,
      "%s\nusage: [--text] [--runs N] [--seed N] [--seconds N] [--megabytes N] FILE|FOLDER "
      "…\n"
      "  runs every file as it is, then N mutations; --text: by lines and words\n",
      why.c_str());
  std::exit(kExitUsage);
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    usage("'" + std::string(text) + "' is no number");
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] {
      if (++i == argc) usage(std::string(word) + " needs a number");
      return number(argv[i]);
    };
    if (word == "--text") {
      options.text = true;
    } else if (word == "--runs") {
      options.runs = value();
    } else if (word == "--seed") {
      options.seed = value();
    } else if (word == "--milliseconds") {
      options.milliseconds = static_cast<long>(value());
    } else if (word == "--megabytes") {
      options.megabytes = static_cast<long>(value());
    } else if (word.starts_with("--")) {
      usage("no option " + std::string(word));
    } else {
      options.paths.emplace_back(word);
    }
  }
  return options;
}

// Sorted, so that numbers name the same inputs on every machine. What a corpus folder says about
// itself is no input.
std::vector<Input> read_inputs(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::exists(path)) usage("no such file or folder: " + path.string());
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const size_t first = files.size();
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const fs::path suffix = entry.path().extension();
      if (entry.is_regular_file() && suffix != ".md" && suffix != ".cu") files.push_back(entry);
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  std::vector<Input> inputs;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) usage("cannot read " + file.string());
    inputs.push_back({file.string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  if (inputs.empty()) usage("no inputs: name the corpus");
  return inputs;
}

// Numbers below inputs.size() are the corpus itself.
Input input_of(const std::vector<Input>& inputs, const Options& options, uint64_t index) {
  if (index < inputs.size()) return inputs[index];
  tcd::fuzz::Random random(options.seed * 0x10001 + index);
  const Input& from = inputs[random.below(inputs.size())];
  const Input& other = inputs[random.below(inputs.size())];
  return {"a mutation of " + from.name,
          options.text ? tcd::fuzz::mutate_text(from.bytes, other.bytes, random)
                       : tcd::fuzz::mutate_bytes(from.bytes, random)};
}

long peak_kilobytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

void limit_time(long milliseconds) {  // a signal that nobody handles when it is used up; 0: none
  const itimerval timer{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

int run_all(const std::vector<Input>& inputs, const Options& options,
            std::atomic<uint64_t>& current) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const long before = peak_kilobytes();
  const uint64_t count = inputs.size() + options.runs;
  for (uint64_t index = 0; index < count; ++index) {
    current = index;
    const Input input = input_of(inputs, options, index);
    limit_time(options.milliseconds);
    // A copy of exactly this size on the heap, so that a sanitizer sees the first byte beyond.
    const std::vector<uint8_t> bytes(input.bytes.begin(), input.bytes.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    if (peak_kilobytes() - before > options.megabytes * 1024) return kExitMemory;
  }
  limit_time(0);
  return 0;
}

std::string what_ended_it(int status, const Options& options) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGPROF)
      return "took more than " + std::to_string(options.milliseconds) + " ms of CPU time";
    return "ended with signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  if (WEXITSTATUS(status) == kExitMemory) {
    return "took the run over " + std::to_string(options.megabytes) + " MiB";
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Input> inputs = read_inputs(options.paths);
  void* page = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) usage("no memory to share with the child");
  auto& current = *new (page) std::atomic<uint64_t>(0);
  std::printf("%zu inputs of the corpus, %llu mutations, seed %llu\n", inputs.size(),
              static_cast<unsigned long long>(options.runs),
              static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) usage("cannot start a process");
  if (child == 0) std::exit(run_all(inputs, options, current));  // exit(): leaks are looked for
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    std::printf("all read or refused\n");
    return 0;
  }
  const Input culprit = input_of(inputs, options, current);
  const std::string file = fs::path(argv[0]).filename().string() + ".find";
  std::ofstream(file, std::ios::binary) << culprit.bytes;
  std::printf("input %llu (%s, %zu bytes) %s\nit is in %s; again: %s %s\n",
              static_cast<unsigned long long>(current.load()), culprit.name.c_str(),
              culprit.bytes.size(), what_ended_it(status, options).c_str(),
              fs::absolute(file).c_str(), argv[0], fs::absolute(file).c_str());
  return 1;
}
