"""verdicts.py ROOT NVCC CHECKER: submissions that are broken in other ways than a learner's usual
mistakes, and what the verdict says of each. Exit code 1 when it says something else."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MAP = '#include "exercises/device/fragment_map.cuh"\n'
MAPS = "".join(
    f"__device__ tcd::Element element_of_{name}(int lane, int i) {{ return {{-1, i}}; }}\n"
    for name in "abd"
)
KERNEL = 'extern "C" __global__ void gemm_kernel(tcd::GemmArguments gemm)'
GEMM = '#include "exercises/device/gemm.cuh"\n'

# (exercise, what is wrong, the submission or an edit of the solution, stage: name, words in it)
CASES = [
    ("01a", "a missing semicolon", MAP + "int x = 1\n" + MAPS, "compile: nvcc", "expected a"),
    ("01a", "a missing function", MAP, "compile: nvcc", "element_of_a"),
    ("01a", "lanes outside the tile", MAP + MAPS, "gates: fragment ownership", "never written"),
    (
        "01a",
        "the answer included",
        ("#pragma once", '#include "ptx/fragments.h"'),
        "limits: closed book",
        "closed book",
    ),
    (
        "02a",
        "no kernel of that name",
        GEMM + KERNEL.replace("gemm_kernel", "other") + " {}\n",
        "gates: launch",
        "no kernel called gemm_kernel",
    ),
    (
        "02a",
        "other parameters",
        GEMM + KERNEL.replace("tcd::GemmArguments gemm", "int m") + " {}\n",
        "gates: launch",
        "takes 4 bytes of parameters",
    ),
    (
        "02a",
        "nothing written",
        GEMM + KERNEL + " {}\n",
        "gates: product 64×64×32",
        "4,096 never written",
    ),
    (
        "02a",
        "a wild address",
        GEMM + KERNEL + " { *(float*)16 = gemm.m; }\n",
        "gates: launch",
        "illegal address",
    ),
    (
        "02a",
        "inline PTX that is none",
        GEMM + KERNEL + ' { asm volatile("frobnicate;"); }\n',
        "compile: ptxas",
        "frobnicate",
    ),
    (
        "02a",
        "a flood of output",
        GEMM
        + "#include <cstdio>\n"
        + KERNEL
        + ' { for (int i = 0; i < 2000; ++i) printf("{\\"passed\\": true}\\n"); }\n',
        "gates: product 64×64×32",
        "never written",
    ),
    (
        "02a",
        "a loop without end",
        GEMM + KERNEL + " { while (true) atomicAdd(gemm.d, 1.0f); }\n",
        "gates: launch",
        "after 10 s",
    ),
    (
        "02a",
        "the rows after D written",
        ("float d[kMmasN][4] = {};", "float d[kMmasN][4] = {}; gemm.d[gemm.m * gemm.ldd] = 0;"),
        "gates: guard bands 64×64×32",
        "",
    ),
    (
        "02a",
        "more shared memory",
        ("half b[kCtaK * kLdB];", "half b[kCtaK * kLdB + 8];"),
        "compile: nvcc",
        "static assertion",
    ),
    (
        "04a",
        "a wait count too high",
        ("cp_async_wait<2 * (kStages - 2)>", "cp_async_wait<3>"),
        "gates: product 128×128×32",
        "cp.async.wait_group 3 was given, 2 is needed\nwith two groups a tile",
    ),
    (
        "04a",
        "a wait count too low",
        ("cp_async_wait<2 * (kStages - 2)>", "cp_async_wait<1>"),
        "limits: cp.async.wait_group 2 required",
        "cp.async.wait_group 1 was given, 2 is needed\nwith two groups a tile",
    ),
    (
        "04a",
        "two wait counts",
        (
            "tcd::ptx::cp_async_wait<2 * (kStages - 2)>();",
            "if (tile == 0) tcd::ptx::cp_async_wait<1>(); else tcd::ptx::cp_async_wait<0>();",
        ),
        "limits: cp.async.wait_group 2 required",
        "cp.async.wait_group 0 and 1 were given, 2 is needed\n",
    ),
    (
        "05a",
        "no room for the sums",
        ("__launch_bounds__(kThreads)", "__launch_bounds__(kThreads, 4)"),
        "limits: spill_bytes",
        "the bar is at most 0",
    ),
]


# (a change of 05a's manifest, words of the complaint): a bar with a slip in it must not be no bar.
MANIFESTS = [
    ({"registres": 64}, 'unknown key "registres"'),
    ({"counters": [{"counter": "ldmatrix_conflicts", "at_most": 0, "why": ""}]}, "no counter"),
    ({"counters": [{"counter": "ldmatrix", "why": ""}]}, "neither at_most nor at_least"),
    ({"counters": [{"counter": "ldmatrix", "atmost": 0, "why": ""}]}, 'unknown key "atmost"'),
    ({"ptx": [{"why": "x"}]}, "either required or forbidden"),
    ({"kind": "spmm"}, "there are fragment-map, gemm,"),
    ({"kind": "tile-order", "orders": {"up_to": 0, "cases": []}}, "no grid would be tried"),
    (
        {"kind": "tile-order", "orders": {"up_to": 1, "cases": [{"name": "x", "bar": 1}]}},
        'unknown key "bar"',
    ),
    ({"kind": "issue-rate", "steps": 0}, "nothing would be issued"),
    ({"mma": {"in_a_row": 1, "at_least": 1, "why": ""}}, 'unknown key "at_least"'),
]


def wrong_manifests(manifest: Path, checker: Path) -> int:
    wrong = 0
    content = json.loads(manifest.read_text(encoding="utf-8"))
    for change, words in MANIFESTS:
        with tempfile.TemporaryDirectory(prefix="exercise-") as folder:
            file, verdict = Path(folder) / "exercise.json", Path(folder) / "verdict.json"
            file.write_text(json.dumps({**content, **change}), encoding="utf-8")
            command = [checker, file, Path(folder) / "no.ptx", verdict]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            written = verdict.exists()
        print(f"manifest {change}: {done.returncode}: {done.stderr.strip()}")
        if done.returncode != 2 or words not in done.stderr or written:
            wrong += 1
            print(f"WRONG: wanted exit code 2, [{words}] and no verdict")
    return wrong


def main(root: Path, nvcc: Path, checker: Path) -> int:
    sys.path.insert(0, str(root / "common" / "cli"))
    from day import exercises
    from day.submission import Tools, judge

    there = exercises.all_exercises(root)
    wrong = wrong_manifests(exercises.select(there, "05a").manifest, checker)
    for number, what, source, wanted, words in CASES:
        exercise = exercises.select(there, number)
        if isinstance(source, tuple):
            old, new = source
            solution = exercise.solution.read_text(encoding="utf-8")
            assert solution.count(old) == 1, f"{number}: the solution no longer has one `{old}`"
            source = solution.replace(old, new)
        with tempfile.TemporaryDirectory(prefix="exercise-") as folder:
            file = Path(folder) / "submission.cuh"
            file.write_text(source, encoding="utf-8")
            finding = judge(exercise, file, Tools(nvcc, checker)).finding
        got = f"{finding.stage}: {finding.name}" if finding else "passed"
        said = "\n".join(finding.lines) if finding else ""
        print(f"{number}: {what}: {got}")
        if got != wanted or words not in said:
            wrong += 1
            print(f"WRONG: wanted [{wanted}] with [{words}], got [{got}]\n{said}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])))
