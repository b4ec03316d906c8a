// libFuzzer: any bytes become a Module or a ParseError, and every Module can be scheduled and
// printed.
// cmake -DTCD_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++ …; fuzz_ptx_parser -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "ptx/control_flow.h"
#include "ptx/parser.h"
#include "ptx/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tcd::emu::ptx;
  try {
    const Module module = parse({reinterpret_cast<const char*>(data), size});
    for (const Function& function : module.functions) {
      size_t instructions = 0;
      for (const Instruction& instruction : function.body) to_text(instruction, function);
      for (const Step& step : schedule_for_reconvergence(function).steps) {
        instructions += step.instruction >= 0;
      }
      if (instructions != function.body.size()) __builtin_trap();
    }
  } catch (const ParseError&) {
  }
  return 0;
}
