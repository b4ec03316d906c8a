#include "exercises/manifest.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "counters/counter_table.h"

namespace tcd::exercises {
namespace {

using nlohmann::json;

void allow_only(const json& object, std::initializer_list<const char*> keys, const char* where) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string text = "unknown key \"" + key + "\" in " + where + "; known:";
    for (const char* known : keys) text += std::string(" ") + known;
    throw ManifestError(text);
  }
}

std::string known_counter(const std::string& name) {
  if (emu::find_counter(name) == nullptr) {
    throw ManifestError("there is no counter \"" + name +
                        "\"; the names are in common/emulator/counters/counter_table.cpp");
  }
  return name;
}

CounterBar read_bar(const json& from) {
  allow_only(from, {"counter", "per", "at_most", "at_least", "why"}, "a counter bar");
  CounterBar bar;
  bar.counter = known_counter(from.at("counter"));
  if (from.contains("per")) bar.per = known_counter(from.at("per"));
  if (from.contains("at_most")) bar.at_most = from.at("at_most").get<double>();
  if (from.contains("at_least")) bar.at_least = from.at("at_least").get<double>();
  bar.why = from.at("why");
  if (!bar.at_most && !bar.at_least) {
    throw ManifestError("the bar of " + bar.counter + " has neither at_most nor at_least");
  }
  return bar;
}

PtxRule read_rule(const json& from) {
  allow_only(from, {"required", "forbidden", "why"}, "a PTX rule");
  if (from.contains("required") == from.contains("forbidden")) {
    throw ManifestError("a PTX rule needs either required or forbidden");
  }
  const bool required = from.contains("required");
  return {from.at(required ? "required" : "forbidden"), required, from.at("why")};
}

GemmSetup read_gemm(const json& from) {
  allow_only(
      from,
      {"order_b", "tile", "warps", "dynamic_shared_bytes", "shapes", "any_shape", "bias_relu"},
      "gemm");
  GemmSetup gemm;
  const std::string order = from.at("order_b");
  if (order != "row" && order != "column") {
    throw ManifestError("order_b is \"" + order + "\"; it must be \"row\" or \"column\"");
  }
  gemm.order_b = order == "row" ? Order::kRowMajor : Order::kColumnMajor;
  gemm.tile = from.at("tile").get<std::array<int, 3>>();
  const auto warps = from.at("warps").get<std::array<int, 2>>();
  gemm.warps_m = warps[0];
  gemm.warps_n = warps[1];
  gemm.dynamic_shared_bytes = from.at("dynamic_shared_bytes");
  gemm.shapes = from.at("shapes").get<std::vector<std::array<int, 3>>>();
  gemm.any_shape = from.value("any_shape", false);
  gemm.bias_relu = from.value("bias_relu", false);
  if (gemm.shapes.empty()) throw ManifestError("gemm needs at least one shape");
  const std::array<int, 3> steps = gemm.any_shape ? std::array<int, 3>{1, 1, 1} : gemm.tile;
  for (const auto& shape : gemm.shapes) {
    for (size_t i = 0; i < 3; ++i) {
      if (shape[i] > 0 && steps[i] > 0 && shape[i] % steps[i] == 0) continue;
      throw ManifestError("a shape is no multiple of the tile: " + std::to_string(shape[i]) + ", " +
                          std::to_string(steps[i]));
    }
  }
  return gemm;
}

OrderSetup read_orders(const json& from) {
  allow_only(from, {"up_to", "cases"}, "orders");
  OrderSetup orders;
  orders.up_to = from.at("up_to");
  if (orders.up_to < 1) throw ManifestError("orders.up_to is below 1: no grid would be tried");
  for (const json& part : from.at("cases")) {
    allow_only(part, {"name", "m", "n", "k", "resident", "l2_mib", "at_most_mb", "why"}, "a case");
    const OrderCase order = {part.at("name"),       part.at("m"),        part.at("n"),
                             part.at("k"),          part.at("resident"), part.at("l2_mib"),
                             part.at("at_most_mb"), part.at("why")};
    if (order.m < 1 || order.m % kOrderTile != 0 || order.n < 1 || order.n % kOrderTile != 0 ||
        order.k < 1 || order.k % kOrderTileK != 0 || order.resident < 1 || order.l2_mib < 1) {
      throw ManifestError("case " + order.name + " has a size that is no multiple of " +
                          std::to_string(kOrderTile) + "×" + std::to_string(kOrderTile) + "×" +
                          std::to_string(kOrderTileK) + ", or no CTA or no L2");
    }
    orders.cases.push_back(order);
  }
  return orders;
}

MmaBar read_mma_bar(const json& from) {
  allow_only(from, {"in_a_row", "apart", "why"}, "mma");
  return {from.at("in_a_row"), from.at("apart"), from.at("why")};
}

Manifest from_json(const json& from) {
  // The keys in the second line are read by ./day check, in Python.
  allow_only(from,
             {"kind", "kernel", "mma_k", "gemm", "orders", "steps", "ptx", "counters", "shown",
              "shared_bytes", "mma", "title", "day", "minutes", "hole_lines", "registers",
              "spill_bytes", "closed_book", "sass"},
             "exercise.json");
  Manifest manifest;
  const std::string kind = from.at("kind");
  manifest.kernel = from.at("kernel");
  if (kind == "fragment-map") {
    manifest.kind = Kind::kFragmentMap;
    manifest.mma_k = from.at("mma_k");
  } else if (kind == "gemm") {
    manifest.kind = Kind::kGemm;
    manifest.gemm = read_gemm(from.at("gemm"));
  } else if (kind == "tile-order") {
    manifest.kind = Kind::kTileOrder;
    manifest.orders = read_orders(from.at("orders"));
  } else if (kind == "issue-rate") {
    manifest.kind = Kind::kIssueRate;
    manifest.steps = from.at("steps");
    if (manifest.steps < 1) throw ManifestError("steps is below 1: nothing would be issued");
  } else {
    throw ManifestError("kind is \"" + kind +
                        "\"; there are fragment-map, gemm, tile-order and issue-rate");
  }
  for (const json& rule : from.value("ptx", json::array())) {
    manifest.ptx.push_back(read_rule(rule));
  }
  for (const json& bar : from.value("counters", json::array())) {
    manifest.counters.push_back(read_bar(bar));
  }
  for (const json& name : from.value("shown", json::array())) {
    manifest.shown.push_back(known_counter(name));
  }
  if (from.contains("shared_bytes")) manifest.shared_bytes = from.at("shared_bytes");
  if (from.contains("mma")) manifest.mma = read_mma_bar(from.at("mma"));
  return manifest;
}

}  // namespace

Manifest read_manifest(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ManifestError("cannot read " + path);
  try {
    return from_json(json::parse(file));
  } catch (const json::exception& error) {
    throw ManifestError(path + ": " + error.what());
  } catch (const ManifestError& error) {
    throw ManifestError(path + ": " + error.what());
  }
}

}  // namespace tcd::exercises
