// Modules of a program built with -rdc=true, joined into one.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

class LinkError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A definition takes the place of declarations in other modules; of weak definitions the first one
// stays; a local name that another module has too gets a suffix. What no module defines remains a
// declaration: whether it is needed shows when a kernel that uses it is decoded. Throws LinkError
// when two modules define one visible name.
Module link(std::vector<Module> modules);

}  // namespace tcd::emu::ptx
