#include "fatbin/container.h"

#include <algorithm>

#include "test_data.h"

using namespace tcd::emu::fatbin;

namespace {

const Entry* find(const std::vector<Entry>& entries, Entry::Kind kind, int sm) {
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [&](const Entry& e) { return e.kind == kind && e.sm == sm; });
  return it == entries.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("every architecture's PTX and machine code comes out of nvcc's container") {
  const auto bytes = read_data("default.fatbin");
  const auto entries = parse_containers(bytes);
  CHECK(entries.size() == 10);
  for (const int sm : {75, 80, 86, 89, 90}) {
    CAPTURE(sm);
    const Entry* ptx = find(entries, Entry::Kind::kPtx, sm);
    REQUIRE(ptx != nullptr);
    CHECK(ptx->text().find(".target sm_" + std::to_string(sm)) != std::string::npos);
    CHECK(ptx->text().find('\0') == std::string::npos);
    const Entry* elf = find(entries, Entry::Kind::kElf, sm);
    REQUIRE(elf != nullptr);
    const auto image = elf->payload();
    CHECK(image.size() == elf->plain_bytes);
    CHECK(static_cast<char>(image.at(1)) == 'E');
  }
}

TEST_CASE("ZSTD, LZ4 and plain containers hold the same PTX") {
  const auto plain = read_data("plain.fatbin");
  const std::string text = find(parse_containers(plain), Entry::Kind::kPtx, 80)->text();
  CHECK(text.find(".visible .entry") != std::string::npos);
  CHECK(find(parse_containers(plain), Entry::Kind::kPtx, 80)->compression == Compression::kNone);

  const auto zstd = read_data("default.fatbin");
  const auto zstd_entries = parse_containers(zstd);
  CHECK(find(zstd_entries, Entry::Kind::kPtx, 80)->text() == text);

  for (const auto& [name, method] : {std::pair{"speed.fatbin", Compression::kLz4},
                                     std::pair{"size.fatbin", Compression::kZstd}}) {
    if (!have_data(name)) {
      MESSAGE("not made by this toolkit: ", name);
      continue;
    }
    const auto bytes = read_data(name);
    const auto entries = parse_containers(bytes);
    CHECK(find(entries, Entry::Kind::kPtx, 80)->compression == method);
    CHECK(find(entries, Entry::Kind::kPtx, 80)->text() == text);
  }
}

TEST_CASE("containers that follow each other are all read, padding between them skipped") {
  auto bytes = read_data("plain.fatbin");
  const auto second = read_data("default.fatbin");
  const size_t first_entries = parse_containers(bytes).size();
  bytes.resize(bytes.size() + 8);
  bytes.insert(bytes.end(), second.begin(), second.end());
  CHECK(parse_containers(bytes).size() == first_entries + 10);
  bytes.resize(bytes.size() - second.size());
  bytes.insert(bytes.end(), 16, std::byte{7});  // control: what follows is no container
  CHECK_THROWS_AS(parse_containers(bytes), FatbinError);
}

TEST_CASE("a wrapper leads to its container; a wrong one is refused") {
  const auto bytes = read_data("default.fatbin");
  struct {
    uint32_t magic = kWrapperMagic, version = 1;
    const void* data = nullptr;
    const void* more = nullptr;
  } wrapper;
  wrapper.data = bytes.data();
  CHECK(parse_wrapper(&wrapper).size() == 10);

  CHECK_THROWS_AS(parse_wrapper(nullptr), FatbinError);
  wrapper.magic = 0x12345678;
  CHECK_THROWS_WITH_AS(parse_wrapper(&wrapper), doctest::Contains("0x12345678"), FatbinError);
  wrapper.magic = kWrapperMagic;
  wrapper.data = nullptr;
  CHECK_THROWS_AS(parse_wrapper(&wrapper), FatbinError);
}

TEST_CASE("the wrapper of a linked program leads to the containers that were linked") {
  const auto whole = read_data("plain.fatbin"), part = read_data("default.fatbin");
  const void* list[] = {part.data(), whole.data(), nullptr};
  struct {
    uint32_t magic = kWrapperMagic, version = 2;
    const void* data = nullptr;
    const void* const* more = nullptr;
  } wrapper;
  wrapper.data = whole.data();
  wrapper.more = list;
  const auto linked = parse_linked(&wrapper);
  REQUIRE(linked.size() == 2);
  CHECK(linked[0].size() == 10);
  CHECK(linked[1].size() == 2);
  CHECK(parse_wrapper(&wrapper).size() == 2);
  wrapper.version = 1;  // then the last field means something else
  CHECK(parse_linked(&wrapper).empty());
  const std::vector<std::byte> wrong(64, std::byte{7});
  list[1] = wrong.data();
  wrapper.version = 2;
  CHECK_THROWS_AS(parse_linked(&wrapper), FatbinError);
}

TEST_CASE("a container cut off anywhere is refused, never half read") {
  const auto bytes = read_data("plain.fatbin");
  for (size_t length = 1; length < bytes.size(); length += length < 400 ? 1 : 97) {
    CAPTURE(length);
    CHECK_THROWS_AS(parse_containers({bytes.data(), length}), FatbinError);
  }
  CHECK(parse_containers({bytes.data(), bytes.size()}).size() == 2);
}

TEST_CASE("a payload that lies about its size is refused") {
  const auto bytes = read_data("default.fatbin");
  Entry entry = *find(parse_containers(bytes), Entry::Kind::kPtx, 80);
  const uint64_t right = entry.plain_bytes;
  for (const uint64_t wrong : {uint64_t{0}, right - 1, right + 1, uint64_t{1} << 40}) {
    entry.plain_bytes = wrong;
    CHECK_THROWS_AS(entry.payload(), FatbinError);
  }
  entry.plain_bytes = right;
  CHECK(entry.payload().size() == right);
  entry.compression = Compression::kLz4;
  CHECK_THROWS_AS(entry.payload(), FatbinError);
}
