"""./day bench: the days on a card (bench_card.py); how fast the emulated device is, beside OpenBLAS
on the same cores; and how long it takes from a save to the verdict (bench_watch.py)."""

from __future__ import annotations

import datetime
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from day import build, context, provision, terminal
from day.commands import bench_card, bench_kernels, bench_watch
from day.commands.run_days import check_writable
from day.errors import UsageError

TARGET = "bench_emulator"
FULL, QUICK = 4096, 1024
MEMORY_BAR = 1.5 * 2**30  # bytes, at 4096³
LEARNED_FROM_OPENBLAS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS")
SPEED_BAR = bench_kernels.SPEED_BAR
WORDS = ("emulator", "kernels", "watch")

Sample = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    name: str  # what bench_emulator calls it
    words: str
    checks: str  # TCD_CHECKS
    bar: float  # at most so many times SGEMM's time


KINDS = (
    Kind("exact", "exact inputs, no checks", "off", 4.0),
    Kind("random", "random inputs, every check", "report", 10.0),
)


def bench(
    ctx: typer.Context,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NN… | emulator | kernels | watch]",
            help="Days to time on a card, 03 and later; default: all. Or one of the words.",
        ),
    ] = None,
    peer: Annotated[
        bool, typer.Option("--peer", help="Days: compare with CUTLASS's sm_80 kernels too.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"emulator: {QUICK}³ in place of {FULL}³.")
    ] = False,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=99, help="emulator, kernels, watch: of each. Default: 3."
        ),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE.json", help="Keep the figures, with provenance."),
    ] = None,
) -> int:
    """Time the days' GEMMs on a card, beside cuBLAS. Gated first, in turn, rested in between.

    What follows `--` goes to the executable: ./day bench 09 -- --size 8192 --csv FILE; its own
    --help lists all. With `emulator`: Day 03's GEMM on the emulated device against OpenBLAS's SGEMM
    on these cores. With `kernels`: every day's kernel on the emulated device. With `watch`: every
    exercise from the save to the verdict.

    Bars are printed as held or not held; a machine's speed fails nothing. Exit code: 0 measured,
    1 a result was wrong or a check spoke, 2 bad usage, no card or no OpenBLAS.
    """
    own = context.of(ctx, takes_extra=True)
    words = list(what or [])
    if json_file == "-":
        raise UsageError("bench keeps its figures in a file: --json FILE.json")
    if json_file:
        check_writable(Path(json_file))
    if words not in ([word] for word in WORDS):
        refuse_for_days(words, quick, samples)
        kept = ["--json", json_file] if json_file else []
        return bench_card.run(own.root, words, peer, [*kept, *own.extra])
    context.of(ctx)  # neither takes anything after `--`
    if peer:
        raise UsageError(f"--peer is for the days: ./day bench --peer, without {words[0]}.")
    if words != ["emulator"] and quick:
        raise UsageError(f"--quick makes emulator's matrices smaller: leave it out of {words[0]}.")
    count = 3 if samples is None else samples
    if words == ["watch"]:
        return bench_exercises(own.root, count, json_file)
    if words == ["kernels"]:
        return bench_all_kernels(own.root, count, json_file)
    return bench_emulator(own.root, quick, count, json_file)


def refuse_for_days(words: Sequence[str], quick: bool, samples: int | None) -> None:
    for word in WORDS:
        if word in words:
            raise UsageError(f"{word} stands alone: ./day bench {word}")
    if quick or samples is not None:
        raise UsageError(
            "--quick and --samples are for emulator, kernels and watch; the days take --size and "
            "--rounds behind `--`: ./day bench 09 -- --size 2048 --rounds 20"
        )


