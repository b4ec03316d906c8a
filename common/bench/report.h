// The figures of one size: a table, JSON entries, CSV rows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/roof.h"
#include "harness/session.h"

namespace tcd::bench {

// What the others are a share of. Null where there is none.
struct Yardsticks {
  double roof_flop_per_clock = 0;         // of the whole card; 0: not measured
  const Measurement* cublas = nullptr;    // the fastest of its candidates
  const Measurement* peer = nullptr;      // likewise
  const Measurement* baseline = nullptr;  // whose cost the others are compared with; may be null
};
Yardsticks yardsticks(const std::vector<Measurement>& measurements, const std::string& baseline,
                      double roof_flop_per_clock);

void show(harness::Session& session, const std::vector<Measurement>& measurements,
          const Yardsticks& sticks);
nlohmann::json to_json(const Measurement& measurement, const Yardsticks& sticks, const Size& size);

std::string csv_head();
// With the provenance in each row: a row that is cut out still says where it is from.
std::string csv_row(const nlohmann::json& entry, const nlohmann::json& provenance);

}  // namespace tcd::bench
