// What must be refused before a launch: each case spoils one argument of a good call.
#include <climits>
#include <functional>

#include "day.h"
#include "harness/device_buffer.h"
#include "harness/usage.h"

namespace day {

namespace {

using Arguments = GemmArguments<__half>;

struct Refusal {
  const char* what;
  std::function<void(Arguments&)> spoil;
  const char* words;  // in the message
};

std::vector<Refusal> refusals() {
  return {
      {"K = 36", [](Arguments& g) { g.k = 36; }, "K is 36, no multiple of 8"},
      {"M = 0", [](Arguments& g) { g.m = 0; }, "M is 0, it must be positive"},
      {"N = -8", [](Arguments& g) { g.n = -8; }, "N is -8, it must be positive"},
      {"M near 2³¹", [](Arguments& g) { g.m = INT_MAX; }, "overflows 32 bits"},
      {"lda = 32", [](Arguments& g) { g.lda = 32; }, "leading dimension of A is 32, less than"},
      {"lda = 44", [](Arguments& g) { g.lda = 44; }, "leading dimension of A is 44, no multiple"},
      {"ldb = 44", [](Arguments& g) { g.ldb = 44; }, "leading dimension of B is 44, no multiple"},
      {"ldd = 20", [](Arguments& g) { g.ldd = 20; }, "leading dimension of D is 20, less than"},
      {"A null", [](Arguments& g) { g.a = nullptr; }, "A is a null pointer"},
      {"B null", [](Arguments& g) { g.b = nullptr; }, "B is a null pointer"},
      {"D null", [](Arguments& g) { g.d = nullptr; }, "D is a null pointer"},
      {"no bias", [](Arguments& g) { g.bias = nullptr; }, "bias is a null pointer"},
      {"A off by 2 bytes", [](Arguments& g) { g.a += 1; }, "A does not start on a 16-byte"},
      {"B off by 8 bytes", [](Arguments& g) { g.b += 4; }, "B does not start on a 16-byte"},
      {"group 0", [](Arguments& g) { g.group = 0; }, "group is 0, it must be positive"},
      {"too many tiles", [](Arguments& g) { g.m = g.n = g.ldd = INT_MAX - 128; },
       "more than 32 bits can number"},
  };
}

}  // namespace

// `variant` adds a bias, so that a missing one can be refused.
tcd::GateResult gate_refusals(const tcd::GemmVariant& variant) {
  const tcd::harness::DeviceBuffer<__half> inputs(std::vector<__half>(64 * 64)), d(64 * 64);
  const tcd::harness::DeviceBuffer<float> bias(std::vector<float>(64));  // read by the good call
  const Arguments good = {24, 24,       40, inputs.data(), 40, inputs.data(),
                          40, d.data(), 24, bias.data(),   1};
  std::vector<std::string> wrong;
  const auto cases = refusals();
  for (const Refusal& refusal : cases) {
    Arguments bad = good;
    refusal.spoil(bad);
    std::string said = "nothing";
    try {
      variant.launch(bad);
    } catch (const tcd::harness::UsageError& error) {
      said = error.what();
    }
    if (said.find(refusal.words) == std::string::npos) {
      wrong.push_back(std::string(refusal.what) + ": expected \"" + refusal.words +
                      "\", said: " + said);
    }
  }
  variant.launch(good);  // and the good call is not refused
  tcd::harness::check_launch("the good call");
  const auto checked = static_cast<int64_t>(cases.size());
  const std::string name = "refusals";
  if (!wrong.empty()) return tcd::GateResult::fail(name, checked, std::move(wrong));
  return tcd::GateResult::pass(
      name, checked,
      "passed (" + std::to_string(checked) + " bad calls refused, each by its name)");
}

}  // namespace day
