// The cubin reader against what `ptxas -v` printed when the same file was compiled.
#include "fatbin/cubin.h"

#include <cstdlib>
#include <sstream>

#include "fatbin/selection.h"
#include "test_data.h"

using namespace tcd::emu::fatbin;

namespace {

struct Printed {
  uint32_t registers = 0, frame_bytes = 0, shared_bytes = 0;
};

// The text between two marks; "" when the line has them not.
std::string between(const std::string& line, const std::string& left, const std::string& right) {
  const size_t start = line.find(left);
  if (start == std::string::npos) return "";
  const size_t end = line.find(right, start + left.size());
  if (end == std::string::npos) return "";
  return line.substr(start + left.size(), end - start - left.size());
}

// Stores the number that stands before `unit`, if the line has one.
void read_number(const std::string& line, const std::string& unit, uint32_t& number) {
  const size_t at = line.find(unit);
  if (at == std::string::npos || at == 0) return;
  const size_t start = line.find_last_not_of("0123456789", at - 1) + 1;
  number = static_cast<uint32_t>(std::strtoul(line.c_str() + start, nullptr, 10));
}

// (sm, kernel) → what ptxas printed.
std::map<std::pair<int, std::string>, Printed> read_ptxas_lines() {
  const auto bytes = read_data("default.ptxas");
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::map<std::pair<int, std::string>, Printed> all;
  Printed* current = nullptr;
  for (std::string line; std::getline(in, line);) {
    const std::string name = between(line, "Compiling entry function '", "'");
    if (!name.empty()) current = &all[{std::stoi(between(line, "for 'sm_", "'")), name}];
    if (current == nullptr) continue;
    read_number(line, " bytes stack frame", current->frame_bytes);
    read_number(line, " registers", current->registers);
    read_number(line, " bytes smem", current->shared_bytes);
  }
  return all;
}

}  // namespace

TEST_CASE("registers, frame and shared memory are those ptxas printed, on five architectures") {
  const auto printed = read_ptxas_lines();
  REQUIRE(printed.size() == 5 * 4);
  const auto bytes = read_data("default.fatbin");
  const auto entries = parse_containers(bytes);
  for (const auto& [key, expected] : printed) {
    CAPTURE(key.first);
    CAPTURE(key.second);
    const Selection selection = select(entries, key.first);
    const auto kernels = read_cubin(selection.elf->payload());
    const auto kernel = kernels.find(key.second);
    REQUIRE(kernel != kernels.end());
    CHECK(kernel->second.registers == expected.registers);
    CHECK(kernel->second.frame_bytes == expected.frame_bytes);
    CHECK(kernel->second.static_shared_bytes == expected.shared_bytes);
    CHECK(kernel->second.user_constant_bytes == 16);
    const bool bounded = key.second.find("with_spills") != std::string::npos;
    CHECK(kernel->second.max_threads == (bounded ? 1024u : 0u));
  }
}

TEST_CASE("control: the kernels do differ, so equal figures mean something") {
  const auto bytes = read_data("default.fatbin");
  const auto kernels = read_cubin(select(parse_containers(bytes), 89).elf->payload());
  const auto& plain = kernels.at("_Z5plainPKfPf");
  const auto& frame = kernels.at("_Z10with_framePd");
  const auto& spills = kernels.at("_Z11with_spillsPf");
  CHECK(plain.frame_bytes == 0);
  CHECK(frame.frame_bytes >= 512);
  CHECK(spills.frame_bytes > 0);
  CHECK(spills.registers == 64);
  CHECK(plain.registers < spills.registers);
}

TEST_CASE("an ELF file of another machine, or cut off, is refused") {
  const auto bytes = read_data("default.fatbin");
  auto elf = select(parse_containers(bytes), 89).elf->payload();
  CHECK_THROWS_AS(read_cubin({elf.data(), 40}), FatbinError);
  CHECK_THROWS_AS(read_cubin({elf.data(), elf.size() / 2}), FatbinError);
  elf[18] = std::byte{62};  // x86-64
  CHECK_THROWS_WITH_AS(read_cubin(elf), doctest::Contains("not a 64-bit CUDA one"), FatbinError);
  elf[0] = std::byte{0};
  CHECK_THROWS_AS(read_cubin(elf), FatbinError);
}