def bench_emulator(root: Path, quick: bool, samples: int, json_file: str | None) -> int:
    build.build(root, "emulated", [TARGET])
    size = QUICK if quick else FULL
    machine = say_machine()
    taken = take_samples(root, size, samples)
    figures = summary(taken, size, machine["cores"])
    show(figures)
    if json_file:
        quickly = "--quick " if size == QUICK else ""
        command = f"emulator {quickly}--samples {samples}"
        document = {"provenance": provenance(machine, command), **figures, "samples": taken}
        provision.write_atomically(Path(json_file), json.dumps(document, indent=2) + "\n")
    return 1 if figures["wrong"] else 0


def say_machine() -> dict[str, Any]:
    machine = describe_machine()
    print(machine_line(machine))
    if machine["load_1min"] > 0.3:
        print(
            f"warning: the machine is busy (load {machine['load_1min']:.1f} before the first "
            "sample): ratios suffer too, since the two do not share cores alike.",
            file=sys.stderr,
        )
    return machine


def bench_all_kernels(root: Path, samples: int, json_file: str | None) -> int:
    build.build(root, "emulated", [bench_kernels.TARGET])
    machine = say_machine()
    taken = bench_kernels.measure(root, samples, emulated_environment(root))
    figures = bench_kernels.summary(taken, machine["cores"])
    print("\n".join(bench_kernels.show(figures)))
    below = bench_kernels.below_the_bar(figures)
    print(f"bar: exact inputs, no checks, at least {SPEED_BAR:g} M/s and core: {held(not below)}")
    if json_file:
        document = {
            "provenance": provenance(machine, f"kernels --samples {samples}"),
            **figures,
            "samples": taken,
        }
        provision.write_atomically(Path(json_file), json.dumps(document, indent=2) + "\n")
    if figures["check_reports"]:
        terminal.complain(f"{figures['check_reports']} check reports: a kernel has a mistake.")
    return 1 if figures["check_reports"] else 0


def bench_exercises(root: Path, samples: int, json_file: str | None) -> int:
    machine = describe_machine()
    print(machine_line(machine))
    taken = bench_watch.measure(root, samples)
    figures = bench_watch.summary(taken)
    print("\n".join(bench_watch.show(taken, figures)))
    for name, bar in (("median", bench_watch.MEDIAN_BAR), ("worst", bench_watch.WORST_BAR)):
        print(f"bar: {name} under {bar:g} s: {held(figures[name] < bar)}")
    if json_file:
        document = {
            "provenance": provenance(machine, f"watch --samples {samples}"),
            **figures,
            "samples": taken,
        }
        provision.write_atomically(Path(json_file), json.dumps(document, indent=2) + "\n")
    return 0


def take_samples(root: Path, size: int, count: int) -> dict[str, list[Sample]]:
    """SGEMM and both kinds in turn, so that a disturbance meets all of them."""
    taken: dict[str, list[Sample]] = {name: [] for name in ("sgemm", *(k.name for k in KINDS))}
    for round_number in range(count):
        build.say_progress(f"round {round_number + 1} of {count} …")
        taken["sgemm"].append(sample(root, "sgemm", size, {}))
        for kind in KINDS:
            taken[kind.name].append(sample(root, kind.name, size, {"TCD_CHECKS": kind.checks}))
    build.clear_progress()
    return taken


