// Environment variables and start-up, seen from outside by running a program.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

namespace {

struct Outcome {
  int code = -1;
  std::string text;  // stdout and stderr
};

Outcome run_command(const std::string& command_line) {
  const std::string command = command_line + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome run(const std::string& environment, const std::string& section) {
  return run_command(environment + " " OBSERVE " " + section);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("TCD_GPU chooses the device; the default is an Ada laptop GPU") {
  CHECK(contains(run("", "attributes").text, "device attribute 16: 24\n"));
  CHECK(contains(run("TCD_GPU=a100", "attributes").text, "device attribute 16: 108\n"));
  CHECK(contains(run("TCD_GPU=t4", "attributes").text, "  ptx: 75\n"));
  CHECK(contains(run("TCD_GPU=l4", "attributes").text, "  ptx: 89\n"));
}

TEST_CASE("values that cannot be used are explained once, and every call fails") {
  const Outcome gpu = run("TCD_GPU=rtx9999", "memory");
  CHECK(gpu.code == 0);
  CHECK(count(gpu.text, "tcd: ") == 1);
  for (const char* name :
       {"rtx9999", "t4", "a100", "rtx4060-laptop", "rtx4090", "l4", "h100", "h200"}) {
    CHECK(contains(gpu.text, name));
  }
  CHECK(contains(gpu.text, "free null: cudaErrorInitializationError"));
  CHECK(contains(run("TCD_THREADS=many", "memory").text, "TCD_THREADS=many"));
  CHECK(contains(run("TCD_THREADS=-1", "memory").text, "TCD_THREADS=-1"));
  CHECK(contains(run("TCD_THREADS=1.5", "memory").text, "TCD_THREADS=1.5 is not a whole number"));
  CHECK(contains(run("TCD_TIMEOUT=soon", "memory").text, "TCD_TIMEOUT=soon"));
  const Outcome isa = run("TCD_ISA=avx3", "memory");
  CHECK(contains(isa.text, "tcd: TCD_ISA=avx3 cannot be used: this processor has sse2"));
  CHECK(contains(isa.text, "free null: cudaErrorInitializationError"));
  CHECK(contains(run("TCD_ISA=sse2 TCD_THREADS=1 TCD_TIMEOUT=30", "memory").text,
                 "free null: cudaSuccess"));  // control
}

TEST_CASE("the host's floating-point mode changes nothing on the device, and comes back") {
  for (const char* threads : {"TCD_THREADS=1", "TCD_THREADS=4"}) {
    const Outcome mode = run(threads, "float-mode");
    CHECK(mode.code == 0);  // and no signal
    CHECK(contains(mode.text, "device: 3dcccccd 3eaaaaab 00000002 7f800000\n"));
    CHECK(contains(mode.text, "the host keeps its mode: 1\n"));
  }
}

TEST_CASE("a fault is reported once, by kernel name, on stderr") {
  const Outcome fault = run("", "fault-null");
  CHECK(count(fault.text, "tcd: kernel ") == 1);
  CHECK(contains(fault.text, "store_at"));
  CHECK(contains(fault.text, "kernels.cu"));  // -lineinfo leads back to the source
  CHECK(contains(run("TCD_QUIET=1", "fault-null").text, "tcd: kernel "));
}

TEST_CASE("an executable without PTX is told what to compile with") {
  for (const char* gpu : {"a100", "rtx4090", "h100"}) {
    const Outcome outcome = run_command(std::string("TCD_GPU=") + gpu + " " MACHINE_CODE_ONLY);
    CHECK(contains(outcome.text, "launch: cudaErrorNoKernelImageForDevice"));
    CHECK(contains(outcome.text, "-gencode arch=compute_"));
    CHECK(contains(outcome.text, "malloc: cudaSuccess"));  // control
  }
}

TEST_CASE("TCD_TIMEOUT stops a grid of many CTAs that each end at once") {
  const Outcome stopped = run("TCD_THREADS=1 TCD_TIMEOUT=1e-9", "launches");
  CHECK(contains(stopped.text, "timeout: the kernel ran longer than allowed"));
  CHECK(contains(stopped.text, "cudaErrorLaunchTimeout"));
  CHECK_FALSE(contains(run("TCD_TIMEOUT=600", "launches").text, "timeout"));  // control
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they take terabytes of it
TEST_CASE("where address space is limited the device is smaller, and says so") {
  const Outcome less = run_command("(ulimit -v 4000000 && TCD_GPU=h200 " OBSERVE " memory)");
  CHECK(count(less.text, "tcd: address space is limited") == 1);
  CHECK(contains(less.text, "MiB of memory in place of 143771\n"));
  CHECK(contains(less.text, "host to device: cudaSuccess"));
  const Outcome none = run_command("(ulimit -v 200000 && " OBSERVE " memory)");
  CHECK(contains(none.text, "tcd: not even 64 MiB of address space are left"));
  CHECK(contains(none.text, "copy to null: cudaErrorMemoryAllocation"));
  CHECK_FALSE(contains(run("", "memory").text, "address space"));  // control
}
#endif

TEST_CASE("more memory than the device has is refused, with a word about it") {
  const Outcome much = run("", "memory");
  CHECK(contains(much.text, "malloc of 2^50: cudaErrorMemoryAllocation"));
  CHECK(contains(much.text, "tcd: the program asked for 1073741824 MiB; the emulated NVIDIA"));
}

TEST_CASE("TCD_QUIET=1 silences notes") {
  const std::string note = "wall time";
  CHECK(contains(run("", "streams").text, note));
  CHECK_FALSE(contains(run("TCD_QUIET=1", "streams").text, note));
}

TEST_CASE("a program that does nothing on the device starts at once") {
  double best_ms = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(run("", "").code == 2);  // prints its usage
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    best_ms = std::min(best_ms, ms.count());
  }
  MESSAGE("start and end of a process: ", best_ms, " ms");
  CHECK(best_ms < 100);  // 20 ms is the aim; sanitizers and busy machines take longer
}

TEST_CASE("TCD_REPORT writes the counters of every launch") {
  const std::string plain = run("", "launches").text;
  CHECK_FALSE(contains(plain, "launch 1: "));
  const std::string text = run("TCD_REPORT=-", "launches").text;
  CHECK(contains(text, "launch 1: "));
  CHECK(contains(text, "warp_instructions"));
  const Outcome json = run_command("file=$(mktemp -u).json; TCD_REPORT=$file " OBSERVE
                                   " launches >/dev/null; cat $file; rm $file");
  CHECK(contains(json.text, "\"schema\": \"tcd-report/2\""));
  CHECK(contains(json.text, "\"launches\": 1,"));
  const Outcome nowhere = run("TCD_REPORT=/nowhere/x.json", "launches");
  CHECK(nowhere.code == 0);
  CHECK(count(nowhere.text, "TCD_REPORT=/nowhere/x.json cannot be written: ") == 1);
}

TEST_CASE("TCD_TRACE writes what each launch's first CTA did") {
  const Outcome trace = run_command("file=$(mktemp); TCD_TRACE=$file " OBSERVE
                                    " launches >/dev/null; cat $file; rm $file");
  CHECK(trace.text.starts_with("launch,kernel,warp,step,pending,first,last,count\n"));
  const Outcome nowhere = run("TCD_TRACE=/nowhere/x.csv", "launches");
  CHECK(nowhere.code == 0);
  CHECK(count(nowhere.text, "TCD_TRACE=/nowhere/x.csv cannot be written: ") == 1);
}

TEST_CASE("the destructor of a static object may launch, also with a report") {
  for (const char* environment : {"", "TCD_REPORT=-", "TCD_REPORT=/dev/null/x.json"}) {
    const Outcome outcome = run(environment, "at-exit");
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.text, "launch at exit: at once cudaSuccess, waited for cudaSuccess\n"));
    CHECK(contains(outcome.text, "stored at exit: 7\n"));
    CHECK(contains(outcome.text, "nothing else was written: 1\n"));
  }
}
