"""./day profile NN | cublas: a card's counters, worked out, beside the emulated device's."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from day import build, child, context, counters, ncu, provision
from day import device as devices
from day.commands import bench_card, run_days
from day.counters import Kernel
from day.errors import UsageError

INSTEAD = (
    "What can be run here: `./day run NN` counts on the emulated device what the profiler counts "
    "on a card, `./day profile NN --from FILE.csv` reads what somebody recorded on one, and "
    "`./day profile NN --dry-run` prints the command that records it."
)


def profile(
    ctx: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="NN | all | cublas", help="A day, 03 or later; or the library.")
    ],
    size: Annotated[int, typer.Option(metavar="N", min=256, help="M = N = K.")] = 4096,
    only: Annotated[
        str | None, typer.Option(metavar="WORD", help="Candidates with this in their name.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every variant of the day, not the headline ones only.")
    ] = False,
    recorded: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE.csv", help="Read a recording; needs no card."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print ncu's command line, and run nothing.")
    ] = False,
    no_emulated: Annotated[
        bool, typer.Option("--no-emulated", help="Leave out the emulated device's counts.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE.json", help="Keep all of it.")
    ] = None,
) -> int:
    """Profile one launch with Nsight Compute. Raw counters, and percentages worked out from them.

    Beside them, what the emulated device counts for the same launch; exit code 1 says that it is
    not equal. `cublas`: which kernels the library launches, and what they cost. Exit code 2: no
    card, no ncu, or counters that this user may not read.
    """
    own = context.of(ctx)
    name = what.lower()
    number = [] if name == "cublas" else bench_card.gemm_days(own.root, [what])
    selection = ["--day", number[0]] if number else []
    if name == "cublas":
        selection = ["--only", "cuBLAS", "--guesses", "0"]
    selection += ["--only", only] if only else []
    selection += ["--all"] if every else []
    arguments = ["--launch-once", "--size", str(size), *selection]
    if dry_run:
        print(shlex.join(ncu.command("ncu", metrics(None), ["build/gpu/bench", *arguments])))
        return 0
    if json_file is not None:
        run_days.check_writable(json_file)
    text = read(recorded) if recorded else record(own.root, arguments)
    groups = counters.by_candidate(counters.parse(text))
    names = counters.launched(text)
    wanted = None
    if names and len(names) == len(groups):
        wanted = [
            (one, group)
            for one, group in zip(names, groups, strict=True)
            if is_of(one, name, number) and (only is None or only in one)
        ]
        if not wanted:
            raise UsageError(f"{recorded or 'the card'} has none of it, only {', '.join(names)}.")
    emulated: dict[str, Mapping[str, Any]] = {}
    if name != "cublas" and not no_emulated:
        emulated = count_emulated(own.root, arguments, devices.profile_like(card_of(text)))
    if wanted is None and not names and len(emulated) == len(groups):  # ncu's table alone
        wanted = list(zip(emulated, groups, strict=True))
    if wanted is None:
        print(
            f"{len(groups)} kernels were recorded, {len(names or emulated)} candidates are here: "
            "not compared with the emulated device. --only TEXT names the one."
        )
        wanted, emulated = [(group[0].name, group) for group in groups], {}
    found, differ = [], 0
    for candidate, group in wanted:
        beside = emulated.get(candidate, {})
        for kernel in group:
            differ += show(candidate, kernel, beside if kernel is group[0] else {})
            found.append(as_object(candidate, kernel, beside if kernel is group[0] else {}))
    if json_file is not None:
        source = str(recorded.name) if recorded else shlex.join(["./day", "profile", what])
        document = {
            "provenance": counters.provenance(text),
            "size": size,
            "kernels": found,
            "source": source,
        }
        provision.write_atomically(json_file, json.dumps(document, indent=2) + "\n")
        print(f"written: {json_file}")
    compared = sum(len(one["emulated"]) for one in found)
    if compared:
        print(
            f"\n{compared - differ} of {compared} counts are the emulated device's, to the last one"
        )
    return 1 if differ else 0


def is_of(candidate: str, what: str, number: Sequence[str]) -> bool:
    """The bench puts a day's number before its kernels' names."""
    if what == "cublas":
        return candidate.startswith("cuBLAS")
    return not number or candidate.split(" ", 1)[0] in number


def card_of(text: str) -> str:
    return counters.provenance(text).get("device", "")


def metrics(available: Sequence[str] | None) -> list[str]:
    return [*counters.choose(available).values(), *counters.LAUNCH.values()]


def read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}.") from error


def record(root: Path, arguments: Sequence[str]) -> str:
    where = devices.need_card(build.need_toolkit(root).version, "profile", INSTEAD)
    tool = ncu.find(root)
    if tool is None:
        raise UsageError(
            "ncu is not on this machine. It is part of Nsight Compute, which comes with the CUDA "
            f"toolkit's full installer. {INSTEAD}"
        )
    print(where.line, flush=True)
    build.build(root, where.preset, ["bench"])
    available = ncu.metrics_of_this_chip(tool)
    chosen = counters.choose(available)
    for missing in sorted(set(counters.NAMES) - set(chosen)):
        print(f"this chip has no counter for {missing}: {', '.join(counters.NAMES[missing])}")
    program = [root / "build" / where.preset / "bench", *arguments]
    line = ncu.command(tool, metrics(available), program)
    return ncu.run(line, run_days.day_environment(root, where))


def count_emulated(
    root: Path, arguments: Sequence[str], gpu: str | None
) -> dict[str, dict[str, Any]]:
    """The same launch on the emulated device: by candidate, what it counted, and what its model of
    the caches says. A kernel may choose by the chip, so the chip is the recorded one."""
    build.build(root, "emulated", ["bench"])
    where = devices.choose("emulated", gpu, None)
    with tempfile.TemporaryDirectory(prefix="profile-", dir=root / ".day") as folder:
        counts, report = Path(folder) / "counts.json", Path(folder) / "report.json"
        command = [root / "build/emulated/bench", *arguments, "--json", counts]
        log = Path(folder) / "log"
        environment = {**run_days.day_environment(root, where), "TCD_REPORT": str(report)}
        code = child.run(command, env=environment, log=log)
        if code != 0:
            raise UsageError(f"the emulated device could not count it:\n{log.read_text()[-2000:]}")
        return join(json.loads(counts.read_text()), json.loads(report.read_text()))


def join(counts: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The counters by candidate, and the caches of the kernel that counted the same in a launch.
    The report has no candidates: it adds up all launches of a kernel."""
    found = {name: dict(counted) for name, counted in counts["derived"].items()}
    for name, counted in found.items():
        day = name.split(" ", 1)[0]
        for kernel in report["kernels"]:
            launches, caches = kernel["launches"], kernel.get("caches")
            same = all(
                value == launches * counted[one]
                for one, value in kernel["counters"].items()
                if one in counted and one != "check_reports" and one != "mma_proven"
            )
            if caches and same and f"day{day}::" in kernel["kernel"]:
                counted["caches"] = {one: value // launches for one, value in caches.items()}
    return found


def show(candidate: str, kernel: Kernel, beside: Mapping[str, Any]) -> int:
    """Prints one kernel; how many of the counts that must be equal are not."""
    values = kernel.values
    print(f"\n== {candidate}")
    print(f"kernel {kernel.name}")
    launch = [
        f"{values[name]:,.0f} {name.replace('_', ' ')}"
        for name in counters.LAUNCH
        if name in values
    ]
    print(", ".join(launch))
    if shape := mma_shape(values, kernel):
        print(shape)
    differ = 0
    print(f"{'raw':<26} {'counted here':>20}" + (f" {'emulated':>20}" if beside else ""))
    for name in counters.NAMES:
        if name not in values:
            continue
        line = (
            f"{name:<26} {values[name]:>20,.0f}"
            if values[name] > 99
            else f"{name:<26} {values[name]:>20,.4g}"
        )
        if name in counters.EXACT and name in beside:
            equal = values[name] == beside[name]
            differ += not equal
            line += f" {beside[name]:>20,.0f}" + (
                "" if equal else f"  DIFFERS{surplus(values, beside, name)}"
            )
        elif (model := counters.by_model(name, beside)) is not None:
            off = 100 * (model / values[name] - 1)
            line += f" {model:>20,.0f}  by a model, {off:+.1f} %"
        print(line)
    print("worked out")
    for one, value in counters.worked_out(kernel):
        print(f"{one.text:<46} {value:>10.2f} {one.unit:<15} {one.formula}")
    return differ


def surplus(values: Mapping[str, float], beside: Mapping[str, Any], name: str) -> str:
    """A card also counts an instruction whose guard is false in every lane; PTX has a branch there,
    and nothing is executed. Each warp meets it equally often."""
    warps = values.get("ctas", 0) * values.get("threads", 0) / 32
    more = values[name] - beside[name]
    if name not in ("ldmatrix", "async_copies") or not warps or more <= 0 or more % warps:
        return ""
    return f": {more / warps:.0f} more a warp, as guards do that are false in every lane"


def mma_shape(values: Mapping[str, float], kernel: Kernel) -> str:
    """The instruction, from what it multiplies: the library's names do not always say."""
    if "tensor_flop" not in values or not values.get("hmma"):
        return ""
    each = values["tensor_flop"] / values["hmma"]
    known = {2048: "m16n8k8", 4096: "m16n8k16"}
    name = known.get(round(each), "no mma.sync of FP16" if each > 4096 else "another shape")
    return f"an HMMA is {each:,.0f} FLOP: {name}"


def as_object(candidate: str, kernel: Kernel, beside: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "candidate": candidate,
        "kernel": kernel.name,
        "compute_capability": ".".join(str(part) for part in kernel.capability),
        "raw": kernel.values,
        "worked_out": {
            one.text: {"value": value, "unit": one.unit, "formula": one.formula}
            for one, value in counters.worked_out(kernel)
        },
        "emulated": {
            name: beside[name]
            for name in counters.EXACT
            if name in beside and name in kernel.values
        },
        "model": {
            name: model
            for name in kernel.values
            if (model := counters.by_model(name, beside)) is not None
        },
    }
