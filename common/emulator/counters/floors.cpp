#include "counters/floors.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "counters/global_sectors.h"

namespace tcd::emu {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

// "m16n8k16"; false: another word.
bool read_shape(std::string_view word, int (&mnk)[3]) {
  const char* at = word.data();
  const char* const end = at + word.size();
  for (int i = 0; i < 3; ++i) {
    if (at == end || *at != "mnk"[i]) return false;
    const auto [next, error] = std::from_chars(at + 1, end, mnk[i]);
    if (error != std::errc{}) return false;
    at = next;
  }
  return at == end;
}

TensorType type_of(std::string_view d, std::string_view a) {
  if (a == "f16") return d == "f16" ? TensorType::kF16F16 : TensorType::kF16F32;
  if (a == "bf16") return TensorType::kBf16;
  if (a == "tf32") return TensorType::kTf32;
  if (a == "f64") return TensorType::kF64;
  if (a == "e4m3" || a == "e5m2") return d == "f16" ? TensorType::kFp8F16 : TensorType::kFp8F32;
  if (a == "s8" || a == "u8") return TensorType::kInt8;
  if (a == "s4" || a == "u4") return TensorType::kInt4;
  return TensorType::kCount;
}

Floor tensor_floor(const Profile& profile, uint32_t sms, const LaunchDetail& detail) {
  Floor floor{.resource = "tensor cores", .unit = "FLOP", .source = {}};
  std::set<std::string_view> sources;
  for (const auto& [shape, count] : detail.tensor) {
    const TensorWork one = tensor_work(shape);
    const Rate rate = tensor_rate(profile, one.type, one.small);
    floor.work += one.flop * static_cast<double>(count);
    if (rate.per_clock == 0) {
      floor.is_known = false;
      floor.source = "no rate is known here for " + shape;
      return floor;
    }
    floor.cycles += one.flop * static_cast<double>(count) / (rate.per_clock * sms);
    sources.insert(rate.source);
  }
  for (const std::string_view source : sources) {
    floor.source += (floor.source.empty() ? "" : " and ") + std::string(source);
  }
  return floor;
}

Floor shared_floor(const Profile& profile, uint32_t sms, const LaunchCounters& counters) {
  const Rate rate = shared_rate(profile);
  Floor floor{
      .resource = "shared memory", .unit = "wavefronts", .source = std::string(rate.source)};
  for (const MemoryTotals& t : counters.memory) floor.work += static_cast<double>(t.wavefronts);
  floor.cycles = floor.work / (rate.per_clock * sms);
  return floor;
}

Floor traffic_floor(const char* resource, const Rate& rate, uint64_t sectors, bool is_modelled) {
  Floor floor{.resource = resource, .unit = "bytes", .source = std::string(rate.source)};
  floor.work = static_cast<double>(sectors * kSectorBytes);
  floor.is_known = is_modelled && rate.per_clock != 0;
  if (!is_modelled) {
    floor.source = "there is no cache model of this launch";
  } else if (rate.per_clock == 0) {
    floor.source = "no rate is known here";
  } else {
    floor.cycles = floor.work / rate.per_clock;
  }
  return floor;
}

}  // namespace

TensorWork tensor_work(std::string_view shape) {
  const std::vector<std::string_view> words = split(shape);
  int mnk[3] = {};
  size_t at = 0;
  while (at < words.size() && !read_shape(words[at], mnk)) ++at;
  if (at == words.size()) return {};
  TensorWork work;
  work.flop = 2.0 * mnk[0] * mnk[1] * mnk[2];
  const std::span<const std::string_view> types(words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                                words.end());
  // d, a, b, c; wmma on halves leaves a and b out.
  if (types.size() >= 4) work.type = type_of(types[0], types[1]);
  if (types.size() == 2) work.type = type_of(types[0], "f16");
  work.small = (work.type <= TensorType::kBf16 && mnk[2] == 8) ||
               (work.type == TensorType::kInt8 && mnk[0] == 8);
  return work;
}

const Floor* Floors::binds() const {
  const Floor* most = nullptr;
  for (const Floor& f : resources) {
    if (f.is_known && f.cycles > (most != nullptr ? most->cycles : 0)) most = &f;
  }
  return most;
}

Floors floors_of(const Profile& profile, uint64_t ctas, const LaunchCounters& counters,
                 const LaunchDetail& detail) {
  Floors floors;
  floors.sms =
      static_cast<uint32_t>(std::clamp<uint64_t>(ctas, 1, static_cast<uint64_t>(profile.sm_count)));
  const CacheTraffic& t = detail.caches;
  floors.resources = {
      tensor_floor(profile, floors.sms, detail), shared_floor(profile, floors.sms, counters),
      traffic_floor("L2", l2_rate(profile), t.l2(), detail.has_caches),
      traffic_floor("DRAM", dram_rate(profile), t.dram_reads + t.dram_writes, detail.has_caches)};
  return floors;
}

}  // namespace tcd::emu
