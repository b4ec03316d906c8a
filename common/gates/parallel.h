// Splits a range over the machine's threads. For host work of the gates only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace tcd {

// Calls body(begin, end) on disjoint parts of [0, count), each a multiple of `grain` but the last.
// body must not throw. Small ranges run on the caller.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  const auto threads = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t blocks = (count + grain - 1) / grain;
  const std::int64_t parts = std::min(threads, blocks);
  if (parts <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  const std::int64_t step = (blocks + parts - 1) / parts * grain;
  std::vector<std::thread> workers;
  for (std::int64_t begin = step; begin < count; begin += step) {
    workers.emplace_back([&body, begin, end = std::min(count, begin + step)] { body(begin, end); });
  }
  body(std::int64_t{0}, std::min(count, step));
  for (std::thread& worker : workers) worker.join();
}

}  // namespace tcd
