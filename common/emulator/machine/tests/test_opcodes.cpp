// The table of opcodes (ptx/opcodes.def): every one of them runs, and every family that is listed
// as unsupported is refused in the words of the list.
#include <algorithm>
#include <map>
#include <set>

#include "machine/decode/decoder.h"
#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

// One plain use of each opcode. What an instruction computes is tested elsewhere; here it is that
// the table leaves none out. An opcode added to the table needs a line here.
constexpr const char* kUses[] = {
    "add.u32 %d, %a, %b;",
    "sub.u32 %d, %a, %b;",
    "mul.lo.u32 %d, %a, %b;",
    "mad.lo.u32 %d, %a, %b, %c;",
    "fma.rn.f32 %d, %a, %b, %c;",
    "mul24.lo.u32 %d, %a, %b;",
    "mad24.lo.u32 %d, %a, %b, %c;",
    "sad.u32 %d, %a, %b, %c;",
    "div.u32 %d, %a, %b;",
    "rem.u32 %d, %a, %b;",
    "abs.s32 %d, %a;",
    "neg.s32 %d, %a;",
    "min.u32 %d, %a, %b;",
    "max.u32 %d, %a, %b;",
    "rcp.rn.f32 %d, %a;",
    "sqrt.rn.f32 %d, %a;",
    "rsqrt.approx.f32 %d, %a;",
    "sin.approx.f32 %d, %a;",
    "cos.approx.f32 %d, %a;",
    "lg2.approx.f32 %d, %a;",
    "ex2.approx.f32 %d, %a;",
    "tanh.approx.f32 %d, %a;",
    "copysign.f32 %d, %a, %b;",
    "testp.finite.f32 %p, %a;",
    "dp4a.u32.u32 %d, %a, %b, %c;",
    "dp2a.lo.u32.u32 %d, %a, %b, %c;",
    "addc.u32 %d, %a, %b;",
    "subc.u32 %d, %a, %b;",
    "madc.lo.u32 %d, %a, %b, %c;",
    "vadd2.u32.u32.u32 %d, %a, %b, %c;",
    "vadd4.u32.u32.u32 %d, %a, %b, %c;",
    "vsub2.u32.u32.u32 %d, %a, %b, %c;",
    "vsub4.u32.u32.u32 %d, %a, %b, %c;",
    "vavrg2.u32.u32.u32 %d, %a, %b, %c;",
    "vavrg4.u32.u32.u32 %d, %a, %b, %c;",
    "vabsdiff2.u32.u32.u32 %d, %a, %b, %c;",
    "vabsdiff4.u32.u32.u32 %d, %a, %b, %c;",
    "vmin2.u32.u32.u32 %d, %a, %b, %c;",
    "vmin4.u32.u32.u32 %d, %a, %b, %c;",
    "vmax2.u32.u32.u32 %d, %a, %b, %c;",
    "vmax4.u32.u32.u32 %d, %a, %b, %c;",
    "vset2.u32.u32.lt %d, %a, %b, %c;",
    "vset4.u32.u32.lt %d, %a, %b, %c;",
    "and.b32 %d, %a, %b;",
    "or.b32 %d, %a, %b;",
    "xor.b32 %d, %a, %b;",
    "not.b32 %d, %a;",
    "cnot.b32 %d, %a;",
    "lop3.b32 %d, %a, %b, %c, 0x96;",
    "shl.b32 %d, %a, 3;",
    "shr.u32 %d, %a, 3;",
    "shf.l.wrap.b32 %d, %a, %b, %c;",
    "prmt.b32 %d, %a, %b, 0x3210;",
    "popc.b32 %d, %a;",
    "clz.b32 %d, %a;",
    "bfind.u32 %d, %a;",
    "brev.b32 %d, %a;",
    "bfe.u32 %d, %a, 4, 8;",
    "bfi.b32 %d, %a, %b, 4, 8;",
    "fns.b32 %d, %a, 0, 1;",
    "bmsk.clamp.b32 %d, %a, %b;",
    "szext.clamp.u32 %d, %a, %b;",
    "setp.lt.u32 %p, %a, %b;",
    "set.lt.u32.u32 %d, %a, %b;",
    "selp.b32 %d, %a, %b, %p;",
    "slct.u32.s32 %d, %a, %b, %c;",
    "mov.b32 %d, %a;",
    "cvt.u64.u32 %D, %a;",
    "cvta.global.u64 %D, %in;",
    "isspacep.global %p, %in;",
    "ld.global.u32 %d, [%in];",
    "ldu.global.u32 %d, [%in];",
    "st.global.u32 [%out], %a;",
    "atom.global.add.u32 %d, [%out], %a;",
    "red.global.add.u32 [%out], %a;",
    "prefetch.global.L2 [%in];",
    "prefetchu.L1 [%in];",
    "discard.global.L2 [%out], 128;",
    "applypriority.global.L2::evict_normal [%in], 128;",
    "createpolicy.fractional.L2::evict_last.b64 %D, 1.0;",
    "cp.async.commit_group;",
    "membar.gl;",
    "fence.acq_rel.gpu;",
    "shfl.sync.idx.b32 %d, %a, 0, 31, -1;",
    "vote.sync.ballot.b32 %d, %p, -1;",
    "match.any.sync.b32 %d, %a, -1;",
    "redux.sync.add.u32 %d, %a, -1;",
    "activemask.b32 %d;",
    "elect.sync %d|%p, -1;",
    "bar.sync 0;",
    "barrier.sync 0;",
    "mbarrier.init.shared.b64 [8], 1;",
    "bra NEXT;  NEXT:",
    "TABLE: .branchtargets HERE;  mov.u32 %e, 0;  brx.idx %e, TABLE;  HERE:",
    "call nothing;",
    "ret;",
    "exit;",
    "@%p trap;",
    "@%p brkpt;",
    "nanosleep.u32 10;",
    "pmevent 1;",
    "setmaxnreg.inc.sync.aligned.u32 64;",
    "griddepcontrol.wait;",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d,%e,%a,%b}, {%a,%b}, {%c}, "
    "{%d,%e,%a,%b};",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d}, [%e];",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%e], {%a};",
    "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;",
    "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%a,%b,%c,%d}, [%in];",
};

