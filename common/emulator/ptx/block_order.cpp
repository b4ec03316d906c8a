#include "ptx/block_order.h"

#include <algorithm>

namespace tcd::emu::ptx {
namespace {

// A real program nests a handful of loops. Each level costs a pass over its blocks, so a hostile
// text of a hundred thousand nested loops must not get them all.
constexpr int kDeepestLoop = 64;

// A loop is a strongly connected set of blocks. Cutting the edges to its header leaves the body, in
// which the inner loops are the strongly connected sets again.
class Orderer {
 public:
  explicit Orderer(const FlowGraph& graph)
      : graph_(graph),
        region_(graph.blocks.size(), 0),
        visited_(graph.blocks.size(), 0),
        low_(graph.blocks.size(), 0),
        on_stack_(graph.blocks.size(), false) {}

  BlockOrder run() {
    if (graph_.blocks.empty()) return {};
    // Everything reachable from the entry; unreachable blocks then follow in the text's order.
    order_region(0, -1, 0);
    for (int b = 0; b < int(graph_.blocks.size()); ++b) {
      if (visited_[size_t(b)] == 0) result_.entries.push_back(b);
    }
    return std::move(result_);
  }

 private:
  struct Visit {
    int block;
    size_t next_successor;
  };

  bool is_inside(int block, int region, int cut) const {
    return region_[size_t(block)] == region && block != cut;
  }

  // Appends the blocks of `region` that `start` reaches, edges to `cut` left out. Tarjan's
  // algorithm hands out strongly connected sets last-to-first in topological order. The successor
  // that follows in the text is visited last, so it comes out right behind its predecessor.
  void order_region(int start, int cut, int depth) {
    const int region = region_[size_t(start)];
    std::vector<std::vector<int>> components;
    std::vector<Visit> path;
    std::vector<int> stack;
    const int first_number = clock_ + 1;
    enter(start, path, stack);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<int>& successors = graph_.blocks[size_t(visit.block)].successors;
      if (visit.next_successor < successors.size()) {
        const int next = successors[visit.next_successor++];
        if (!is_inside(next, region, cut)) continue;
        if (visited_[size_t(next)] < first_number) {
          enter(next, path, stack);
        } else if (on_stack_[size_t(next)]) {
          low_[size_t(visit.block)] = std::min(low_[size_t(visit.block)], visited_[size_t(next)]);
        }
        continue;
      }
      const int block = visit.block;
      path.pop_back();
      if (!path.empty()) {
        int& low = low_[size_t(path.back().block)];
        low = std::min(low, low_[size_t(block)]);
      }
      if (low_[size_t(block)] != visited_[size_t(block)]) continue;
      std::vector<int>& component = components.emplace_back();
      for (int member = -1; member != block;) {
        member = stack.back();
        stack.pop_back();
        on_stack_[size_t(member)] = false;
        component.push_back(member);
      }
    }
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
      emit(*component, depth);
    }
  }

  void enter(int block, std::vector<Visit>& path, std::vector<int>& stack) {
    visited_[size_t(block)] = low_[size_t(block)] = ++clock_;
    path.push_back({block, 0});
    stack.push_back(block);
    on_stack_[size_t(block)] = true;
  }

  // `component` ends with its header: the block by which the search entered it.
  void emit(std::vector<int>& component, int depth) {
    const int header = component.back();
    if (component.size() == 1) {
      result_.entries.push_back(header);
      return;
    }
    if (depth >= kDeepestLoop) {
      std::sort(component.begin(), component.end());
      result_.entries.insert(result_.entries.end(), component.begin(), component.end());
      return;
    }
    const int region = ++regions_;
    for (int block : component) region_[size_t(block)] = region;
    order_region(header, header, depth + 1);
    if (needs_landing(component, header)) result_.entries.push_back(-1 - header);
  }

  // With a single way back, from the last block, lanes meet at the header anyway: nobody is left
  // behind. Unless that block also goes back into an inner loop, where lanes may stay.
  bool needs_landing(const std::vector<int>& component, int header) const {
    const int region = region_[size_t(header)];
    const int last = result_.entries.back();
    for (int block : component) {
      const std::vector<int>& successors = graph_.blocks[size_t(block)].successors;
      if (std::find(successors.begin(), successors.end(), header) == successors.end()) continue;
      if (block != last) return true;
      for (int other : successors) {
        if (other != header && region_[size_t(other)] >= region) return true;
      }
    }
    return false;
  }

  const FlowGraph& graph_;
  std::vector<int> region_;   // innermost loop found so far, 0: none
  std::vector<int> visited_;  // when the search last entered the block, 0: never
  std::vector<int> low_;
  std::vector<bool> on_stack_;
  int clock_ = 0;
  int regions_ = 0;
  BlockOrder result_;
};

}  // namespace

BlockOrder order_blocks(const FlowGraph& graph) { return Orderer(graph).run(); }

}  // namespace tcd::emu::ptx
