// Joining the modules of an -rdc=true program: whose definition counts, and whose names are whose.
#include <doctest/doctest.h>

#include <string>

#include "ptx/link.h"
#include "ptx/parser.h"

using namespace tcd::emu::ptx;

namespace {

Module module_of(const std::string& text) {
  return parse(".version 9.0\n.target sm_80\n.address_size 64\n" + text);
}

// A function whose first instruction names `symbol`.
std::string function(const std::string& linkage, const std::string& name,
                     const std::string& symbol) {
  return linkage + " .func " + name + "() { .reg .b64 %rd<2>; mov.u64 %rd1, " + symbol +
         "; ret; }\n";
}

const Function& named(const Module& module, const std::string& name) {
  for (const Function& f : module.functions) {
    if (f.name == name) return f;
  }
  FAIL("no function " << name);
  return module.functions.front();
}

const Variable& variable(const Module& module, const std::string& name) {
  for (const Variable& v : module.variables) {
    if (v.name == name) return v;
  }
  FAIL("no variable " << name);
  return module.variables.front();
}

std::string first_symbol(const Module& module, const std::string& name) {
  return named(module, name).body.at(0).operands.at(1).symbol;
}

}  // namespace

TEST_CASE("a definition takes the place of a declaration, whichever module comes first") {
  const std::string user = ".extern .func twice();\n.extern .global .align 4 .u32 counter;\n" +
                           function(".visible", "user", "counter");
  const std::string maker =
      ".visible .global .align 4 .u32 counter = 100;\n" + function(".visible", "twice", "counter");
  for (const bool user_first : {true, false}) {
    const Module m =
        link({module_of(user_first ? user : maker), module_of(user_first ? maker : user)});
    CHECK(m.functions.size() == 2);
    CHECK(m.variables.size() == 1);
    CHECK_FALSE(named(m, "twice").is_declaration);
    CHECK_FALSE(variable(m, "counter").is_extern);
    CHECK(variable(m, "counter").init.at(0) == std::byte{100});
    CHECK(first_symbol(m, "user") == "counter");
  }
}

TEST_CASE("what nobody defines stays a declaration") {
  const std::string user = ".extern .func missing();\n" + function(".visible", "f", "missing");
  const Module m = link({module_of(user), module_of(function(".visible", "g", "g"))});
  CHECK(named(m, "missing").is_declaration);
}

TEST_CASE("local names of two modules stay apart, in code and in initial values") {
  const std::string one = ".global .align 4 .u32 mine = 5;\n" + function("", "helper", "mine") +
                          function(".visible", "first", "helper");
  const std::string two = ".global .align 4 .u32 mine = 7;\n" + function("", "helper", "mine") +
                          ".global .align 8 .u64 table[2] = {mine, generic(mine)};\n" +
                          function(".visible", "second", "helper");
  const Module m = link({module_of(one), module_of(two)});
  CHECK(first_symbol(m, "first") == "helper");
  const std::string other = first_symbol(m, "second");
  CHECK(other != "helper");
  CHECK(first_symbol(m, "helper") == "mine");
  const std::string other_mine = first_symbol(m, other);
  CHECK(other_mine != "mine");
  CHECK(variable(m, other_mine).init.at(0) == std::byte{7});
  REQUIRE(variable(m, "table").relocations.size() == 2);
  CHECK(variable(m, "table").relocations[1].symbol == other_mine);
}

TEST_CASE("a local name gives way to one that all modules know") {
  const std::string local = function("", "helper", "helper") + function(".visible", "f", "helper");
  const std::string shared = function(".visible", "helper", "helper");
  const Module m =
      link({module_of(local), module_of(shared + function(".visible", "g", "helper"))});
  CHECK(first_symbol(m, "f") != "helper");
  CHECK(first_symbol(m, "g") == "helper");
}

TEST_CASE("shared variables of functions, and parameters that are called as a variable is") {
  const std::string text =
      ".func helper() { .shared .align 4 .b8 tile[64]; .reg .b64 %rd<2>; mov.u64 %rd1, tile; }\n";
  const Module m =
      link({module_of(text + function(".visible", "f", "helper")),
            module_of(".global .u32 x;\n" + text + function(".visible", "g", "helper")),
            module_of(".global .u32 x;\n.visible .func h(.param .b64 x) { .reg .b64 "
                      "%rd<2>; ld.param.u64 %rd1, [x]; }\n")});
  const std::string first = first_symbol(m, "helper");
  const std::string second = first_symbol(m, first_symbol(m, "g"));
  CHECK(first != second);
  CHECK(named(m, first_symbol(m, "g")).variables.at(0).name == second);
  CHECK(first_symbol(m, "h") == "x");
}

TEST_CASE("weak definitions: one of them; a strong one wins; the largest common variable") {
  const std::string weak = ".weak .global .align 4 .u32 w = 1;\n.common .global .b8 c[8];\n" +
                           function(".weak", "f", "w");
  const std::string other = ".weak .global .align 4 .u32 w = 2;\n.common .global .b8 c[32];\n" +
                            function(".weak", "f", "c");
  const Module m = link({module_of(weak), module_of(other), module_of(weak)});
  CHECK(variable(m, "w").init.at(0) == std::byte{1});
  CHECK(first_symbol(m, "f") == "w");
  CHECK(variable(m, "c").size == 32);
  const Module strong = link({module_of(weak), module_of(function(".visible", "f", "f"))});
  CHECK(first_symbol(strong, "f") == "f");
}

TEST_CASE("two visible definitions are refused by name") {
  const std::string text = function(".visible", "twice", "twice");
  CHECK_THROWS_WITH_AS(link({module_of(text), module_of(text)}), "two linked modules define twice",
                       LinkError);
}

TEST_CASE("source lines keep their files") {
  const auto text = [](const std::string& file, const std::string& name) {
    return ".visible .func " + name + "() {\n.loc 1 7 0\nret; }\n.file 1 \"" + file + "\"\n";
  };
  const Module m = link(
      {module_of(text("a.cu", "f")), module_of(text("b.cu", "g")), module_of(text("a.cu", "h"))});
  const auto file_of = [&](const std::string& name) {
    return m.files.at(static_cast<size_t>(named(m, name).body.at(0).location.file));
  };
  CHECK(file_of("f") == "a.cu");
  CHECK(file_of("g") == "b.cu");
  CHECK(file_of("h") == "a.cu");
  CHECK(m.files.size() == 3);
}
