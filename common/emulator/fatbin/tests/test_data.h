#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tcd::emu::fatbin {

inline bool have_data(const std::string& name) { return std::filesystem::exists(TEST_DATA + name); }

inline std::vector<std::byte> read_data(const std::string& name) {
  std::ifstream in(TEST_DATA + name, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), "cannot open ", TEST_DATA, name);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

}  // namespace tcd::emu::fatbin
