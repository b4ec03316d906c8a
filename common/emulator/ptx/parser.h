// PTX text → Module. Never crashes on bad input: every complaint is a ParseError with the line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

class ParseError : public std::runtime_error {
 public:
  ParseError(int line, const std::string& what)
      : std::runtime_error("PTX line " + std::to_string(line) + ": " + what), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

// Parses a whole module (PTX ISA 9.0 syntax, chapters 4, 5 and 11). Throws ParseError.
Module parse(std::string_view text);

}  // namespace tcd::emu::ptx