def clean_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Without what would make either side slower or another device than it is by default."""
    return {
        name: value
        for name, value in inherited.items()
        if not name.startswith(("TCD_", "OMP_")) and name not in LEARNED_FROM_OPENBLAS
    }


def emulated_environment(root: Path) -> dict[str, str]:
    environment = clean_environment(os.environ)
    parts = (str(root / "build/emulated/emulator"), environment.get("LD_LIBRARY_PATH", ""))
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(part for part in parts if part)
    return environment


def sample(root: Path, kind: str, size: int, settings: Mapping[str, str]) -> Sample:
    environment = {**emulated_environment(root), **settings}
    program = root / "build/emulated/common/emulator/bench" / TARGET
    done = subprocess.run(
        [program, kind, str(size)], env=environment, capture_output=True, text=True, check=False
    )
    sys.stderr.write(done.stderr if done.returncode == 0 else "")
    if done.returncode != 0:
        raise UsageError(done.stderr.strip() or f"{TARGET} {kind} ended with {done.returncode}.")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def median(samples: Sequence[Sample], name: str) -> float:
    return statistics.median(float(one[name]) for one in samples)


def summary(taken: Mapping[str, Sequence[Sample]], size: int, cores: int) -> dict[str, Any]:
    reference = median(taken["sgemm"], "seconds")
    first = taken["sgemm"][0]
    figures: dict[str, Any] = {
        "size": size,
        "sgemm": {
            "seconds": reference,
            "gflops": 2 * size**3 / reference / 1e9,
            "core": first["core"],
            "config": first["config"],
            "threads": first["threads"],
        },
        "wrong": sum(one["wrong"] + one["check_reports"] for k in KINDS for one in taken[k.name]),
    }
    for kind in KINDS:
        mine = taken[kind.name]
        seconds = median(mine, "seconds")
        rate = median(mine, "warp_instructions") / seconds / cores / 1e6
        figures[kind.name] = {
            "seconds": seconds,
            "ratio": seconds / reference,
            "bar": kind.bar,
            "million_warp_instructions_per_second_and_core": rate,
            "proven_share": median(mine, "mma_proven") / median(mine, "mma"),
            "peak_bytes": max(int(one["peak_bytes"]) for one in mine),
        }
    return figures


def held(yes: bool) -> str:
    return terminal.paint("held", "green") if yes else terminal.paint("NOT held", "red")


def show(figures: Mapping[str, Any]) -> None:
    size, sgemm = figures["size"], figures["sgemm"]
    print(
        f"OpenBLAS SGEMM {size}³: {sgemm['seconds']:.3f} s, {sgemm['gflops']:.0f} GFLOP/s, kernel "
        f"{sgemm['core']}, {sgemm['threads']} threads ({sgemm['config']})"
    )
    for kind in KINDS:
        mine = figures[kind.name]
        rate = mine["million_warp_instructions_per_second_and_core"]
        print(
            f"emulated FP16 GEMM {size}³, {kind.words}: {mine['seconds']:.3f} s, "
            f"{mine['ratio']:.1f} times SGEMM; {rate:.1f} M warp instructions/s and core; "
            f"{mine['proven_share']:.1%} of the mma proven exact; "
            f"peak memory {mine['peak_bytes'] / 2**20:.0f} MiB"
        )
    for kind in KINDS:
        mine = figures[kind.name]
        rate = mine["million_warp_instructions_per_second_and_core"]
        print(f"bar: {kind.words}, at most {kind.bar:g} times: {held(mine['ratio'] <= kind.bar)}")
        if kind.name == "exact":
            word = held(rate >= SPEED_BAR)
            print(f"bar: {kind.words}, at least {SPEED_BAR:g} M/s and core: {word}")
    peak = max(figures[kind.name]["peak_bytes"] for kind in KINDS)
    print(f"bar: memory under 1.5 GiB: {held(peak < MEMORY_BAR)}")
    if size != FULL:
        print(f"The bars are meant for {FULL}³: leave --quick out.")
    if figures["wrong"]:
        terminal.complain(
            f"{figures['wrong']} wrong elements or check reports: a speed of wrong results is none."
        )


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return "unknown"
    return next(
        (line.split(":", 1)[1].strip() for line in lines if "model name" in line), "unknown"
    )


def describe_machine() -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "load_1min": os.getloadavg()[0],
    }


def machine_line(machine: Mapping[str, Any]) -> str:
    return f"{machine['cpu']}, {machine['cores']} cores, load average {machine['load_1min']:.1f}"


def provenance(machine: Mapping[str, Any], arguments: str) -> dict[str, Any]:
    return {
        "kind": "measured",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": f"./day bench {arguments}",
        "load_1min_after": os.getloadavg()[0],
        **machine,
    }
