#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace tcd::bench {

namespace {

Measurement timed(const Candidate& candidate, const std::vector<double>& milliseconds) {
  Measurement measurement;
  measurement.candidate = &candidate;
  measurement.flop = 2e9;
  measurement.launches = 1;
  for (const double ms : milliseconds) {
    Sample sample;
    sample.ms = ms;
    sample.clock_mhz = 1000;
    measurement.samples.push_back(sample);
  }
  return measurement;
}

Candidate candidate(Kind kind, const char* name) {
  Candidate one;
  one.kind = kind;
  one.name = name;
  return one;
}

}  // namespace

TEST_CASE("medians, quartiles and rates") {
  const Candidate day = candidate(Kind::kDay, "05 x");
  const Measurement one = timed(day, {4, 1, 3, 2, 5});
  CHECK(one.median_ms() == 3);
  CHECK(one.quartile_ms(0) == 1);
  CHECK(one.quartile_ms(1) == 2);
  CHECK(one.quartile_ms(3) == 4);
  CHECK(one.quartile_ms(4) == 5);
  CHECK(one.tflops() == doctest::Approx(2e9 / 3 * 1e-9));
  // 2e9 FLOP in 3 ms, of 1,000 FLOP a clock at 1,000 MHz: two thirds of 1e12 FLOP/s.
  CHECK(one.share_of_roof(1000) == doctest::Approx(2.0 / 3));
}

TEST_CASE("a share of the roof takes each sample's own clock") {
  const Candidate day = candidate(Kind::kDay, "05 x");
  Measurement one = timed(day, {1, 2, 4});
  one.samples[1].clock_mhz = 500;  // throttled to half: the same share in twice the time
  one.samples[2].clock_mhz = 250;
  CHECK(one.share_of_roof(2000) == doctest::Approx(1.0));
}

TEST_CASE("only what holds the clock back counts as such") {
  const Candidate day = candidate(Kind::kDay, "05 x");
  Measurement one = timed(day, {1, 1, 1});
  one.samples[0].throttle_reasons = 1;  // idle
  one.samples[1].throttle_reasons = 4;  // power cap
  CHECK(one.throttled() == 1);
}

TEST_CASE("a cost is of pairs") {
  const Candidate base = candidate(Kind::kDay, "09 no epilogue");
  const Candidate fused = candidate(Kind::kDay, "09 bias + ReLU");
  // The card slows down by half: every pair still says 1 %.
  const Cost steady = cost(timed(fused, {1.01, 2.02, 4.04}), timed(base, {1, 2, 4}));
  CHECK(steady.pairs == 3);
  CHECK(steady.mean == doctest::Approx(0.01));
  CHECK(steady.upper_bound == doctest::Approx(0.01));
  // Ratios 1.00 and 1.02: mean 1 %, deviation √2 %, so the bound is 1.645 % above.
  const Cost noisy = cost(timed(fused, {1.00, 1.02}), timed(base, {1, 1}));
  CHECK(noisy.mean == doctest::Approx(0.01));
  CHECK(noisy.upper_bound == doctest::Approx(0.01 + 1.645 * std::sqrt(2) * 0.01 / std::sqrt(2)));
}

TEST_CASE("shares of the fastest library kernel") {
  const Candidate day = candidate(Kind::kDay, "05 x");
  const Candidate slow = candidate(Kind::kPeer, "peer a"), fast = candidate(Kind::kPeer, "peer b");
  const Candidate cublas = candidate(Kind::kCublas, "cuBLAS");
  const std::vector<Measurement> all = {timed(day, {2}), timed(slow, {4}), timed(fast, {1}),
                                        timed(cublas, {0.5})};
  const Yardsticks sticks = yardsticks(all, "peer a", 2000);
  REQUIRE(sticks.peer);
  CHECK(sticks.peer->candidate == &fast);
  const nlohmann::json entry = to_json(all[0], sticks, {10, 10, 10});
  CHECK(entry.at("percent_of_peer") == 50.0);
  CHECK(entry.at("percent_of_cublas") == 25.0);
  CHECK(entry.at("percent_of_roof") == 50.0);
  CHECK(entry.at("cost_percent") == -50.0);
  CHECK(entry.at("sample_ms").size() == 1);
  const nlohmann::json third = to_json(timed(day, {3}), sticks, {10, 10, 10});
  CHECK(third.at("percent_of_peer").dump() == "33.33");
}

TEST_CASE("a row of CSV has as many fields as the head, and quotes commas") {
  const Candidate day = candidate(Kind::kDay, "05 xor, \"2\" stages");
  const std::vector<Measurement> all = {timed(day, {2})};
  const nlohmann::json provenance = {{"device", "A card"}, {"command", "bench --size 256"}};
  const std::string row = csv_row(to_json(all[0], yardsticks(all, "", 0), {1, 2, 3}), provenance);
  CHECK(row.find("day,\"05 xor, \"\"2\"\" stages\",1,2,3,1,2.0,") == 0);
  CHECK(row.ends_with(",A card,,,,bench --size 256\n"));
  const auto commas = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ',');
  };
  CHECK(commas(row) == commas(csv_head()) + 1);  // the one inside quotes
}

}  // namespace tcd::bench
