// The library against what cards answered: the digests that compare_on_card wrote there, and single
// elements in which a rule shows. Needs no card.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/tests/card/compare.h"

namespace {

using namespace tcd::emu;
using card::Kind, card::TileOp;

constexpr const char* kFolder = "common/emulator/tensor/tests/card/recorded/";

const TileOp* find_op(const std::string& name) {
  for (const TileOp& op : card::tile_ops()) {
    if (op.name() == name) return &op;
  }
  return nullptr;
}

std::string digest_of(const TileOp& op, Kind kind, uint64_t seed, int tiles,
                      const TensorNumerics& inputs_by, const TensorNumerics& chip) {
  uint64_t digest = card::kDigestStart;
  for (int i = 0; i < tiles; ++i) {
    Row rows[card::kMostInputs], d[card::kMostOutputs];
    card::random_tile(op, kind, seed, uint64_t(i), inputs_by, rows);
    op.emulate(chip, rows, rows + op.a, rows + op.a + op.b, d);
    digest = card::digest(digest, d, op.d);
  }
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

// Cells of a recording that the library does not reproduce.
std::vector<std::string> unequal(const nlohmann::json& recording, const TensorNumerics& inputs_by,
                                 const TensorNumerics& chip) {
  std::vector<std::string> out;
  for (const auto& entry : recording.at("ops")) {
    const TileOp* op = find_op(entry.at("op"));
    REQUIRE(op != nullptr);
    for (Kind kind : card::kinds_of(*op)) {
      const std::string name(card::name_of(kind));
      const std::string digest =
          digest_of(*op, kind, recording.at("seed"), recording.at("digest_tiles"), inputs_by, chip);
      if (digest != entry.at("digests").at(name)) out.push_back(op->name() + ", " + name);
    }
  }
  return out;
}

nlohmann::json read(const std::filesystem::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return nlohmann::json::parse(in);
}

}  // namespace

TEST_CASE("every instruction and kind of tile as the cards answered") {
  int recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().extension() != ".json") continue;
    const nlohmann::json recording = read(file.path());
    const Profile* profile = find_profile(std::string(recording.at("profile")));
    REQUIRE(profile != nullptr);
    const std::vector<std::string> wrong = unequal(recording, profile->tensor, profile->tensor);
    INFO(file.path().string() << ": " << wrong.size() << " differ, first: "
                              << (wrong.empty() ? std::string() : wrong.front()));
    CHECK(wrong.empty());
    CHECK(recording.at("differ") == 0);
    CHECK(recording.at("controls_found") == recording.at("controls"));
    ++recordings;
  }
  CHECK(recordings >= 1);
}

TEST_CASE("the H200's recording has a million tiles of each instruction there is") {
  const nlohmann::json recording = read(std::string(kFolder) + "h200.json");
  CHECK(recording.at("provenance").at("kind") == "measured");
  CHECK(recording.at("ops").size() == card::tile_ops().size());
  for (const auto& op : recording.at("ops")) CHECK(op.at("tiles") >= 1000000);
}

TEST_CASE("control: a chip with another F, or chunks of 8, does not reproduce the recording") {
  const nlohmann::json recording = read(std::string(kFolder) + "h200.json");
  const TensorNumerics h200 = find_profile("h200")->tensor;
  TensorNumerics other_f = h200, other_chunk = h200;
  other_f.fraction_bits = 24;
  other_chunk.chunk_k16 = 8;
  CHECK(unequal(recording, h200, other_f).size() > 100);
  CHECK(unequal(recording, h200, other_chunk).size() > 100);
}

TEST_CASE("single elements in which a rule shows") {
  std::ifstream in(std::string(kFolder) + "h200-elements.csv");
  REQUIRE(in);
  const TensorNumerics h200 = find_profile("h200")->tensor;
  TensorNumerics no_floor = h200;
  no_floor.alignment_floor = 1000;
  std::map<std::string, int> rows_of, without;
  std::string rule, line;
  while (std::getline(in, line)) {
    if (line.starts_with("# rule: ")) rule = line.substr(8);
    if (line.starts_with("#")) continue;
    std::vector<std::string> field;
    std::istringstream fields(line);
    for (std::string one; std::getline(fields, one, ',');) field.push_back(one);
    REQUIRE(field.size() == 5);
    const TileOp* op = find_op(field[0]);
    REQUIRE(op != nullptr);
    // Row 0 of A and column 0 of B, the rest zero: lanes 0 to 3 of every second register of A.
    Row a[4] = {}, b[2] = {}, c[4] = {}, d[4], e[4];
    std::istringstream words_a(field[1]), words_b(field[2]);
    words_a >> std::hex;
    words_b >> std::hex;
    for (int word = 0; word < 4 * op->b; ++word) {
      words_a >> a[word / 4 * (op->a / op->b)].lane[word % 4];
      words_b >> b[word / 4].lane[word % 4];
    }
    REQUIRE(!words_a.fail());
    REQUIRE(!words_b.fail());
    c[0].lane[0] = uint32_t(std::stoul(field[3], nullptr, 16));
    op->emulate(h200, a, b, c, d);
    op->emulate(no_floor, a, b, c, e);
    const uint32_t mask = op->d_format == card::Format::kF16 ? 0xffff : ~0u;
    INFO(rule << ": " << line);
    CHECK((d[0].lane[0] & mask) == std::stoul(field[4], nullptr, 16));
    ++rows_of[rule];
    without[rule] += ((d[0].lane[0] ^ e[0].lane[0]) & mask) != 0;
  }
  const std::string floor =
      "the exponent terms are aligned to is at least the least normal one minus 7";
  CHECK(rows_of.size() == 2);
  CHECK(rows_of[floor] == 19);
  CHECK(without[floor] == rows_of[floor]);  // control: each shows the rule
}
