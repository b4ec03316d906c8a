#include <doctest/doctest.h>

#include <string>

#include "harness/control.h"
#include "harness/usage.h"

using namespace tcd::harness;

namespace {

std::string complaint(const std::string& text, int multiple = 64) {
  try {
    parse_size("--n", text, multiple);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a size that fits is taken as it is") {
  CHECK(parse_size("--n", "64", 64) == 64);
  CHECK(parse_size("--n", "2048", 64) == 2048);
  CHECK(parse_size("--n", "65536", 64) == 65536);
}

TEST_CASE("a size that cannot be is refused with the value and what is allowed") {
  CHECK(contains(complaint("abc"), "'abc' is not a whole number"));
  CHECK(contains(complaint(""), "'' is not a whole number"));
  CHECK(contains(complaint("64x"), "'64x' is not a whole number"));
  CHECK(contains(complaint("6.4e1"), "not a whole number"));
  CHECK(contains(complaint("0"), "0 is not positive"));
  CHECK(contains(complaint("-64"), "-64 is not positive"));
  CHECK(contains(complaint("65600"), "too large"));
  CHECK(contains(complaint("99999999999999999999"), "far too large"));
  CHECK(contains(complaint("abc"), "allowed: a multiple of 64 from 64 to 65536"));
}

TEST_CASE("a size between two tiles names both") {
  CHECK(contains(complaint("100"), "nearest: 64 or 128"));
  CHECK(contains(complaint("1"), "nearest: 64"));
}

TEST_CASE("what the multiple is the size of is said") {
  CHECK(contains(complaint("100"), "not a multiple of the tile (64)"));
  CHECK_THROWS_WITH_AS(parse_size("--k", "100", 8, "a 16-byte copy"),
                       "--k 100 is not a multiple of a 16-byte copy (8); nearest: 96 or 104",
                       UsageError);
}

TEST_CASE("controls are found by name, and a wrong name lists them") {
  CHECK(parse_control("") == Control::kNone);
  CHECK(parse_control("one-bit") == Control::kOneBit);
  std::string message;
  try {
    parse_control("one-byte");
  } catch (const UsageError& error) {
    message = error.what();
  }
  CHECK(contains(message, "'one-byte'"));
  CHECK(contains(message, "swapped-fragments"));
}
