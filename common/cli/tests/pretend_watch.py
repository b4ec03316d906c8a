"""pretend_watch.py ROOT ARGUMENTS: ./day watch with a judge that needs no compiler: it passes a
submission that says "right", and takes for ever over one that says "endless"."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from day import app, submission
from day.commands import check
from day.submission import Finding, Verdict
from day.tool import Limits


def judge(exercise, file, tools, seed, runner) -> Verdict:
    text = file.read_text()
    if "endless" in text:
        with tempfile.TemporaryDirectory() as folder:
            runner.run(["sh", "-c", "sleep 300"], Path(folder), Limits(300))
    if "right" in text:
        return Verdict(gates=["product"], figures={"hmma": 4})
    return Verdict(Finding("gates", "product", [f"it says {text.strip()[:20]}"], "x.cuh:1"))


submission.judge = judge
check.need_tools = lambda root: None
sys.exit(app.run(Path(sys.argv[1]), sys.argv[2:]))
