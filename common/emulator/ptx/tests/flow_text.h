// Little helpers to write control flow as PTX text in tests.
#pragma once

#include <string>
#include <string_view>

#include "ptx/parser.h"

namespace tcd::emu::ptx {

// A module with one kernel `k` of that body; registers %r, %rd, %f, %p exist.
inline std::string kernel_text(std::string_view body) {
  return ".version 9.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
         ".reg .pred %p<100>; .reg .b32 %r<100>; .reg .b64 %rd<100>; .reg .f32 %f<100>;\n" +
         std::string(body) + "\n}\n";
}

inline Function parse_kernel(std::string_view body) {
  return parse(kernel_text(body)).functions.at(0);
}

}  // namespace tcd::emu::ptx
