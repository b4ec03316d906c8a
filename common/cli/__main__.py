"""Where ./day enters Python: `python -I common/cli ARGUMENTS`.

Two starts. With `--set-up` first it runs on the system's Python, standard library only, makes
.day/venv and goes on in there. Otherwise it runs on .day/venv's Python, checks that the set-up is
still the one this checkout asks for (a millisecond), and runs the command.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    from day import provision

    if arguments[:1] == ["--set-up"]:
        os.environ.pop("DAY_SET_UP", None)
        try:
            provision.set_up(ROOT)
        except provision.SetUpError as error:
            print(f"day: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("\nday: set-up interrupted; the next ./day starts it again.", file=sys.stderr)
            return 130
        python = provision.venv_python(ROOT)
        os.environ["DAY_JUST_SET_UP"] = "1"
        os.execv(python, [str(python), "-I", str(Path(__file__).parent), *arguments[1:]])

    stale = provision.why_stale(ROOT)
    if stale and os.environ.pop("DAY_JUST_SET_UP", None):
        print(f"day: the set-up did not hold: {stale}. Remove .day and try again.", file=sys.stderr)
        return 2
    if stale:
        print(f"day: setting up again: {stale}", file=sys.stderr)
        os.environ["DAY_SET_UP"] = "1"
        day = str(ROOT / "day")
        os.execv(day, [day, *arguments])
    os.environ.pop("DAY_JUST_SET_UP", None)

    from day.app import run

    return run(ROOT, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
