#include "ptx/tests/random_flow.h"

#include <algorithm>
#include <vector>

namespace tcd::emu::ptx {
namespace {

struct Block {
  std::string label, code;
  std::string next;  // goes there in the end; empty: the code ends by itself
};

std::string join(std::vector<Block> blocks, std::mt19937_64& random, const std::string& tables) {
  std::shuffle(blocks.begin() + 1, blocks.end(), random);
  std::string text = tables;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    text += block.label + ":\n" + block.code;
    if (block.next.empty()) continue;
    const bool is_followed = i + 1 < blocks.size() && blocks[i + 1].label == block.next;
    if (!is_followed) text += "bra " + block.next + ";\n";
  }
  return text;
}

class Structured {
 public:
  Structured(uint64_t seed, RandomFlow options) : random_(seed), options_(options) {}

  std::string generate() {
    const std::string end = new_label();
    open(new_label());
    statements(0, "", "");
    close(end);
    blocks_.push_back({end, "add.s32 %r1, %r1, 1;\nret;\n", ""});
    return join(blocks_, random_, tables_);
  }

 private:
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::string new_label() { return "L" + std::to_string(labels_++); }
  void open(const std::string& label) { current_ = {label, "", ""}; }
  void close(const std::string& next) {
    current_.next = next;
    blocks_.push_back(current_);
  }
  void work() {
    if (blocks_.size() < 60) current_.code += "add.s32 %r1, %r1, 1;\n";
  }
  void branch(const std::string& taken, const std::string& other) {
    current_.code += "@%p1 bra " + taken + ";\n";
    close(other);
  }

  void statements(int depth, const std::string& break_to, const std::string& continue_to) {
    const int count = 1 + int(random_() % 3);
    for (int i = 0; i < count; ++i) {
      work();
      if (depth >= 4 || blocks_.size() > 40) continue;
      switch (random_() % 6) {
        case 0:
          if_else(depth, break_to, continue_to, chance(50));
          break;
        case 1:
          while_loop(depth);
          break;
        case 2:
          do_while(depth);
          break;
        case 3:
          select(depth, break_to, continue_to);
          break;
        default:
          if (options_.has_jumps_out && !break_to.empty()) jump_out(break_to, continue_to);
      }
    }
    work();
  }

  void if_else(int depth, const std::string& break_to, const std::string& continue_to,
               bool has_else) {
    const std::string yes = new_label(), no = new_label(), after = new_label();
    branch(has_else ? no : after, yes);
    open(yes);
    statements(depth + 1, break_to, continue_to);
    close(after);
    if (has_else) {
      open(no);
      statements(depth + 1, break_to, continue_to);
      close(after);
    }
    open(after);
  }

  void while_loop(int depth) {
    const std::string head = new_label(), body = new_label(), after = new_label();
    close(head);
    open(head);
    work();
    branch(after, body);
    open(body);
    statements(depth + 1, after, head);  // continue goes straight back
    close(head);
    open(after);
  }

  void do_while(int depth) {
    const std::string body = new_label(), latch = new_label(), after = new_label();
    close(body);
    open(body);
    statements(depth + 1, after, latch);
    close(latch);
    open(latch);
    work();
    branch(body, after);
    open(after);
  }

  void select(int depth, const std::string& break_to, const std::string& continue_to) {
    const std::string after = new_label(), table = "T" + std::to_string(labels_++);
    std::vector<std::string> cases;
    for (int i = 0; i < 3; ++i) cases.push_back(new_label());
    tables_ += table + ": .branchtargets " + cases[0] + ", " + cases[1] + ", " + cases[2] + ", " +
               after + ";\n";
    current_.code += "brx.idx %r1, " + table + ";\n";
    close("");
    for (size_t i = 0; i < cases.size(); ++i) {
      open(cases[i]);
      statements(depth + 1, break_to, continue_to);
      close(i + 1 < cases.size() && chance(30) ? cases[i + 1] : after);  // fall into the next case
    }
    open(after);
  }

  void jump_out(const std::string& break_to, const std::string& continue_to) {
    const std::string after = new_label();
    if (chance(15)) {
      current_.code += "@%p1 exit;\n";
      close(after);
    } else {
      branch(chance(50) ? break_to : continue_to, after);
    }
    open(after);
  }

  std::mt19937_64 random_;
  RandomFlow options_;
  std::vector<Block> blocks_;
  Block current_;
  std::string tables_;
  int labels_ = 0;
};

}  // namespace

std::string random_structured_body(uint64_t seed, RandomFlow options) {
  return Structured(seed, options).generate();
}

std::string random_tangled_body(uint64_t seed) {
  std::mt19937_64 random(seed);
  const unsigned count = 2 + unsigned(random() % 12);
  const auto any = [&] { return "L" + std::to_string(random() % count); };
  std::vector<Block> blocks;
  for (unsigned i = 0; i < count; ++i) {
    Block block{"L" + std::to_string(i), "add.s32 %r1, %r1, 1;\n", ""};
    switch (random() % 6) {
      case 0:
        block.code += "ret;\n";
        break;
      case 1:
        block.code += "@!%p1 exit;\n";
        block.next = any();
        break;
      case 2:
        block.code += "brx.idx %r1, T;\n";
        break;
      default:
        block.code += "@%p1 bra " + any() + ";\n";
        block.next = any();
    }
    blocks.push_back(block);
  }
  return join(blocks, random, "T: .branchtargets " + any() + ", " + any() + ", " + any() + ";\n");
}

}  // namespace tcd::emu::ptx
