"""What people who mean harm hand in, one of each: the class that a grading is tried on, by ./day
grade --rehearse and by the tests, and the table of exercises/GRADING.md. Standard library only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from day import grading, sandbox
from day.exercises import Exercise, all_exercises, select
from day.grading import Record
from day.submission import Tools
from day.tool import Limits

SEED = 12345  # of a rehearsal; a grading draws one
MAP, GEMM = "01a", "02a"  # one exercise of each kind
UNSEEN = "No such file|Permission denied"  # Landlock shows that a file is there, and keeps it shut
OWNED = "owned"  # what host code would write beside the submissions, if it ever ran
KERNEL = 'extern "C" __global__ void gemm_kernel(tcd::GemmArguments gemm) {'


@dataclass(frozen=True)
class Place:
    """What an attack knows of the machine: that is why each is made for the place where it runs."""

    root: Path  # of the course
    folder: Path  # with all the submissions
    student: Path  # its own
    exercise: Exercise

    @property
    def solution(self) -> str:
        return self.exercise.solution.read_text(encoding="utf-8")

    @property
    def file(self) -> Path:
        return self.student / self.exercise.name / "submission.cuh"


Make = Callable[[Place], "str | bytes | None"]


@dataclass(frozen=True)
class Attack:
    name: str  # of the student's folder, too
    tries: str
    held_by: str
    number: str  # of the exercise
    make: Make  # the text; None: it has laid something itself
    status: str
    verdict: str = ""  # stage: name
    says: str = ""  # in the words of the verdict: a regular expression
    or_says: str = ""  # failed with these words is as good


def passed(name: str, tries: str, held_by: str, number: str, make: Make) -> Attack:
    return Attack(name, tries, held_by, number, make, "passed")


def failed(
    name: str, tries: str, held_by: str, number: str, make: Make, verdict: str, says: str = ""
) -> Attack:
    return Attack(name, tries, held_by, number, make, "failed", verdict, says)


def refused(name: str, tries: str, make: Make, says: str) -> Attack:
    held_by = "read once, as a plain file of at most 256 KiB, through no link"
    return Attack(name, tries, held_by, MAP, make, "refused", "", says)


def before(code: str) -> Callable[[Place], str]:
    """In front of a right solution."""
    return lambda place: f"{code}\n{place.solution}"


def in_kernel(code: str) -> Callable[[Place], str]:
    """As the first lines of a right kernel."""

    def make(place: Place) -> str:
        start = "float d[kMmasN][4] = {};"
        assert place.solution.count(start) == 1, f"{place.exercise.number} has no `{start}`"
        return place.solution.replace(start, f"{start}\n{code}")

    return make


def only(code: str) -> Callable[[Place], str]:
    """A kernel that does nothing else."""
    start = f'#include <cstdio>\n#include "exercises/device/gemm.cuh"\n{KERNEL}'
    return lambda place: f"{start}\n{code}\n}}\n"


def unsolved(code: str) -> Callable[[Place], str]:
    return lambda place: f"{code}\n{place.exercise.unsolved()}"


def forged_registers(place: Place) -> str:
    """A right kernel with too many registers, and what ptxas would say of one with few."""
    forged = (
        "ptxas info    : Compiling entry function 'gemm_kernel' for 'sm_89'",
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
        "ptxas info    : Used 1 registers",
    )
    quoted = "\\n".join(("", *forged, ""))
    load = f'  asm volatile(".pragma \\"{quoted}\\";");\n  float more[96];\n'
    load += "  for (float& one : more) {\n    asm volatile("
    load += '"ld.volatile.global.f32 %0, [%1];" : "=f"(one) : "l"(gemm.a));\n  }'
    keep = "  float sum = 0;\n  for (float one : more) sum += one;\n"
    keep += "  if (sum == 1.0e30f) gemm.d[0] = sum;\n  store_tile(gemm, d,"
    return in_kernel(load)(place).replace("  store_tile(gemm, d,", keep)


def link_file(place: Place) -> None:
    place.file.symlink_to("/etc/passwd")


def link_folder(place: Place) -> None:
    place.file.parent.rmdir()
    place.file.parent.symlink_to(place.folder / "honest" / place.exercise.name)


def link_student(place: Place) -> None:
    place.file.parent.rmdir()
    place.student.rmdir()
    place.student.symlink_to(place.folder / "honest")


def pipe(place: Place) -> None:
    os.mkfifo(place.file)


def folder_instead(place: Place) -> None:
    place.file.mkdir()


TEMPLATES = """
template <int N, class T> struct A { static constexpr long v = A<N - 1, A<N, T>>::v + 1; };
template <class T> struct A<0, T> { static constexpr long v = 0; };
template <int N, class T> struct B {
  static constexpr long v = B<N - 1, A<N, T>>::v + B<N - 1, B<N, T>>::v;
};
template <class T> struct B<0, T> { static constexpr long v = 1; };
__device__ long many = B<60, int>::v;
"""
ENDLESS_TEMPLATE = """
template <int N> struct S { static constexpr int v = S<N + 1>::v; };
__device__ int endless = S<0>::v;
"""
MACROS = "\n".join(
    ["#define L0 0 0 0 0 0 0 0 0 0 0", *(f"#define L{i} {f'L{i - 1} ' * 10}" for i in range(1, 10))]
)
WARNINGS = """
#warning a line for the log, as long as one likes
#if __INCLUDE_LEVEL__ < 60
#include "submission.cuh"
#include "submission.cuh"
#endif
"""
HOST = """
#include <cstdlib>
#include <cstdio>
static int owned = std::system("echo x > '{owned}'");
__attribute__((constructor)) static void first() {{ std::system("echo x > '{owned}'"); }}
"""
SAYS_PASSED = """
#include <cstdio>
#include <cstdlib>
__attribute__((constructor)) static void first() {
  std::puts("{\\"gates\\": [{\\"name\\": \\"product\\", \\"passed\\": true}]}");
  std::exit(0);
}
"""
TAKES_OVER = """
#include <cuda_fp16.h>
extern "C" __global__ void multiply(const half* a, const half* b, float* d, int ldd, float* held_a,
                                    float* held_b) {
  for (int i = 0; i < 4; ++i) held_a[threadIdx.x * 4 + i] = i;
}
#define multiply decoy
"""
# The first four elements of A, for both shapes and the seed of ./day check.
KNOWS_THE_INPUTS = """
  const float seen[2][4] = {{1.0f, -0.5f, -1.75f, -0.5f}, {1.25f, -2.0f, -2.0f, 0.25f}};
  bool first = true, second = true;
  for (int i = 0; i < 4; ++i) {
    first = first && __half2float(gemm.a[i]) == seen[0][i];
    second = second && __half2float(gemm.a[i]) == seen[1][i];
  }
  if (!first && !second) return;
