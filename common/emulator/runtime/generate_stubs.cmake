# cmake -DNAMES=exported_names_13.txt -DOUTPUT=stubs.cpp -P generate_stubs.cmake
#
# One weak function for every name NVIDIA's library exports: the linker keeps ours where we wrote
# one. X_ptsz and X_ptds, the variants for per-thread default streams, jump to X: all streams are
# alike here.
file(STRINGS ${NAMES} names REGEX "^[A-Za-z_]")
set(text "// Generated from the list of exported names by generate_stubs.cmake.
#include \"runtime/not_supported.h\"

#define STUB(name) \\
  extern \"C\" __attribute__((weak, visibility(\"default\"))) int name() { \\
    return tcd_not_supported(#name); \\
  }
#define SAME(name, target) \\
  __asm__(\".globl \" #name \"\\n.type \" #name \", @function\\n\" #name \": jmp \" #target \"@PLT\\n\");

")
foreach(name IN LISTS names)
  if(name MATCHES "^(.*)_pt[sd][zs]$")
    string(APPEND text "SAME(${name}, ${CMAKE_MATCH_1})\n")
  else()
    string(APPEND text "STUB(${name})\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
