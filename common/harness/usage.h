// Sizes given on the command line: what is allowed, said to people.
#pragma once

#include <stdexcept>
#include <string>

namespace tcd::harness {

// The user asked for something that cannot be: exit code 2, the message, nothing run.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parses `text` as the size given for `option` ("--n"): an integer in [multiple, 65536] and a
// multiple of `multiple`, which is the size of `of`. Throws UsageError saying what was wrong and
// the nearest allowed values.
int parse_size(const std::string& option, const std::string& text, int multiple,
               const std::string& of = "the tile");

}  // namespace tcd::harness
