#include "bench/days.inc"  // written by CMake: TCD_GEMM_DAYS(X), a line X(05) for each day

#include <algorithm>

#include "bench/candidate.h"
#include "harness/usage.h"

#define TCD_DECLARE(number)                   \
  namespace day##number {                     \
    std::vector<tcd::GemmVariant> variants(); \
  }
TCD_GEMM_DAYS(TCD_DECLARE)
#undef TCD_DECLARE

namespace tcd::bench {

namespace {

struct Day {
  const char* number;
  std::vector<GemmVariant> (*variants)();
};

#define TCD_LIST(number) {#number, day##number::variants},
const Day kDays[] = {TCD_GEMM_DAYS(TCD_LIST)};
#undef TCD_LIST

const Day& day_called(const std::string& number) {
  std::string all;
  for (const Day& day : kDays) {
    if (number == day.number) return day;
    all += (all.empty() ? "" : ", ") + std::string(day.number);
  }
  throw harness::UsageError("day " + number + " has no GEMM to time here; choose from: " + all);
}

void add_day(std::vector<Candidate>& candidates, const Day& day, bool every_variant) {
  for (GemmVariant& variant : day.variants()) {
    if (!every_variant && !variant.headline) continue;
    Candidate candidate;
    candidate.kind = Kind::kDay;
    candidate.name = std::string(day.number) + " " + variant.name;
    candidate.group = std::max(1, variant.group);
    candidate.launch = variant.launch;
    candidate.variant = std::move(variant);
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace

std::vector<Candidate> day_candidates(const std::vector<std::string>& days, bool every_variant) {
  std::vector<Candidate> candidates;
  if (days.empty()) {
    for (const Day& day : kDays) add_day(candidates, day, every_variant);
  }
  for (const std::string& number : days) add_day(candidates, day_called(number), every_variant);
  return candidates;
}

}  // namespace tcd::bench
