// The names the machine itself defines (PTX ISA chapter 10).
#pragma once

#include <string_view>

namespace tcd::emu::ptx {

// `name` with its leading % and without a suffix: "%tid", not "%tid.x".
bool is_special_register(std::string_view name);

}  // namespace tcd::emu::ptx
