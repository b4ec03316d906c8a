#include "fatbin/selection.h"

#include "test_data.h"

using namespace tcd::emu::fatbin;

namespace {

Entry ptx(int sm) {
  Entry entry;
  entry.kind = Entry::Kind::kPtx;
  entry.sm = sm;
  return entry;
}
Entry elf(int sm) {
  Entry entry = ptx(sm);
  entry.kind = Entry::Kind::kElf;
  return entry;
}

}  // namespace

TEST_CASE("the highest architecture that runs is taken, with its own PTX") {
  const std::vector<Entry> all = {ptx(75), elf(75), ptx(80), elf(80), ptx(90), elf(90)};
  for (const auto& [device, sm] : {std::pair{75, 75}, {80, 80}, {86, 80}, {89, 80}, {90, 90}}) {
    CAPTURE(device);
    const Selection s = select(all, device);
    REQUIRE(s.ptx != nullptr);
    CHECK(s.ptx->sm == sm);
    CHECK(s.elf->sm == sm);
    CHECK_FALSE(s.elf_is_approximate);
    CHECK(s.note == "");
  }
}

TEST_CASE("machine code of another major architecture does not count; PTX is compiled instead") {
  const std::vector<Entry> turing = {ptx(75), elf(75), ptx(80)};
  const Selection s = select(turing, 89);
  REQUIRE(s.ptx != nullptr);
  CHECK(s.ptx->sm == 80);
  CHECK(s.elf->sm == 75);  // register counts of the nearest architecture below
  CHECK(s.elf_is_approximate);
}

TEST_CASE("machine code is preferred to newer PTX; if its PTX is missing, that is said") {
  const std::vector<Entry> split = {ptx(80), elf(86)};
  const Selection s = select(split, 89);
  REQUIRE(s.ptx != nullptr);
  CHECK(s.ptx->sm == 80);
  CHECK(s.elf->sm == 86);
  CHECK(s.note.find("sm_86") != std::string::npos);
}

TEST_CASE("nothing that runs: the message names what is there and what to type") {
  for (const auto& [entries, device] : {std::pair{std::vector<Entry>{elf(89)}, 89},
                                        {std::vector<Entry>{ptx(80), elf(80)}, 75},
                                        {std::vector<Entry>{}, 80}}) {
    const Selection s = select(entries, device);
    CHECK(s.ptx == nullptr);
    CHECK(s.problem.find("-gencode arch=compute_" + std::to_string(device)) != std::string::npos);
  }
  const std::vector<Entry> only_elf = {elf(89)};
  CHECK(select(only_elf, 89).problem.find("there is none") != std::string::npos);
}

TEST_CASE("nvcc's code=sm_80 alone is such a case") {
  const auto bytes = read_data("sass_only.fatbin");
  const auto entries = parse_containers(bytes);
  CHECK_FALSE(entries.empty());
  CHECK(select(entries, 80).ptx == nullptr);
}
