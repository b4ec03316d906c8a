"""gradescope_class.py ROOT …: Gradescope's run_autograder, in folders laid out as Gradescope does,
with this checkout as the course. Before ./day has been set up: exit code 77, not run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NOT_RUN = 77
BOTH = ("05a-swizzle-bk64", "05b-swizzle-bk16")


def run(top: Path) -> tuple[int, dict[str, Any]]:
    script = top / "source" / "run_autograder"
    done = subprocess.run([script], env={**os.environ, "AUTOGRADER": str(top)}, check=False)
    results = top / "results" / "results.json"
    return done.returncode, json.loads(results.read_text()) if results.exists() else {}


def main(root: Path) -> int:
    if not (root / ".day" / "stamp.json").is_file():
        print("not run: ./day has not been set up here")
        return NOT_RUN
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        top = Path(folder)
        for name in ("source", "results", "course", "submission"):
            (top / name).mkdir()
        shutil.copy(root / "common" / "exercises" / "gradescope" / "run_autograder", top / "source")
        (top / "source" / "exercises.txt").write_text("05a\n05b\n")
        (top / "course" / "day").symlink_to(root / "day")
        for name in BOTH[:1]:
            (top / "submission" / name).mkdir()
            shutil.copy(root / "solutions" / name / "submission.cuh", top / "submission" / name)
        code, results = run(top)
        print(code, json.dumps(results, indent=1))
        found = {test["number"]: (test["score"], test["status"]) for test in results["tests"]}
        held = code == 0 and found == {"05a": (1, "passed"), "05b": (0, "failed")}
        held = held and results["score"] == 1
        (top / "results" / "results.json").unlink()
        (top / "source" / "exercises.txt").write_text("77z\n")
        code, results = run(top)  # trouble is no result
        print(code, results)
        return 0 if held and code == 2 and not results else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
