"""slurm_class.py ROOT …: ./day grade --slurm on a Slurm of one node gives the verdicts that ./day
grade gives, and goes on from what an earlier array has left. Without Slurm, or before ./day has
been set up: exit code 77, not run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import one_node_slurm

NOT_RUN = 77
FIRST = "01a-fragment-map"
TASKS = 2


def verdicts(report: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    return [(r["student"], r["status"], r["lines"]) for r in report["results"]]


def main(root: Path) -> int:
    if missing := one_node_slurm.missing():
        print(f"not run: no {', '.join(missing)} here. sudo apt-get install -y slurm-wlm")
        return NOT_RUN
    if not (root / ".day" / "stamp.json").is_file():
        print("not run: ./day has not been set up here")
        return NOT_RUN
    with tempfile.TemporaryDirectory(prefix="slurm-") as top:
        folder, day = Path(top) / "class", [root / "day", "grade"]
        texts = {
            "ann": (root / "solutions" / FIRST / "submission.cuh").read_text(),
            "bob": "#error mine\n",
            "line\nbreak": "\n",
        }
        for name, text in texts.items():
            file = folder / name / FIRST / "submission.cuh"
            file.parent.mkdir(parents=True)
            file.write_text(text)
        here, there = Path(top) / "here.json", Path(top) / "there.json"
        seed = ["--seed", "7"]
        subprocess.run([*day, folder, "--out", here, *seed], check=False)
        slurm = Path(top) / "slurm"
        slurm.mkdir()
        with one_node_slurm.running(slurm) as environment:
            # What a task of an earlier, interrupted array has left: its verdict is kept.
            report = json.loads(here.read_text())
            header = {key: report[key] for key in ("seed", "exercises", "commit", "sandbox")}
            kept = {**report["results"][1], "lines": ["kept from before"]}
            there.with_name("there.json.state").write_text(json.dumps(header) + "\n")
            lines = "".join(json.dumps(line) + "\n" for line in (header, kept))
            there.with_name("there.json.state.5").write_text(lines)
            done = subprocess.run(
                [*day, folder, "--out", there, "--slurm", "--jobs", str(TASKS)],
                env=environment,
                check=False,
            )
            logs = sorted(there.parent.glob("there.json.slurm-*.log"))
            for log in logs:
                print(f"{log.name}: {log.read_text()}")
        wanted = verdicts({"results": [report["results"][0], kept, report["results"][2]]})
        found = verdicts(json.loads(there.read_text())) if there.exists() else []
        left = [file.name for file in there.parent.glob("there.json.state*")]
        print(f"here {verdicts(report)}\non Slurm {found}\nleft behind: {left}")
        held = found == wanted and done.returncode == 1 and len(logs) == TASKS and not left
        return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
