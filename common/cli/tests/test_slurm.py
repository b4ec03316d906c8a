"""--slurm with a pretend sbatch that runs the array's tasks here, one after the other. A real Slurm
has its test among the exercises'."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from day import grade_state, slurm
from day.errors import UsageError

ARRAY = """#!/bin/sh
echo "$@" > {top}/options
cat > {top}/script
echo 17
for task in 0 1 2; do SLURM_ARRAY_TASK_ID=$task sh {top}/script; done
"""


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "bin"


def test_every_task_is_told_its_part(tmp_path: Path, bin_folder: Path) -> None:
    program(bin_folder, "sbatch", ARRAY.format(top=tmp_path))
    program(bin_folder, "a day", f'#!/bin/sh\necho "$#: $3 $4" >> "{tmp_path}/calls"\n')
    command = [str(bin_folder / "a day"), "grade", "a class"]
    slurm.submit(command, 3, tmp_path / "grades.json")
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == [f"4: --part {task}/3" for task in range(3)]
    options = (tmp_path / "options").read_text()
    assert "--array=0-2" in options
    assert "--wait" in options


def test_no_slurm(bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bin_folder))
    with pytest.raises(UsageError, match="leave --slurm out"):
        slurm.submit(["day"], 1, tmp_path / "grades.json")


def test_a_job_that_is_refused(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, "sbatch", "#!/bin/sh\necho 'no such partition' >&2\nexit 1\n")
    with pytest.raises(UsageError, match="took no job: no such partition"):
        slurm.submit(["day"], 1, tmp_path / "grades.json")


def test_a_ctrl_c_takes_the_array_back(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, "sbatch", f"#!/bin/sh\necho 17\ntouch {tmp_path}/waits\nexec sleep 300\n")
    program(bin_folder, "scancel", f'#!/bin/sh\necho "$@" > {tmp_path}/cancelled\n')
    script = "from day import slurm; from pathlib import Path; "
    script += f"slurm.submit(['day'], 1, Path({str(tmp_path / 'grades.json')!r}))"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(Path(slurm.__file__).parents[1])},
        stderr=subprocess.DEVNULL,
    )
    while not (tmp_path / "waits").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert (tmp_path / "cancelled").read_text() == "17\n"


def verdict(student: str) -> dict[str, str]:
    return {"student": student, "exercise": "01a", "sha256": "0", "status": "passed"}


def test_what_the_tasks_leave_is_put_together(tmp_path: Path) -> None:
    out = tmp_path / "grades.json"
    header = {"seed": 1}
    for index, students in {0: "ab", 1: "bc", 11: "d"}.items():
        lines = [header, *map(verdict, students)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        grade_state.path(out, index).write_text(text + '{"student": "half a li')
    main = grade_state.path(out)
    main.write_text(json.dumps(header) + "\n")
    state = grade_state.State(main, header, [verdict("a")])
    slurm.gather(state, out)
    assert sorted(record["student"] for record in state.records) == ["a", "b", "c", "d"]
    assert slurm.parts(out) == []
    kept = grade_state.read(main)
    assert sorted(record["student"] for record in kept.records) == ["b", "c", "d"]
    state.finish()
    with pytest.raises(UsageError, match="there is no"):
        grade_state.read(main)