std::string opcode_of(std::string_view use) {
  if (use.starts_with("@%p ")) use.remove_prefix(4);
  if (use.starts_with("TABLE:")) return "brx";
  return std::string(use.substr(0, use.find_first_of(" .;")));
}

// 32 threads on an H100, 16 KiB of shared memory, %p false, addresses in %in and %out.
LaunchError run_use(const std::string& use) {
  std::string text = lines_kernel("  setp.ne.u32 %p, %a, %a;\n  mov.u32 %n, tile;\n" + use);
  text.insert(text.find(".visible"), ".func nothing() { ret; }\n");
  text.insert(text.find(".reg .pred"), ".shared .align 128 .b8 tile[16384];\n");
  Bench bench(text, 1, "h100");
  std::vector<uint64_t> numbers(1024, 3);
  const uint64_t in = bench.upload(numbers), out = bench.upload(numbers);
  return bench.launch("k", {1}, {32}, Params().add(in).add(out).add(uint32_t{32}));
}

}  // namespace

TEST_CASE("every opcode of the table runs, and is used here once") {
  std::map<std::string, int> used;
  for (const std::string use : kUses) {
    const LaunchError e = run_use(use);
    CHECK_MESSAGE(e.fault == Fault::kNone, use, "\n", e.message);
    ++used[opcode_of(use)];
  }
  std::set<std::string> names;
  for (const Opcode& opcode : all_opcodes()) {
    CHECK_MESSAGE(names.insert(opcode.name).second, opcode.name, " stands in the table twice");
    CHECK_MESSAGE(used[opcode.name] == 1, "add a use of ", opcode.name, " to kUses");
    CHECK(find_opcode(opcode.name) == &opcode);
    CHECK(std::string(opcode.covers).find("TODO") == std::string::npos);
  }
  CHECK(used.size() == names.size());
}

TEST_CASE("what is unsupported is refused with the reason the page gives") {
  for (const UnsupportedFamily& family : unsupported_families()) {
    CAPTURE(std::string(family.name));
    std::string text = R"(.version 9.0
.target sm_90a
.address_size 64
.visible .entry k() {
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .f32 %f<4>;
  .reg .b64 %x<10>;
  )" + std::string(family.example) +
                       "\n  ret;\n}\n";
    Bench bench(text, 1, "h100");
    const LaunchError e = bench.launch("k", {1}, {32}, Params());
    CHECK(e.fault == Fault::kUnsupported);
    CHECK_MESSAGE(e.message.find(std::string(": ") + family.why + "\n") != std::string::npos,
                  e.message);
    const std::string name = std::string(family.name).substr(0, std::string(family.name).find('.'));
    if (std::string_view(family.name).find('.') == std::string_view::npos) {
      CHECK_MESSAGE(find_opcode(name) == nullptr, name, " is supported as well as unsupported");
    }
  }
}
