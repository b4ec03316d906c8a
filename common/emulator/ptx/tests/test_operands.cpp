// Instructions and operands as nvcc and inline assembly write them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx/tests/flow_text.h"

using namespace tcd::emu::ptx;
using Kind = Operand::Kind;

namespace {

Instruction parse_one(std::string_view text) { return parse_kernel(text).body.at(0); }

std::string name_of(const Function& function, const Operand& operand) {
  return operand.reg < 0 ? "none" : function.registers.at(size_t(operand.reg)).name;
}

uint64_t immediate(std::string_view literal) {
  const Instruction i = parse_one("mov.b64 %rd1, " + std::string(literal) + ";");
  REQUIRE(i.operands.at(1).kind == Kind::kImmediate);
  return i.operands[1].imm;
}

std::string error_of(std::string_view body) {
  try {
    parse_kernel(body);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("modifiers keep their order and their text") {
  const Instruction i = parse_one("cp.async.cg.shared.global.L2::128B [%r1], [%rd2+16], 16, %r3;");
  CHECK(i.opcode == "cp");
  CHECK(i.modifiers == std::vector<std::string>{"async", "cg", "shared", "global", "L2::128B"});
  REQUIRE(i.operands.size() == 4);
  CHECK(i.operands[1].kind == Kind::kAddress);
  CHECK(i.operands[1].imm == 16);
  CHECK(i.operands[2].kind == Kind::kImmediate);
  CHECK(i.operands[2].imm == 16);
  CHECK(parse_one("cp.async.ca.shared.global [%r1], [%rd2], 4;").operands.size() == 3);
  CHECK(parse_one("cp.async.commit_group;").operands.empty());
  CHECK(parse_one("mbarrier.init.shared::cta.b64 [%rd1], 1;").modifiers ==
        std::vector<std::string>{"init", "shared::cta", "b64"});
  CHECK(parse_one("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%f1,%f2,%f3,_}, [%rd1+-16];")
            .modifiers.back() == "f32");
}

TEST_CASE("mma.sync has four vector operands") {
  const Function f = parse_kernel(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},\n"
      "  {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};");
  const Instruction& i = f.body.at(0);
  REQUIRE(i.operands.size() == 4);
  const size_t sizes[] = {4, 4, 2, 4};
  for (size_t k = 0; k < 4; ++k) {
    CHECK(i.operands[k].kind == Kind::kVector);
    CHECK_FALSE(i.operands[k].pair);
    CHECK(i.operands[k].elements.size() == sizes[k]);
  }
  CHECK(name_of(f, i.operands[1].elements[2]) == "%r3");
  CHECK(i.ptx_line == 7);
}

TEST_CASE("guards, pairs, negated predicates and sinks") {
  const Function f = parse_kernel(
      "@%p1 mov.u32 %r1, 1;\n@!%p2 setp.ne.b16 %p3|%p4, %r1, 0;\n"
      "shfl.sync.idx.b32 %r9|%p1, %r5, %r7, 31, -1;\nselp.b32 %r1, 1, 0, !%p5;\n"
      "elect.sync _|%p1, 0xffffffff;");
  CHECK(f.registers[size_t(f.body[0].guard)].name == "%p1");
  CHECK_FALSE(f.body[0].guard_negated);
  CHECK(f.body[1].guard_negated);
  CHECK(f.body[1].operands[0].pair);
  CHECK(name_of(f, f.body[1].operands[0].elements.at(1)) == "%p4");
  CHECK(f.body[2].operands[0].pair);
  CHECK(f.body[2].operands[4].imm == ~uint64_t{0});
  CHECK(f.body[3].operands[3].negated);
  CHECK(f.body[4].operands[0].elements[0].kind == Kind::kSink);
  CHECK(error_of("@%r1 mov.u32 %r1, 1;").find("no predicate") != std::string::npos);
}

TEST_CASE("integers in every base") {
  CHECK(immediate("16") == 16);
  CHECK(immediate("-1") == ~uint64_t{0});
  CHECK(immediate("0x1fU") == 31);
  CHECK(immediate("0XFF") == 255);
  CHECK(immediate("017") == 15);
  CHECK(immediate("0b101") == 5);
  CHECK(immediate("0") == 0);
  CHECK(immediate("0U") == 0);
  CHECK(immediate("18446744073709551615") == ~uint64_t{0});
  CHECK(immediate("WARP_SZ") == 32);
  CHECK(error_of("mov.u64 %rd1, 18446744073709551616;").find("fits 64 bits") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, 08;") != "no error");
  CHECK(error_of("mov.u32 %r1, 12abc;") != "no error");
}

TEST_CASE("constant expressions follow C") {
  CHECK(immediate("2+3*4") == 14);
  CHECK(immediate("(2+3)*4") == 20);
  CHECK(immediate("1<<4|3&2^1") == (1 << 4 | ((3 & 2) ^ 1)));
  CHECK(immediate("~0>>1") == ~uint64_t{0});  // .s64: arithmetic
  CHECK(immediate("(.u64)~0>>63") == 1);      // .u64: logical
  CHECK(immediate("-7/2") == uint64_t(-3));
  CHECK(immediate("-7%4") == uint64_t(-3));
  CHECK(immediate("-1 < 0 ? 10 : 20") == 10);
  CHECK(immediate("0xffffffffffffffff < 0 ? 10 : 20") == 20);  // unsigned comparison
  CHECK(immediate("7 % 4") == 3);
  CHECK(immediate("!0 + !5") == 1);
  CHECK(immediate("1 && 0 || 2") == 1);
  CHECK(immediate("3 == 3 != 0") == 1);
  CHECK(immediate("(.s64)9223372036854775808 / -1") == uint64_t{1} << 63);  // would trap in C
  CHECK(immediate("1<<64") == 0);
  CHECK(error_of("mov.u32 %r1, 1/0;").find("division by zero") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, 1.0+2;").find("floating") != std::string::npos);
}

TEST_CASE("floating-point literals are bits, never rounded text") {
  const auto literal = [](std::string_view text) {
    return parse_one("mov.f32 %f1, " + std::string(text) + ";").operands.at(1);
  };
  CHECK(literal("0f3F800000").imm == 0x3f800000);
  CHECK(literal("0f3F800000").literal == Operand::Literal::kF32Bits);
  CHECK(literal("0F7fc00001").imm == 0x7fc00001);  // a NaN's payload survives
  CHECK(literal("-0f3F800000").imm == 0xbf800000);
  CHECK(literal("0d3FF0000000000000").imm == 0x3ff0000000000000);
  CHECK(literal("0d3FF0000000000000").literal == Operand::Literal::kF64Bits);
  CHECK(literal("1.5").imm == 0x3ff8000000000000);
  CHECK(literal("1.5").literal == Operand::Literal::kF64Bits);
  CHECK(literal("-2.5e-1").imm == 0xbfd0000000000000);
  CHECK(error_of("mov.f32 %f1, 0f3F80;").find("8 hex digits") != std::string::npos);
}

TEST_CASE("addresses") {
  const Function f = parse_kernel(
      ".shared .align 4 .b8 tile[64];\n"
      "ld.shared.u32 %r1, [%r2+-4];\nld.shared.u32 %r1, [tile+8];\nld.shared.u32 %r1, [tile];\n"
      "ld.global.u32 %r1, [4096];\nld.param.u32 %r1, [n];\nld.shared.u32 %r1, [%r2-(4*3)];\n"
      "mov.u32 %r1, tile+12;\nld.shared.u32 %r1, tile[20];\n"
      "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];\nmov.u64 %rd1, a;");
  const auto operand = [&](size_t i) { return f.body.at(i).operands.at(1); };
  CHECK(name_of(f, operand(0)) == "%r2");
  CHECK(operand(0).imm == uint64_t(-4));
  CHECK(operand(1).symbol == "tile");
  CHECK(operand(1).imm == 8);
  CHECK(operand(1).reg == -1);
  CHECK(operand(2).kind == Kind::kAddress);
  CHECK(operand(3).symbol.empty());
  CHECK(operand(3).imm == 4096);
  CHECK(operand(4).symbol == "n");
  CHECK(operand(5).imm == uint64_t(-12));
  CHECK(operand(6).kind == Kind::kSymbol);
  CHECK(operand(6).imm == 12);
  CHECK(operand(7).kind == Kind::kAddress);
  CHECK(operand(7).imm == 20);
  CHECK(operand(8).elements.size() == 2);
  CHECK(operand(9).kind == Kind::kSymbol);
  CHECK(error_of("ld.u32 %r1, [%rd1+%r2];") != "no error");
  CHECK(error_of("ld.u32 %r1, [_];") != "no error");
}

TEST_CASE("special registers are symbols, unknown names are errors") {
  const auto symbol = [](std::string_view text) {
    const Instruction i = parse_one("mov.u32 %r1, " + std::string(text) + ";");
    CHECK(i.operands.at(1).kind == Kind::kSymbol);
    return i.operands[1].symbol;
  };
  for (const char* name : {"%tid.x", "%ntid.y", "%ctaid.z", "%nctaid.x", "%laneid", "%clock64",
                           "%lanemask_lt", "%dynamic_smem_size", "%envreg31", "%cluster_ctarank",
                           "%globaltimer", "%pm0", "%reserved_smem_offset_1"}) {
    CHECK(symbol(name) == name);
  }
  CHECK(error_of("mov.u32 %r1, %tidy;").find("'%tidy' is neither a register") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, %r100;").find("%r100") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, %r05;").find("%r05") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, nowhere;").find("not declared") != std::string::npos);
}

TEST_CASE("calls: results, callee, arguments, prototype") {
  const Module m = parse(
      ".version 9.0\n.target sm_80\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf (.param .b64 x, .param .b64 y) ;\n"
      ".func nothing () .noreturn ;\n"
      ".entry k() { .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
      "{ .param .b64 param0; .param .b64 param1; .param .b32 retval0;\n"
      "call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %r1, [retval0+0]; }\n"
      "{ .param .b32 param0; .param .b32 retval0;\n"
      "prototype_5 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (retval0), %rd1, (param0), prototype_5; }\n"
      "call nothing; call.uni nothing, (); call vprintf, (%rd1, 5); ret; }");
  const Function& k = m.functions.at(2);
  const auto& direct = k.body.at(0).operands;
  REQUIRE(direct.size() == 3);
  CHECK(direct[0].kind == Kind::kVector);
  CHECK(direct[0].elements.at(0).symbol == "retval0");
  CHECK(direct[1].symbol == "vprintf");
  CHECK(direct[2].elements.size() == 2);
  const auto& indirect = k.body.at(2).operands;
  REQUIRE(indirect.size() == 4);
  CHECK(indirect[0].elements.at(0).symbol == "retval0#2");
  CHECK(indirect[1].kind == Kind::kRegister);
  CHECK(indirect[2].elements.at(0).symbol == "param0#2");
  CHECK(indirect[3].symbol == "prototype_5");
  CHECK(k.body.at(3).operands.size() == 1);
  CHECK(k.body.at(4).operands.at(1).elements.empty());
  CHECK(k.body.at(5).operands.at(1).elements.at(1).imm == 5);
  REQUIRE(k.variables.size() == 5);
  CHECK(k.variables[3].name == "param0#2");
  CHECK(k.variables[3].size == 4);
  CHECK(m.functions[0].is_declaration);
  CHECK(m.functions[0].returns.size() == 1);
}

TEST_CASE("errors say the line and what was found") {
  CHECK(error_of("mov.u32 %r1 %r2;") ==
        "PTX line 7: expected ';' after the operands of mov, found '%r2'");
  CHECK(error_of("mov.u32 %r1, ;").find("expected an operand, found ';'") != std::string::npos);
  CHECK(error_of("\n\nbra nowhere;").find("PTX line 9: label nowhere is not defined") !=
        std::string::npos);
  CHECK(error_of("mov.u32 %r1, \"text\";").find("the string \"text\"") != std::string::npos);
  CHECK(error_of("mov.u32 %r1, \x01;").find("byte 0x01") != std::string::npos);
}
