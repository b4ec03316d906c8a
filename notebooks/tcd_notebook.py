"""What the notebooks share: code from the real files, figures with where they come from, runs of
the real executables, one style of plot.

Plots are SVG without a background, and their ink is the page's own text colour, so that one picture
serves light and dark. Every caption is made from the files that the figure was drawn from.
"""

from __future__ import annotations

import csv
import functools
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from IPython.display import HTML, Markdown, display
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "common" / "cli"))

from day import pages, toolkit  # noqa: F401

DATA = ROOT / "notebooks" / "data"
BUILD = ROOT / "build" / "emulated"

# ---- text

Source = dict[str, Any]  # a provenance: kind, and where it comes from


def code(file: str, section: str | None = None) -> None:
    """The part of a real file that the pages include by the same name."""
    display(Markdown(f"{pages.include(ROOT, file, section)}\n[`{file}`](../{file})"))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], *sources: Source) -> None:
    """Numbers to the right; sources as under a figure."""
    rows = [list(row) for row in rows]
    numeric = [
        all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(head))
    ]

    def cell(value: Any) -> str:
        if value is None:
            return "–"
        if isinstance(value, int):
            return f"{value:,}"
        return f"{value:,.4g}" if isinstance(value, float) else html.escape(str(value))

    def line(tag: str, cells: Sequence[Any]) -> str:
        made = (
            f"<{tag}{' class=number' if number else ''}>{cell(value)}</{tag}>"
            for value, number in zip(cells, numeric, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    text = "".join(line("td", row) for row in rows)
    show_html(
        f'<figure><div class="wide"><table><thead>{line("th", head)}</thead>'
        f"<tbody>{text}</tbody></table></div>{caption('', sources)}</figure>"
    )


def show_html(text: str) -> None:
    display(HTML(text))


# ---- data


def data(name: str) -> dict[str, Any]:
    """notebooks/data/NAME.json, whose "provenance" says what kind of figures it holds."""
    found = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    found["provenance"]["file"] = f"notebooks/data/{name}.json"
    return found


def source(verdict: dict[str, Any]) -> Source:
    return verdict["provenance"]


def rows(name: str) -> list[dict[str, Any]]:
    """notebooks/data/NAME.csv: numbers as numbers, an empty cell as None."""

    def value(text: str) -> Any:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text or None

    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def measured_csv(name: str, like: str) -> Source:
    """A bench's CSV came from the same run of the same card as the verdict LIKE."""
    return {**source(data(like)), "file": f"notebooks/data/{name}.csv", "command": None}


def timings(verdict: dict[str, Any]) -> dict[str, float]:
    """Kernel → TFLOP/s."""
    return {
        entry["name"]: entry["gflops"] / 1000 for entry in verdict["timings"] if "gflops" in entry
    }


def derived(command: str, device: str = "counted, not measured") -> Source:
    return {"kind": "derived", "device": device, "command": command}


# ---- runs


def environment(gpu: str) -> dict[str, str]:
    before = os.environ.get("LD_LIBRARY_PATH")
    folders = [str(BUILD / "emulator"), *([before] if before else [])]
    return {**os.environ, "TCD_GPU": gpu, "LD_LIBRARY_PATH": os.pathsep.join(folders)}


def executable(name: str) -> Path:
    path = BUILD / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built. Type: ./day book (or ./day run), then again")
    return path


def run(day: str, *arguments: str, gpu: str = "rtx4060-laptop") -> dict[str, Any]:
    """Runs the day's real executable on the emulated device; its verdict, once all gates passed."""
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        file = Path(folder) / "verdict.json"
        done = subprocess.run(
            [executable(f"day{day}"), "--json", file, *arguments],
            env=environment(gpu),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(
                f"day{day} {' '.join(arguments)} ended with {done.returncode}:\n"
                f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        verdict = json.loads(file.read_text())
    verdict["printed"] = done.stdout
    return verdict


@functools.cache
def tables(*arguments: str) -> Any:
    """What book_tables says: fragments, banks, orders, profiles; or `dram …`."""
    program = BUILD / "notebooks" / "tables" / "book_tables"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# ---- plots

INK = "#010203"  # stands for the page's text colour, see svg_of
# Told apart by people who confuse red and green, and dark enough on white and on black.
COLOURS = ["#2f81c1", "#d9822b", "#2a9d78", "#b5578f", "#8a7a1f", "#6f6fd8"]
KIND_COLOUR = {"measured": COLOURS[0], "quoted": COLOURS[1], "derived": COLOURS[2]}

mpl.rcParams.update(
    {
        "svg.fonttype": "none",  # text stays text
        "font.family": "sans-serif",
        "font.size": 10,
        "figure.figsize": (7.2, 3.8),
        "figure.constrained_layout.use": True,
        "axes.prop_cycle": mpl.cycler(color=COLOURS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "legend.frameon": False,
        "savefig.transparent": True,
        **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color"), INK),
        "ytick.color": INK,
        "grid.color": INK,
    }
)


def svg_of(figure: Figure, alt: str) -> str:
    """Same figure, same text, byte for byte; the ink becomes currentColor."""
    with mpl.rc_context({"svg.hashsalt": alt}):
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)  # the page's own
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
    label = html.escape(alt, quote=True)
    return re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
        rf'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        rf'role="img" aria-label="{label}" \1>',
        text,
        count=1,
    )


def show(figure: Figure, alt: str, text: str, *sources: Source) -> None:
    """The figure with what it says and what kind of figures it shows. `alt` is for who cannot see."""
    if not sources:
        raise ValueError("a figure says what it was drawn from: give its sources")
    show_html(f"<figure>{svg_of(figure, alt)}{caption(text, sources)}</figure>")


def caption(text: str, sources: Sequence[Source]) -> str:
    return f"<figcaption>{text}{''.join(map(provenance, sources))}</figcaption>"


def provenance(origin: Source) -> str:
    kind = origin["kind"]
    if kind not in KIND_COLOUR:
        raise ValueError(f"a source is measured, quoted or derived, not {kind}")
    known = ("device", "driver", "date", "command", "source")
    facts = [html.escape(shortened(str(origin[key]))) for key in known if origin.get(key)]
    if "file" in origin:  # a path from the checkout; notebooks stand one folder down
        facts.append(f'<a href="../{origin["file"]}">{origin["file"]}</a>')
    return f'<span class="source"><b class="{kind}">{kind}</b> {" · ".join(facts)}</span>'


def shortened(text: str, most: int = 160) -> str:
    """The file that a caption links to has the rest."""
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"
