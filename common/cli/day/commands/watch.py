"""./day watch: checks an exercise each time it is saved.

On a terminal the verdict stays on the screen, with a bar of how far you are and keys for what one
does next. Without a terminal each verdict is plain lines below the one before.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from day import context, exercises, practice, submission, terminal
from day.commands import check, hint, next_exercise, solution
from day.errors import UsageError
from day.exercises import Exercise
from day.submission import Tools, Verdict
from day.tool import Runner, Stopped

BAR = 24  # columns
KEYS = "[h]int  [n]ext  [d]iff  [s]olution  [q]uit"
SETTLE_MS = 40  # an editor that saves in several steps is done by then


@dataclass(frozen=True)
class Event:
    kind: Literal["saved", "key", "checked", "failed"]
    name: str = ""  # saved: the exercise's folder; key: the letter
    verdict: Verdict | None = None
    seconds: float = 0.0
    turn: int = 0  # which check it is the end of
    error: Exception | None = None


Events = queue.Queue[Event]


def watch(
    ctx: typer.Context,
    number: Annotated[
        str | None, typer.Argument(metavar="[EXERCISE]", help="Left out: the next one.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Other inputs: another seed.")
    ] = 1,
    directory: context.Directory = None,
) -> int:
    """Check an exercise each time it is saved. A save of another one goes on with that."""
    there = context.exercises_of(ctx, directory)
    if number:
        first = exercises.select(there, number)
    else:
        first = next_exercise.first_left(there) or there[0]
    if not first.submission.parent.is_dir():
        raise UsageError(f"there is no {first.submission.parent} to watch.")
    events: Events = queue.Queue()
    root = context.of(ctx).root
    session = Session(root, check.need_tools(root), there, first, seed, events)
    with saves(first.home.folder, events), keys(events):
        try:
            session.loop()
        finally:
            session.stop_check()
    return 0


@dataclass
class Session:
    root: Path
    tools: Tools
    there: Sequence[Exercise]
    exercise: Exercise
    seed: int
    events: Events
    turn: int = 0  # of the check that is under way, or was last
    runner: Runner = field(default_factory=Runner)
    screen: bool = field(default_factory=lambda: terminal.is_terminal(sys.stdout))

    def loop(self) -> None:
        self.start_check()
        while True:
            event = self.events.get()
            if event.kind == "key":
                if not self.press(event.name):
                    return
            elif event.kind == "saved":
                self.go_to(next(e for e in self.there if e.name == event.name))
            elif event.turn != self.turn:
                pass  # of a text that has been saved over since
            elif isinstance(event.error, UsageError):  # e.g. the file is gone; it may come back
                self.show([str(event.error)])
                self.footer()
            elif event.error:
                raise event.error
            elif event.verdict:
                check.keep(self.exercise, event.verdict)
                self.show(check.words(self.exercise, event.verdict))
                print(terminal.paint(f"checked in {event.seconds:.1f} s", "dim"))
                self.footer()

    def go_to(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.start_check()

    def start_check(self) -> None:
        self.stop_check()
        self.turn += 1
        self.runner = Runner()
        self.show([f"checking {context.brief(self.root, self.exercise.submission)} …"])
        arguments = (self.exercise, self.turn, self.runner)
        threading.Thread(target=self.check, args=arguments, daemon=True).start()

    def stop_check(self) -> None:
        self.runner.stop()

    def check(self, exercise: Exercise, turn: int, runner: Runner) -> None:
        started = time.monotonic()
        try:
            file = exercise.submission
            verdict = submission.judge(exercise, file, self.tools, self.seed, runner)
        except Stopped:
            return
        except Exception as error:
            self.events.put(Event("failed", turn=turn, error=error))
            return
        seconds = time.monotonic() - started
        self.events.put(Event("checked", verdict=verdict, seconds=seconds, turn=turn))

    def press(self, key: str) -> bool:
        """False: leave."""
        if key in ("q", "\x04"):
            return False
        exercise = self.exercise
        if key == "n":
            if following := next_exercise.first_left(self.there, exercise):
                self.go_to(following)
            else:
                self.show([f"{exercise.number} is the last that is left."])
                self.footer()
        elif key in ("\r", "\n", " "):
            self.start_check()
        elif key in PAGES:
            self.show(PAGES[key](exercise))
            self.footer()
        return True

    def show(self, lines: Sequence[str]) -> None:
        if self.screen:
            print("\033[H\033[2J", end="")
        print("\n".join(lines), flush=True)

    def footer(self) -> None:
        print(bar(self.there, self.screen))
        if self.screen:
            print(terminal.paint(KEYS, "dim"))
        sys.stdout.flush()


def bar(there: Sequence[Exercise], drawn: bool) -> str:
    state = practice.read(there[0].home)
    done = sum(practice.passed(state, exercise) for exercise in there)
    text = f"{done} of {len(there)} passed"
    full = BAR * done // len(there)
    return f"{'█' * full}{'░' * (BAR - full)} {text}" if drawn else text


def own_solution(exercise: Exercise) -> list[str]:
    if practice.passed(practice.read(exercise.home), exercise):
        return solution.words(exercise)
    return [f"Ours is shown once yours has passed. Stuck? h gives a hint on {exercise.number}."]


def changes(exercise: Exercise) -> list[str]:
    """What the learner has written: their file against the one that was given."""
    now = exercise.submission.read_text(encoding="utf-8", errors="replace").splitlines()
    given = exercise.unsolved().splitlines()
    lines = list(difflib.unified_diff(given, now, "as it was given", "yours", lineterm="", n=1))
    colours = {"+": "green", "-": "red"}
    return [
        terminal.paint(line, colours[line[0]]) if line[:1] in colours else line for line in lines
    ] or ["It is as it was given."]


PAGES: dict[str, Callable[[Exercise], list[str]]] = {
    "h": hint.one_more,
    "d": changes,
    "s": own_solution,
}


@contextlib.contextmanager
def saves(folder: Path, events: Events) -> Iterator[None]:
    """An event for each submission.cuh that is written, however the editor does it."""
    import watchfiles

    stop, ready = threading.Event(), threading.Event()

    def follow() -> None:
        for changed in watchfiles.watch(
            folder,
            watch_filter=lambda _, path: Path(path).name == "submission.cuh",
            step=SETTLE_MS,
            rust_timeout=200,
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=False,
        ):
            ready.set()
            for name in sorted({Path(path).parent.name for _, path in changed}):
                events.put(Event("saved", name))

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    ready.wait(timeout=5)  # what is saved from now on is seen
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=2)


@contextlib.contextmanager
def keys(events: Events) -> Iterator[None]:
    """An event for each key, without Enter, when stdin and stdout are a terminal."""
    if not (terminal.is_terminal(sys.stdin) and terminal.is_terminal(sys.stdout)):
        yield
        return
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)

    def read() -> None:
        while data := os.read(keyboard, 1):
            events.put(Event("key", data.decode(errors="replace")))

    tty.setcbreak(keyboard)
    # After Ctrl-Z and fg the shell has put its own settings back.
    resumed = signal.signal(signal.SIGCONT, lambda *_: tty.setcbreak(keyboard))
    threading.Thread(target=read, daemon=True).start()
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, resumed)
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
