// Directives, variables with initialisers, blocks with names of their own, source lines.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ptx/tests/flow_text.h"

using namespace tcd::emu::ptx;

namespace {

const std::string kHeader = ".version 8.4\n.target sm_75, debug\n.address_size 64\n";

Variable parse_variable(const std::string& text) { return parse(kHeader + text).variables.at(0); }

template <typename T>
T value_at(const Variable& variable, size_t offset) {
  T value{};
  REQUIRE(offset + sizeof(T) <= variable.init.size());
  std::memcpy(&value, variable.init.data() + offset, sizeof(T));
  return value;
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

bool fails_with(const std::string& text, std::string_view part) {
  const std::string error = error_of(kHeader + text);
  INFO(error);
  return error.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("module header") {
  const Module m = parse(kHeader +
                         ".file 1 \"a.cu\", 123, 45\n.file 3 \"b.cuh\"\n"
                         ".section .debug_str { $L__info_string0: .b8 95,90,0 { } }\n" +
                         std::string(3, '\0'));
  CHECK(m.version_major == 8);
  CHECK(m.version_minor == 4);
  CHECK(m.target == 75);
  CHECK(m.files == std::vector<std::string>{"", "a.cu", "", "b.cuh"});
  CHECK(parse(".version 9.0\n.target sm_90a\n.address_size 64\n").target == 90);
  CHECK(parse(".version 9.0\n.target sm_120f, texmode_independent\n").target == 120);
  CHECK(error_of("hello").find("expected .version") != std::string::npos);
  CHECK(error_of("").find("expected .version") != std::string::npos);
  CHECK(error_of(".version 9\n") != "no error");
  CHECK(error_of(".version 9.0 .target debug").find("no .target") != std::string::npos);
  CHECK(error_of(".version 9.0 .target sm_x").find("no target") != std::string::npos);
  CHECK(error_of(".version 9.0 .target sm_80 .address_size 32").find("64-bit") !=
        std::string::npos);
}

TEST_CASE("kernels, functions, launch bounds") {
  const Module m = parse(
      kHeader +
      ".weak .func (.param .align 16 .b8 ret[32]) f (.param .b32 x, .param .align 8 .b8 y[24]);\n"
      ".visible .entry k (.param .u64 .ptr .global .align 16 p, .param .f16 h)\n"
      ".maxntid 32, 4, 2 .minnctapersm 3 .maxnreg 64 .noreturn .pragma \"nounroll\";\n"
      "{ ret; }\n"
      ".entry q .reqntid 16,2 { ret; }\n"
      ".weak .func (.param .align 16 .b8 ret[32]) f (.param .b32 x, .param .align 8 .b8 y[24])\n"
      "{ ret; }\n.alias g, f;\n");
  REQUIRE(m.functions.size() == 4);
  CHECK(m.functions[0].name == "f");
  CHECK_FALSE(m.functions[0].is_declaration);  // the definition replaced the declaration
  CHECK(m.functions[0].returns.at(0).size == 32);
  CHECK(m.functions[0].returns.at(0).align == 16);
  CHECK(m.functions[0].params.at(1).size == 24);
  CHECK(m.functions[1].is_entry);
  CHECK(m.functions[1].max_threads == 256);
  CHECK(m.functions[1].min_ctas == 3);
  CHECK(m.functions[1].params.at(0).size == 8);
  CHECK(m.functions[1].params.at(0).align == 8);
  CHECK(m.functions[1].params.at(1).size == 2);
  CHECK(m.functions[2].required_threads[0] == 16);
  CHECK(m.functions[2].required_threads[1] == 2);
  CHECK(m.functions[2].required_threads[2] == 1);
  CHECK(m.functions[2].max_threads == 0);
  CHECK(m.functions[3].name == "g");
  CHECK(m.functions[3].body.size() == 1);
  CHECK(fails_with(".entry k { ret; } .entry k { ret; }", "defined twice"));
  CHECK(fails_with(".entry k .frobnicate { ret; }", "unknown directive '.frobnicate'"));
  CHECK(fails_with(".alias g, f;", "no function of this module"));
  CHECK(fails_with(".func f (.reg .b32 x) { ret; }", "only .param"));
}

TEST_CASE("variables: spaces, alignment, arrays") {
  const Module m = parse(
      kHeader +
      ".extern .shared .align 16 .b8 smem[];\n.global .attribute(.managed) .align 4 .u32 m = 7;\n"
      ".const .align 4 .b8 w[24] = {0, 0, 192, 63};\n.global .v4 .f32 v;\n"
      ".shared .f64 t[4][8];\n.global .u32 a, b[2*3];");
  CHECK(m.variables[0].is_extern);
  CHECK(m.variables[0].size == 0);
  CHECK(m.variables[0].align == 16);
  CHECK(m.variables[0].space == Space::kShared);
  CHECK(m.variables[1].is_managed);
  CHECK(value_at<uint32_t>(m.variables[1], 0) == 7);
  CHECK(m.variables[2].space == Space::kConst);
  CHECK(m.variables[2].size == 24);
  CHECK(m.variables[2].init.size() == 4);
  CHECK(m.variables[3].size == 16);
  CHECK(m.variables[3].align == 16);
  CHECK(m.variables[4].size == 256);
  CHECK(m.variables[4].align == 8);
  CHECK(m.variables[6].size == 24);
  CHECK(fails_with(".global .u32 x; .global .u32 x;", "defined twice"));
  CHECK(fails_with(".global .align 3 .u32 x;", "no power of two"));
  CHECK(fails_with(".global .u32 x[4][];", "first dimension"));
  CHECK(fails_with(".local .u32 x;", "outside functions"));
  CHECK(fails_with(".global x;", "type"));
}

TEST_CASE("an extern variable gives way to its definition") {
  const Module m = parse(kHeader + ".extern .global .u32 x;\n.global .u32 x = 5;\n");
  REQUIRE(m.variables.size() == 1);
  CHECK_FALSE(m.variables[0].is_extern);
  CHECK(value_at<uint32_t>(m.variables[0], 0) == 5);
}

TEST_CASE("initialisers") {
  Variable v = parse_variable(".global .s32 x[2][3] = {{1,2},{-3}};");
  CHECK(v.size == 24);
  CHECK(v.init.size() == 16);
  CHECK(value_at<int>(v, 4) == 2);
  CHECK(value_at<int>(v, 8) == 0);
  CHECK(value_at<int>(v, 12) == -3);
  v = parse_variable(".global .s32 x[2][3] = {1,2,3,4};");  // inner braces left out
  CHECK(value_at<int>(v, 12) == 4);
  v = parse_variable(".global .s16 x[] = {1,2,-3};");
  CHECK(v.size == 6);
  CHECK(value_at<int16_t>(v, 4) == -3);
  v = parse_variable(".global .s16 x[][2] = {{1},{2,3},{4}};");
  CHECK(v.size == 12);
  CHECK(value_at<int16_t>(v, 6) == 3);
  v = parse_variable(".global .f32 x[3] = {0f3F800000, -2.5, 0d3FF0000000000000};");
  CHECK(value_at<float>(v, 0) == 1.0f);
  CHECK(value_at<float>(v, 4) == -2.5f);
  CHECK(value_at<float>(v, 8) == 1.0f);
  v = parse_variable(".const .f64 x = 0f40000000;");
  CHECK(value_at<double>(v, 0) == 2.0);
  v = parse_variable(".global .v4 .u8 x = {1,2,3,4};");
  CHECK(value_at<uint8_t>(v, 3) == 4);
  CHECK(fails_with(".global .u32 x[2] = {1,2,3};", "more initial values than the 2"));
  CHECK(fails_with(".global .u32 x[2] = {1,2;", "expected '}'"));
  CHECK(fails_with(".global .u8 x = 1.5;", "floating-point"));
}

TEST_CASE("initialisers with addresses") {
  Variable v = parse_variable(".global .u64 x[4] = {f, generic(g)+12, h-4, 0};");
  REQUIRE(v.relocations.size() == 3);
  CHECK(v.relocations[0].symbol == "f");
  CHECK_FALSE(v.relocations[0].generic);
  CHECK(v.relocations[1].symbol == "g");
  CHECK(v.relocations[1].generic);
  CHECK(v.relocations[1].addend == 12);
  CHECK(v.relocations[1].offset == 8);
  CHECK(v.relocations[2].addend == -4);
  // Packed structs: nvcc masks the address out byte by byte; one relocation comes back.
  v = parse_variable(
      ".global .align 1 .u8 pk[9] = {1, 0XFF(generic(g)+4), 0xFF00(generic(g)+4), "
      "0xFF0000(generic(g)+4), 0xFF000000(generic(g)+4), 0xFF00000000(generic(g)+4), "
      "0xFF0000000000(generic(g)+4), 0xFF000000000000(generic(g)+4), "
      "0xFF00000000000000(generic(g)+4)};");
  REQUIRE(v.relocations.size() == 1);
  CHECK(v.relocations[0].offset == 1);
  CHECK(v.relocations[0].addend == 4);
  CHECK(v.init.size() == 9);
  CHECK(fails_with(".global .u8 x[2] = {0xFF(g), 0xFF00(g)};", "eight bytes in a row"));
  CHECK(fails_with(".global .u8 x[2] = {0xFF(g), 0xFF00(h)};", "eight bytes in a row"));
  CHECK(fails_with(".global .u32 x = g;", "an address takes 8 bytes"));
}

TEST_CASE("blocks have registers, variables and labels of their own") {
  const Function f = parse_kernel(
      "{ .reg .b32 %t<4>; .reg .pred p; .shared .b32 s; mov.u32 %t1, 1; L: bra L; }\n"
      "{ .reg .b32 %t<2>; .reg .b32 %r1; .shared .b64 s; mov.u32 %t1, %r1; L: bra L;\n"
      "  mov.u64 %rd1, s; }\nmov.u32 %r1, 2;");
  const auto& body = f.body;
  const int first_t1 = body.at(0).operands[0].reg;
  const int second_t1 = body.at(2).operands[0].reg;
  CHECK(f.registers[size_t(first_t1)].name == "%t1");
  CHECK(f.registers[size_t(second_t1)].name == "%t1");
  CHECK(first_t1 != second_t1);
  CHECK(body[2].operands[1].reg != body.at(5).operands[0].reg);  // the inner %r1 hides the outer
  CHECK(body.at(1).operands[0].target == 1);
  CHECK(body.at(3).operands[0].target == 3);
  CHECK(f.variables.at(0).name == "s");
  CHECK(f.variables.at(1).name == "s#2");
  CHECK(body.at(4).operands[1].symbol == "s#2");
  CHECK_THROWS_AS(parse_kernel("{ .reg .b32 q; } mov.u32 q, 1;"), ParseError);
  CHECK_THROWS_AS(parse_kernel("{ L: } bra L;"), ParseError);
  CHECK_THROWS_AS(parse_kernel(".reg .b32 %r<5>;"), ParseError);
  CHECK_THROWS_AS(parse_kernel("L: L: ret;"), ParseError);
  CHECK_NOTHROW(parse_kernel("{ bra L; } L: ret;"));  // outwards is fine
}

TEST_CASE("a variable in a body may hide one of the module or a parameter") {
  const Module m = parse(kHeader +
                         ".shared .b32 s;\n.entry k(.param .b32 a) { .reg .b32 %r<2>;\n"
                         "mov.u32 %r0, s; { .shared .b64 s; .param .b64 a; mov.u32 %r0, s;\n"
                         "ld.param.u32 %r0, [a]; } ld.param.u32 %r0, [a]; }");
  const Function& k = m.functions.at(0);
  CHECK(k.body.at(0).operands[1].symbol == "s");
  CHECK(k.body.at(1).operands[1].symbol == "s#2");
  CHECK(k.body.at(2).operands[1].symbol == "a#2");
  CHECK(k.body.at(3).operands[1].symbol == "a");
  CHECK(k.variables.at(0).name == "s#2");
  CHECK(k.variables.at(1).name == "a#2");
}

TEST_CASE("a range whose prefix ends in a digit") {
  const Function f = parse_kernel(".reg .b32 r1<5>; mov.u32 r12, %r12;");
  CHECK(f.registers[size_t(f.body[0].operands[0].reg)].name == "r12");
  CHECK(f.registers[size_t(f.body[0].operands[1].reg)].name == "%r12");
}

TEST_CASE("branch tables") {
  const Function f = parse_kernel(
      "ts: .branchtargets $A, $B, $A;\n@%p1 brx.idx.uni %r1, ts;\n$A: ret;\n$B: exit;");
  REQUIRE(f.branch_tables.size() == 1);
  CHECK(f.branch_tables[0] == std::vector<int>{1, 2, 1});
  CHECK(f.branch_table_names[0] == "ts");
  CHECK(f.body[0].operands.at(1).target == 0);
  CHECK_THROWS_AS(parse_kernel("brx.idx %r1, ts;"), ParseError);
  CHECK_THROWS_AS(parse_kernel("ts: .branchtargets A; brx.idx %r1, ts;"), ParseError);
}

TEST_CASE(".loc keeps the whole chain of inlining") {
  const Function f = parse_kernel(
      ".loc 1 11 0\nmov.u32 %r1, 1;\n"
      ".loc 1 14 5\n.loc 1 7 3, function_name $L__info_string0, inlined_at 1 14 5\n"
      ".loc 2 5 71, function_name $L__info_string1, inlined_at 1 7 3\nmov.u32 %r1, 2;\n"
      ".loc 1 15 3\n.loc 1 7 3, function_name $L__info_string0, inlined_at 1 15 3\n"
      ".loc 2 5 71, function_name $L__info_string1+4, inlined_at 1 7 3\nmov.u32 %r1, 3;\n"
      ".loc 1 0 3\nmov.u32 %r1, 4;");
  const auto at = [&](size_t i) { return f.body.at(i).location; };
  CHECK(at(0).line == 11);
  CHECK(at(0).inlined_at.empty());
  CHECK(at(1).file == 2);
  CHECK(at(1).line == 5);
  REQUIRE(at(1).inlined_at.size() == 2);
  CHECK(at(1).inlined_at[0].line == 7);
  CHECK(at(1).inlined_at[1].line == 14);
  REQUIRE(at(2).inlined_at.size() == 2);
  CHECK(at(2).inlined_at[1].line == 15);  // the same helper, another call
  CHECK(at(3).file == 0);
  CHECK(at(3).inlined_at.empty());
}

TEST_CASE("comments, debug labels and pragmas") {
  const Function f = parse_kernel(
      "// one\n/* two\n lines */ mov.u32 %r1, 1; /**/ $L__tmp0:\n# 1 \"marker\"\n"
      ".pragma \"nounroll\";\n;;\nbra $L__tmp0;\n$L__func_end0:");
  REQUIRE(f.body.size() == 2);
  CHECK(f.body[1].operands[0].target == 1);
  CHECK_THROWS_AS(parse_kernel("/* never closed"), ParseError);
}