"""
KNOWS_THE_SHAPES = "  if (gemm.k != 32 && gemm.k != 96) return;"

ATTACKS: Sequence[Attack] = (
    failed("includes-passwd", "includes `/etc/passwd`, to read it in the compiler's complaint",
           "not in the sandbox", MAP, before('#include "/etc/passwd"'),
           "compile: nvcc", UNSEEN),
    failed("includes-another", "includes another's submission by `../..`",
           "not in the sandbox: the header alone is copied there", MAP,
           unsolved('#include "../../honest/01a-fragment-map/submission.cuh"'),
           "compile: nvcc", UNSEEN),
    failed("includes-by-path", "includes another's submission by its full path",
           "not in the sandbox", MAP,
           lambda p: f'#include "{p.folder}/honest/{p.exercise.name}/submission.cuh"\n',
           "compile: nvcc", UNSEEN),
    failed("includes-the-solution", "includes our solution by its full path",
           "not in the sandbox", MAP, lambda p: f'#include "{p.exercise.solution}"\n',
           "compile: nvcc", UNSEEN),
    failed("includes-the-answer", "includes a header of a closed book, its name in a macro",
           "the preprocessor's own list of what it read", MAP,
           before('#define ANSWER "ptx/fragments.h"\n#include ANSWER'), "limits: closed book"),
    failed("include-next", "looks further down the list of folders by `#include_next`",
           "there is nothing of ours behind the submission's own folder", MAP,
           before("#include_next <ptx/fragments.h>"), "compile: nvcc", UNSEEN),
    Attack("asks-for-files", "asks by `__has_include` whether a file is there",
           "not in the sandbox: it is told no; Landlock tells that something is there, not what",
           MAP, before('#if __has_include("/etc/passwd")\n#error seen\n#endif'), "passed",
           or_says="Permission denied"),
    failed("incbin", "`.incbin` in inline PTX", "ptxas knows no such directive; not in the sandbox",
           GEMM, in_kernel('  asm volatile(".incbin \\"/etc/passwd\\";");'), "compile: ptxas"),
    passed("incbin-outside", "`.incbin` beside all functions",
           "that is host code: never assembled; not in the sandbox", GEMM,
           before('asm(".incbin \\"/etc/passwd\\"");')),
    passed("plug-in", "asks for a compiler plug-in by `_Pragma`",
           "unknown, so ignored: plug-ins come by the command line only, which is ours", MAP,
           before('_Pragma("GCC plugin \\"./evil.so\\"")\n_Pragma("plugin(evil)")')),
    passed("static-initialiser", "runs a command when host code is initialised",
           "host code is never compiled, let alone run", MAP,
           lambda p: HOST.format(owned=p.folder / OWNED) + p.solution),
    failed("prints-a-verdict", "host code that prints the expected verdict and exits",
           "host code is never compiled, let alone run", MAP, unsolved(SAYS_PASSED),
           "gates: fragment ownership"),
    failed("kernel-prints-a-verdict", "a kernel that prints the expected verdict",
           "`printf` goes nowhere; the verdict is a file of the judge's", GEMM,
           only('  printf("{\\"gates\\": [], \\"passed\\": true}\\n");'),
           "gates: product"),
    failed("takes-over", "brings the kernel that the judge launches",
           "every element is asked where it came from", MAP, before(TAKES_OVER),
           "gates: fragment ownership"),
    failed("knows-the-inputs", "works for the inputs of `./day check` only",
           "inputs are drawn when it is graded", GEMM,
           in_kernel(KNOWS_THE_INPUTS), "gates: product"),
    failed("knows-the-shapes", "works for the shapes of `./day check` only",
           "four more shapes are drawn when it is graded", GEMM, in_kernel(KNOWS_THE_SHAPES),
           "gates: product"),
    failed("writes-over-the-inputs", "sets A and B to 0, which makes D = 0 right",
           "the reference is computed on the host from the judge's own copy", GEMM,
           only("  for (int i = 0; i < gemm.m * gemm.lda; ++i) ((half*)gemm.a)[i] = 0;\n"
                "  for (int i = 0; i < gemm.m * gemm.ldd; ++i) gemm.d[i] = 0;"), "gates: product"),
    failed("writes-around", "writes right behind D", "guard bands, compared bit for bit", GEMM,
           in_kernel("  gemm.d[gemm.m * gemm.ldd] = 0;"), "gates: guard bands"),
    failed("looks-for-the-reference", "reads all of memory, to find the expected result",
           "every allocation has its bounds; the reference is not on the device", GEMM,
           only("  for (float* p = gemm.d; true; p += 1024) gemm.d[0] += *p;"),
           "gates: launch", "illegal address"),
    failed("not-a-number", "fills D with NaN, which no tolerance refuses",
           "bits are compared", GEMM,
           only("  for (int i = 0; i < gemm.m * gemm.ldd; ++i) gemm.d[i] = __int_as_float(-1);"),
           "gates: product"),
    failed("endless-kernel", "a kernel that loops for ever", "a limit on each launch", GEMM,
           only("  while (true) atomicAdd(gemm.d, 1.0f);"), "gates: launch",
           "A loop that does not end?"),
    failed("endless-recursion", "a device function that calls itself for ever",
           "the depth of the emulated stack", GEMM,
           only("  auto down = [](auto self, int n) -> int { return n < 0 ? n : "
                "self(self, n + 1) * n; };\n  gemm.d[0] = down(down, gemm.m);"), "gates: launch"),
    failed("flood-of-printf", "prints for ever from the kernel",
           "the output goes nowhere; a limit on each launch", GEMM,
           only('  while (gemm.m > 0) printf("a line for the log\\n");'),
           "gates: launch", "A loop that does not end?"),
    failed("takes-all-memory", "takes all of the device's memory",
           "the emulated device has 256 MiB; then `malloc` says null", GEMM,
           only("  while (malloc(1 << 20)) {}"), "gates: product"),
    failed("huge-variable", "a variable of 16 GiB", "it does not fit the emulated device", GEMM,
           before("__device__ char huge[16ull << 30];\n__device__ char* keep = huge;"),
           "gates: launch"),
    failed("huge-local", "1 GiB of local memory for every thread", "the emulated device's limit",
           GEMM, in_kernel("  volatile char huge[1 << 30];\n  huge[gemm.m << 20] = 1;"),
           "gates: launch"),
    failed("endless-template", "a template that needs itself for ever", "nvcc's own depth",
           MAP, before(ENDLESS_TEMPLATE), "compile: nvcc"),
    failed("template-explosion", "templates that double sixty times",
           "limits on the compiler's time and memory", MAP, before(TEMPLATES), "compile: nvcc"),
    failed("macro-explosion", "a macro of ten thousand million tokens",
           "a limit on each file that is written, and on memory", MAP,
           before(f"{MACROS}\n__device__ int many[] = {{L9}};"), "compile: nvcc"),
    failed("flood-of-warnings", "a header that includes itself for ever, with a `#warning`",
           "a tool that says more than 4 MiB is stopped", MAP, lambda p: WARNINGS,
           "compile: nvcc", "said more than 4 MiB"),
    failed("includes-zeros", "includes `/dev/zero`", "a limit on memory", MAP,
           before('#include "/dev/zero"'), "compile: nvcc"),
    failed("forged-registers", "has ptxas quote a register count of the submission's own making",
           "the judge knows no string over two lines; a kernel named twice is not believed",
           GEMM, forged_registers, "gates: launch", "string is never closed"),
    refused("symbolic-link", "its file is a link to `/etc/passwd`", link_file, "symbolic link"),
    refused("linked-folder", "its folder is a link to another's", link_folder, "symbolic link"),
    refused("linked-student", "all of it is a link to another's", link_student, "symbolic link"),
    refused("pipe", "its file is a pipe that nobody writes to", pipe, "no plain file"),
    refused("folder", "its file is a folder", folder_instead, "no plain file"),
    refused("empty", "its file is empty", lambda p: " \n", "is empty"),
    refused("binary", "its file is not text", lambda p: bytes(range(256)) * 16, "no text"),
    refused("huge-file", "its file has 1 MiB", lambda p: "// x\n" * 210_000, "bytes;"),
    failed("garbage", "random bytes that might be text", "nvcc refuses them; what it quotes is "
           "cleaned of what a terminal would obey", MAP,
           lambda p: b"\x1b[31m\xff\xfe#\x07" + bytes(range(128, 256)) * 64, "compile: nvcc"),
    Attack("nothing", "hands in nothing", "the verdict says so", MAP, lambda p: None, "missing", "",
           "there is no 01a-fragment-map/submission.cuh"),
    *(passed(name, f"a folder called `{grading.shown_name(name)}`",
             "names are data: no command line ever has one", MAP, lambda p: p.solution)
      for name in ("a b", "-rf", "--out=x", "line\nbreak", "\x1b[31mred", "=1+1", "$(id);`id`")),
    passed("honest", "the solution, beside all of these", "–", MAP, lambda p: p.solution),
)  # fmt: skip


def lay_out(root: Path, folder: Path, attacks: Sequence[Attack] = ATTACKS) -> list[Exercise]:
    """Makes the class; returns the exercises that are handed in."""
    there = all_exercises(root)
    chosen = [select(there, number) for number in (MAP, GEMM)]
    for attack in attacks:
        exercise = select(there, attack.number)
        place = Place(root, folder, folder / attack.name, exercise)
        place.file.parent.mkdir(parents=True)
        text = attack.make(place)
        if text is not None:
            place.file.write_bytes(text.encode() if isinstance(text, str) else text)
    return chosen


def recognisers() -> list[Attack]:
    """Those that ./day check lets pass: it is the drawing that finds them out."""
    return [attack for attack in ATTACKS if attack.name.startswith("knows-")]


def differences(
    records: Sequence[Record], folder: Path, attacks: Sequence[Attack] = ATTACKS
) -> list[str]:
    """Where the verdicts are not those of the table."""
    found = {(r["student"], r["exercise"]): r for r in records}
    wrong = [f"{folder / OWNED} is there: host code has run"] * (folder / OWNED).exists()
    for attack in attacks:
        r = found.get((grading.shown_name(attack.name), attack.number))
        if r is None:
            wrong.append(f"{attack.name!r} has no verdict")
        elif complaint := mismatch(attack, r):
            wrong.append(f"{attack.name!r}: {complaint}: {r}")
    return wrong


def mismatch(attack: Attack, r: Record) -> str:
    verdict = f"{r['stage']}: {r['name']}" if "stage" in r else ""
    words = "\n".join(r["lines"])
    if attack.or_says and r["status"] == "failed" and re.search(attack.or_says, words):
        return ""
    if r["status"] != attack.status or not verdict.startswith(attack.verdict):
        return f"wanted {attack.status} {attack.verdict}"
    return "" if re.search(attack.says, words) else f"wanted the words [{attack.says}]"


def rehearse(
    root: Path, folder: Path, tools: Tools, way: sandbox.Way, each: Callable[[Record], None]
) -> list[str]:
    """Lays the class out in `folder` and grades it; returns what was not as the table has it. The
    limits are tighter than those of a grading, and so soon reached."""
    chosen = lay_out(root, folder)
    wanted = {(grading.shown_name(attack.name), attack.number) for attack in ATTACKS}
    works = [w for w in grading.collect(folder, chosen, False, True) if w.key in wanted]
    terms = replace(
        grading.TERMS, seed=SEED, kernel_seconds=1, limits=Limits(seconds=60, cpu_seconds=3)
    )
    records: list[Record] = []

    def keep(record: Record) -> None:
        records.append(record)
        each(record)

    grading.Grader(root, tools, way, terms, os.cpu_count() or 1).run(works, keep)
    return differences(records, folder)


def table(_root: Path) -> str:
    """For exercises/GRADING.md."""
    lines = ["| who | tries | verdict | held by |", "|---|---|---|---|"]
    for attack in ATTACKS:
        verdict = f"{attack.status}, {attack.verdict}" if attack.verdict else attack.status
        name = grading.shown_name(attack.name).replace("|", "\\|")
        lines.append(f"| `` {name} `` | {attack.tries} | {verdict} | {attack.held_by} |")
    return "\n".join(lines) + "\n"
