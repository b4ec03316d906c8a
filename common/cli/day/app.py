"""The commands of ./day. A new group of commands is a file in commands/ and a line here."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import click
import typer

from day import terminal
from day.commands import (
    bench,
    book,
    check,
    contribute,
    diff_days,
    doctor,
    emulate,
    grade,
    hint,
    init,
    list_days,
    next_exercise,
    notebook,
    profile,
    progress,
    reset,
    run_days,
    run_tests,
    sass,
    soak,
    solution,
    sweep,
    watch,
    write_pages,
)
from day.context import Context
from day.errors import BuildError, UsageError

app = typer.Typer(
    name="./day",
    help="Tensor Core Days: one command that builds and runs the days, on a GPU or without one.",
    add_completion=False,
    rich_markup_mode=None,  # its boxes name an argument as Python does, beside its name here
    no_args_is_help=True,
    suggest_commands=False,  # click does it by itself
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run_days.run)
app.command("list")(list_days.list_days)
app.command("test")(run_tests.test)
app.command("diff")(diff_days.diff_days)
app.command("doctor")(doctor.doctor)
app.command("emulate")(emulate.emulate)
app.command("sass")(sass.sass)
app.command("book")(book.book)
app.command("notebook")(notebook.notebook)
app.command("pages")(write_pages.write_pages)
app.command("bench")(bench.bench)
app.command("profile")(profile.profile)
app.command("sweep")(sweep.sweep)
app.command("soak")(soak.soak)
app.command("contribute")(contribute.contribute)
app.command("check")(check.check)
app.command("hint")(hint.hint)
app.command("solution")(solution.solution)
app.command("next")(next_exercise.next_exercise)
app.command("reset")(reset.reset)
app.command("progress")(progress.progress)
app.command("watch")(watch.watch)
app.command("init")(init.init)
app.command("grade")(grade.grade)


@app.callback()
def _top() -> None:
    """Keeps typer from folding the commands into one when there is a single one."""


def split_at_double_dash(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def behind_the_double_dash(arguments: list[str], error: click.ClickException) -> str | None:
    """Where a word belongs that is the program's or the day's own, to somebody who forgot `--`."""
    words = error.format_message()
    if not isinstance(error, click.NoSuchOption) and "unexpected extra argument" not in words:
        return None
    if arguments[0] == "emulate":
        return "the program goes behind `--`: ./day emulate -- ./program its arguments"
    if arguments[0] == "run":
        return "an option of the day itself goes behind `--`: ./day run 01 -- --n 512"
    return None


def give_json_its_file(arguments: list[str]) -> list[str]:
    """`--json` may stand alone or with a FILE.json (or any path: no day has a slash in its name);
    the parser only knows options with a value."""
    out: list[str] = []
    rest = [*arguments, ""]
    for index, argument in enumerate(arguments):
        following = rest[index + 1]
        if argument == "--json" and not (following.endswith(".json") or "/" in following):
            argument = "--json=-"
        out.append(argument)
    return out


def stop_on_sigterm(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def run(root: Path, arguments: list[str]) -> int:
    """The exit code: 0 all is well, 1 a check failed, 2 bad usage or environment, 130 Ctrl-C, 141
    the reader of our output went away (./day list | head -1), as the shell says of any program."""
    signal.signal(signal.SIGTERM, stop_on_sigterm)
    try:
        code = run_command(root, arguments)
        sys.stdout.flush()
        return code
    except SystemExit as error:  # click's answer to a broken pipe is sys.exit(1)
        if not isinstance(error.__context__, BrokenPipeError):
            raise
    except BrokenPipeError:
        pass
    except OSError as error:
        if error.filename is not None:  # a file's own trouble, which nobody foresaw
            raise
        discard_stdout()
        terminal.complain(f"the output cannot be written: {error.strerror}")
        return 2
    discard_stdout()
    return 128 + signal.SIGPIPE


def discard_stdout() -> None:
    """What is still to be written goes nowhere, so that Python's own flush at the end is silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_command(root: Path, arguments: list[str]) -> int:
    own, extra = split_at_double_dash(arguments)
    try:
        result = app(
            args=give_json_its_file(own),
            prog_name="./day",
            standalone_mode=False,
            obj=Context(root, tuple(extra)),
        )
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        error.show()
        if not extra and (place := behind_the_double_dash(own, error)):
            terminal.complain(place)
        return 2
    except typer.Exit as error:
        return error.exit_code
    except UsageError as error:
        terminal.complain(str(error))
        return 2
    except BuildError as error:
        terminal.complain(str(error))
        return 1
    except (KeyboardInterrupt, click.Abort):
        print("\ninterrupted", file=sys.stderr)
        return 130
