// cuBLAS as the second oracle: bit for bit on exact inputs, its agreement on random ones, and a
// shape for which it is no oracle at all.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/random_run.h"
#include "gates/half.h"
#include "harness/cublas.h"

namespace day::bench {

namespace {

using tcd::harness::Cublas;
using tcd::harness::Session;

// One output tile and a deep K: a library gives each CTA a part of K and adds the parts afterwards.
constexpr Size kSkinny = {128, 128, 65536};
constexpr Size kHalfOfIt = {kSkinny.m / 2, kSkinny.n, kSkinny.k};  // its upper rows alone
constexpr int kRepeats = 20;

// Of the elements of x, which may be the beginning of y.
int64_t differing(const std::vector<uint16_t>& x, const std::vector<uint16_t>& y) {
  int64_t count = 0;
  for (size_t i = 0; i < x.size(); ++i) count += x[i] != y[i];
  return count;
}

// FP16 patterns in the order of their values, so that neighbours differ by one.
int ordered(uint16_t bits) { return (bits & 0x8000) != 0 ? -(bits & 0x7FFF) : bits; }

int largest_step(const std::vector<uint16_t>& x, const std::vector<uint16_t>& y) {
  int largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(ordered(x[i]) - ordered(y[i])));
  }
  return largest;
}

void gate_equal(Session& session, const std::string& name, const std::vector<uint16_t>& ours,
                const std::vector<uint16_t>& theirs) {
  const int64_t count = differing(ours, theirs);
  const auto compared = static_cast<int64_t>(ours.size());
  if (count == 0) {
    session.gate(tcd::GateResult::pass(name, compared));
  } else {
    session.gate(
        tcd::GateResult::fail(name, compared, {tcd::with_separators(count) + " elements differ"}));
  }
}

struct Repeats {
  size_t distinct = 0;  // results among kRepeats runs
  int64_t wrong = 0;    // elements of the last that are not the exact ones
};

Repeats repeat(const RandomRun& run, const Cublas& cublas, const std::vector<uint16_t>& right) {
  Repeats found;
  std::set<std::vector<uint16_t>> results;
  for (int i = 0; i < kRepeats; ++i) {
    auto d = run.run([&](const auto& gemm) { cublas.gemm(gemm); });
    found.wrong = differing(d, right);
    results.insert(std::move(d));
  }
  found.distinct = results.size();
  return found;
}

// On exact inputs every order of summation gives the same bits, if the sums are kept in FP32. Parts
// of a split K that are rounded to FP16 before they are added do not.
void show_split_k(Session& session, const Configuration& configuration, Cublas& cublas) {
  session.section("cuBLAS on a skinny shape, " + kSkinny.text());
  const RandomRun exact = RandomRun::exact(kSkinny, session.seed());
  const RandomRun random(kSkinny, session.seed());
  const auto ours = [&](const auto& gemm) { launch(configuration, gemm); };
  const auto right = exact.run(ours), ours_random = random.run(ours);
  const RandomRun upper_rows(kHalfOfIt, session.seed());  // the same numbers, without the rest
  const auto theirs = [&](const auto& gemm) { cublas.gemm(gemm); };
  nlohmann::json table;
  for (const bool reduced : {true, false}) {
    cublas.allow_reduced_precision_sums(reduced);
    const Repeats on_exact = repeat(exact, cublas, right);
    const Repeats on_random = repeat(random, cublas, ours_random);
    char line[256];
    std::snprintf(line, sizeof line,
                  "%s: exact inputs: %zu distinct result(s) in %d runs, %s elements not the exact "
                  "ones; random inputs: %zu distinct, %s elements differ from this kernel's",
                  reduced
                      ? "partial sums in FP16 allowed (cuBLAS's default)"
                      : "partial sums in FP32 (CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)",
                  on_exact.distinct, kRepeats, tcd::with_separators(on_exact.wrong).c_str(),
                  on_random.distinct, tcd::with_separators(on_random.wrong).c_str());
    session.say(line);
    const std::string mode = reduced ? "FP16 partial sums, " : "FP32 partial sums, ";
    table[mode + "distinct on exact inputs"] = on_exact.distinct;
    table[mode + "wrong on exact inputs"] = on_exact.wrong;
    table[mode + "distinct on random inputs"] = on_random.distinct;
    table[mode + "different on random inputs"] = on_random.wrong;
    // Another M, another way to cut K: the same sum of the same numbers, in another order.
    const int64_t moved = differing(upper_rows.run(theirs), random.run(theirs));
    session.say("  its upper 64 rows computed alone: " + tcd::with_separators(moved) + " of " +
                tcd::with_separators(int64_t{kHalfOfIt.m} * kHalfOfIt.n) +
                " elements differ from the same rows computed among 128");
    session.derive("cuBLAS, the upper half of the rows alone, " + mode + kHalfOfIt.text(),
                   {{"elements", int64_t{kHalfOfIt.m} * kHalfOfIt.n}, {"different", moved}});
  }
  session.derive("cuBLAS on a skinny shape", table);
  cublas.allow_reduced_precision_sums(false);
  gate_equal(session, "cuBLAS " + kSkinny.text() + ", exact inputs, FP32 partial sums", right,
             exact.run([&](const auto& gemm) { cublas.gemm(gemm); }));
  // This kernel adds in one order, whatever the machine does.
  gate_equal(session, "this kernel " + kSkinny.text() + ", random inputs, run again", ours_random,
             random.run(ours));
}

}  // namespace

void check_cublas(Session& session, const Configuration& configuration, const Size& size) {
  if (session.emulated()) {
    session.not_run("cuBLAS", "the emulated device has none; needs a card");
    return;
  }
  if (configuration.instance->accumulator == Accumulator::kF16 ||
      configuration.instance->epilogue != Epilogue::kNone) {
    session.not_run("cuBLAS", "compared with --acc f32 and without --bias-relu only");
    return;
  }
  std::string why;
  const auto cublas = Cublas::open(why);
  if (!cublas) {
    session.not_run("cuBLAS", why);
    return;
  }
  cublas->allow_reduced_precision_sums(false);
  session.section("Against cuBLAS " + std::to_string(cublas->version()) + ", " + size.text());
  const auto ours = [&](const auto& gemm) { launch(configuration, gemm); };
  const auto theirs = [&](const auto& gemm) { cublas->gemm(gemm); };
  {
    const RandomRun exact = RandomRun::exact(size, session.seed());
    const auto d = exact.run(ours);
    gate_equal(session, "cuBLAS " + size.text() + ", exact inputs", d, exact.run(theirs));
  }
  const RandomRun random(size, session.seed());
  const auto d = random.run(ours), library = random.run(theirs);
  const int64_t count = differing(d, library);
  session.say("random inputs: " + tcd::with_separators(count) + " of " +
              tcd::with_separators(static_cast<int64_t>(d.size())) +
              " elements differ, by at most " + std::to_string(largest_step(d, library)) +
              " unit(s) in the last place");
  session.derive("cuBLAS on random inputs",
                 {{"size", size.text()}, {"elements", d.size()}, {"different", count}});
  show_split_k(session, configuration, *cublas);
}

}  // namespace day::bench
