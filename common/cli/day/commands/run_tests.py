"""./day test: everything CI runs, with one closing line `N passed, N failed`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from day import build, child, context, pages, provision, terminal
from day.commands import book
from day.errors import BuildError, UsageError

SOURCE_FOLDERS = ("common", "days", "exercises", "solutions", "notebooks")
PYTHON_FOLDERS = ("common/cli", "notebooks")
SOURCE_SUFFIXES = (".h", ".cpp", ".cu", ".cuh")


@dataclass
class Result:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # "name: reason"

    def add(self, other: Result) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    @property
    def closing_line(self) -> str:
        line = f"{self.passed} passed, {len(self.failed)} failed"
        return line + (f", {len(self.skipped)} skipped" if self.skipped else "")


Step = tuple[str, Callable[[], Result]]


def test(
    ctx: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the sanitizer build.")] = False,
    tsan: Annotated[
        bool, typer.Option("--tsan", help="Only the tests with threads, under ThreadSanitizer.")
    ] = False,
) -> int:
    """Build and run everything CI runs. C++ and Python tests, formatting, sanitizers."""
    root = context.of(ctx).root
    if quick and tsan:
        raise UsageError("--quick leaves sanitizers out and --tsan runs one: choose.")
    if tsan:
        return run_steps(
            [("tsan", lambda: build_and_ctest(root, "tsan", ["threads_tests"], label="threads"))]
        )
    with ExitStack() as beside:
        cli_tests = beside.enter_context(pytest_started(root))
        book_tests: list[Callable[[], Result]] = []

        def asan() -> Result:
            book_tests.append(beside.enter_context(book_started(root)))  # needs what is built now
            return build_and_ctest(root, "asan")

        steps: list[Step] = [
            ("ruff check", lambda: tool(root, "ruff", ["check", *PYTHON_FOLDERS])),
            ("ruff format", lambda: tool(root, "ruff", ["format", "--check", *PYTHON_FOLDERS])),
            ("clang-format", lambda: clang_format(root)),
            ("pages", lambda: generated_pages(root)),
            ("emulated", lambda: build_and_ctest(root, "emulated")),
            ("pytest", cli_tests),
        ]
        if quick:
            steps.append(("book", lambda: the_book(root)))
        else:
            steps += [("asan", asan), ("book", lambda: book_tests[0]())]
        return run_steps(steps)


def run_steps(steps: Sequence[Step]) -> int:
    """Runs the steps in turn and prints what came of them; Ctrl-C ends with what there is."""
    total = Result()
    for name, step in steps:
        started = time.monotonic()
        build.say_progress(f"{name} …")
        try:
            result = step()
        except KeyboardInterrupt:
            build.clear_progress()
            report(total)
            print(f"interrupted during {name}", file=sys.stderr)
            return 128 + signal.SIGINT
        build.clear_progress()
        seconds = time.monotonic() - started
        word = "failed" if result.failed else "ok"
        colour = "red" if result.failed else "green"
        print(f"{terminal.paint(word, colour):<6} {name}: {result.closing_line} ({seconds:.1f} s)")
        sys.stdout.flush()
        total.add(result)
    report(total)
    return 1 if total.failed else 0


def report(total: Result) -> None:
    for skipped in total.skipped:
        print(f"skipped: {skipped}")
    for failed in total.failed:
        print(f"failed: {failed}")
    print(total.closing_line)


def one(name: str, code: int, output: str) -> Result:
    if code == 0:
        return Result(passed=1)
    sys.stdout.write(output)
    return Result(failed=[name])


def venv_program(root: Path, name: str) -> Path:
    return provision.venv_python(root).with_name(name)


def tool(root: Path, name: str, arguments: Sequence[str]) -> Result:
    command = [venv_program(root, name), *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return one(f"{name} {arguments[0]}", done.returncode, done.stdout + done.stderr)


def clang_format(root: Path) -> Result:
    files = [
        path
        for folder in SOURCE_FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in SOURCE_SUFFIXES
    ]
    if not files:
        return Result(failed=["clang-format: no source file found"])
    command = [venv_program(root, "clang-format"), "--dry-run", "-Werror", *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return one("clang-format", done.returncode, misformatted(root, done.stderr))


def misformatted(root: Path, complaints: str) -> str:
    """One line a file and the cure, in place of three lines for every blank."""
    places = Counter(re.findall(r"^(\S.*?):\d+:\d+: (?:error|warning): ", complaints, re.MULTILINE))
    if not places:
        return complaints
    names = {str(Path(path).relative_to(root)): count for path, count in places.items()}
    lines = [f"  {name}: {count} places" for name, count in names.items()]
    cure = f"cure: .day/venv/bin/clang-format -i {' '.join(names)}"
    return "\n".join(["not as clang-format would have it:", *lines, cure, ""])


def generated_pages(root: Path) -> Result:
    try:
        stale = [str(page.relative_to(root)) for page in pages.stale(root)]
    except UsageError as error:
        return one("pages", 1, f"{error}\n")
    return one("pages", len(stale), f"out of date: {', '.join(stale)} (cure: ./day pages)\n")


def the_book(root: Path) -> Result:
    with book_started(root) as result:
        return result()


@contextmanager
def book_started(root: Path) -> Iterator[Callable[[], Result]]:
    """Its notebooks and its pages in a browser, beside what is done in the block."""
    try:
        book.prepare(root)
    except (BuildError, UsageError) as error:
        terminal.complain(str(error))
        failed = Result(failed=[f"book: {error}"])
        yield lambda: failed
        return
    with pytest_started(root, "notebooks/tests") as result:

        def with_times() -> Result:
            found = result()
            from day.book import execute  # nbclient and friends: only now are they sure to be there

            print(execute.times(root))
            return found

        yield with_times


@contextmanager
def pytest_started(root: Path, folder: str = "common/cli") -> Iterator[Callable[[], Result]]:
    """Runs it beside what is done in the block. The tests of ./day wait for clocks and processes
    more than they compute, so beside a build they cost no time."""
    with tempfile.TemporaryDirectory(prefix="day-test-") as scratch:
        file, log = Path(scratch) / "junit.xml", Path(scratch) / "log"
        command = [provision.venv_python(root), "-m", "pytest", "-p", "no:cacheprovider"]
        with (
            log.open("w") as out,
            child.started(
                [*command, f"--junit-xml={file}"],
                cwd=root / folder,
                stdout=out,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            yield lambda: judged(f"pytest {folder}", process.wait(), file, log)


def build_and_ctest(
    root: Path, preset: str, targets: Sequence[str] = (), label: str | None = None
) -> Result:
    """Builds all, or `targets`, and runs all tests, or those with this label."""
    try:
        build.build(root, preset, targets)
    except BuildError as error:
        terminal.complain(str(error))
        return Result(failed=[f"{preset}: {error}"])
    with tempfile.TemporaryDirectory(prefix="day-test-") as folder:
        file, log = Path(folder) / "junit.xml", Path(folder) / "log"
        command = [build.cmake_program(root, "ctest"), "--test-dir", root / "build" / preset]
        command += ["--parallel", str(max(2, os.cpu_count() or 2)), "--output-on-failure"]
        command += ["--no-tests=error", "--timeout", "240", "--output-junit", file]
        if label:
            command += ["--label-regex", f"^{label}$"]
        environment = build.tools_environment(root)
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(
            part
            for part in (
                str(root / "build" / preset / "emulator"),
                environment.get("LD_LIBRARY_PATH", ""),
            )
            if part
        )
        code = child.run(command, cwd=root, env=environment, log=log)
        return judged(f"ctest {preset}", code, file, log)


def judged(name: str, code: int, junit: Path, log: Path) -> Result:
    """Counts from the runner's report. A runner that fails without naming a test fails as one."""
    result = Result()
    try:
        result = read_junit(name, ElementTree.parse(junit).getroot())
    except (OSError, ElementTree.ParseError):
        result.failed.append(f"{name}: no report (exit code {code})")
    if code != 0 and not result.failed:
        result.failed.append(f"{name}: exit code {code}")
    if not result.failed and result.passed == 0:
        result.failed.append(f"{name}: ran no test")
    if result.failed:
        with log.open(errors="replace") as text:
            shutil.copyfileobj(text, sys.stdout)
    return result


def read_junit(runner: str, document: ElementTree.Element) -> Result:
    result = Result()
    for case in document.iter("testcase"):
        name = f"{runner}: {case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed.append(name)
        elif skipped is not None:
            result.skipped.append(f"{name}: {skipped.get('message') or 'no reason given'}")
        elif case.get("status", "run") != "run":
            result.failed.append(f"{name} did not run ({case.get('status')})")
        else:
            result.passed += 1
    return result
