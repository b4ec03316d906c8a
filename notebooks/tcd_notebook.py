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
import shlex
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
GPU = "rtx4060-laptop"  # whom the emulated device plays unless told

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
        if isinstance(value, float):
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        return html.escape(str(value))

    kinds = [
        "number" if number else "prose" if max(len(str(row[i])) for row in rows) > 40 else ""
        for i, number in enumerate(numeric)
    ]

    def line(tag: str, cells: Sequence[Any]) -> str:
        made = (
            f"<{tag}{f' class={kind}' if kind else ''}>{cell(value)}</{tag}>"
            for value, kind in zip(cells, kinds, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    text = "".join(line("td", row) for row in rows)
    show_html(
        f'<figure><div class="wide"><table><thead>{line("th", head)}</thead>'
        f"<tbody>{text}</tbody></table></div>{caption('', sources)}</figure>"
    )


def short_name(device: str) -> str:
    """Of a column on a phone: "emulated RTX 4060 Laptop"."""
    name = re.sub(r"\b(NVIDIA|GeForce|GPU)\b ?", "", device).strip()
    emulated = name.removesuffix("(emulated)").strip()
    return name if emulated == name else f"emulated {emulated}"


def predictions(*verdicts: Source) -> None:
    """What the day foretells, and what became of it on each device."""
    columns = [
        f"{short_name(v['provenance']['device'])} ({v['provenance']['kind']})" for v in verdicts
    ]

    def became(one: dict[str, Any] | None) -> str:
        if one is None or one["held"] is None:
            return "–"
        seen = re.search(r"\(([^()]*)\)$", one["text"])
        return ("held" if one["held"] else "NOT held") + (f": {seen[1]}" if seen else "")

    found = [{one["number"]: one for one in verdict["predictions"]} for verdict in verdicts]
    numbers = sorted(set().union(*found))
    first = {n: next(one[n] for one in found if n in one)["text"] for n in numbers}
    table(
        ["", "prediction", *columns],
        [
            (n, re.sub(r" \([^()]*\)$", "", first[n]), *(became(one.get(n)) for one in found))
            for n in numbers
        ],
        *map(source, verdicts),
    )


def show_html(text: str) -> None:
    display(HTML(text))


# ---- data


def data(name: str) -> dict[str, Any]:
    """notebooks/data/NAME.json, whose "provenance" says what kind of figures it holds."""
    found = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    found["provenance"]["file"] = f"notebooks/data/{name}.json"
    return found


def recorded(name: str) -> dict[str, Any] | None:
    """The same, or None: nobody has run it on that card yet."""
    return data(name) if (DATA / f"{name}.json").is_file() else None


def source(verdict: dict[str, Any]) -> Source:
    return verdict["provenance"]


def rows(name: str) -> list[dict[str, Any]]:
    return read_rows(DATA / f"{name}.csv")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """A CSV: numbers as numbers, an empty cell as None."""

    def value(text: str) -> Any:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text or None

    with path.open(encoding="utf-8", newline="") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def measured_csv(name: str, like: str) -> Source:
    """A bench's CSV came from the same run of the same card as the verdict LIKE."""
    return {**source(data(like)), "file": f"notebooks/data/{name}.csv", "command": None}


def timings(verdict: dict[str, Any]) -> dict[str, float]:
    """Kernel → TFLOP/s."""
    return {
        entry["name"]: entry["gflops"] / 1000 for entry in verdict["timings"] if "gflops" in entry
    }


def derived(what: str, *files: str, command: str | None = None) -> Source:
    """Counted or computed, from files of the checkout or by a command that anybody can type."""
    return {"kind": "derived", "source": what, "files": files, "command": command}


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


def typed(day: str, arguments: Sequence[str], gpu: str) -> str:
    """What a reader types to see the same."""
    words = ["./day", "run", day, *(["--gpu", gpu] if gpu != GPU else [])]
    return shlex.join([*words, *(["--", *arguments] if arguments else [])])


def run(
    day: str,
    *arguments: str,
    gpu: str = GPU,
    fails: bool = False,
    env: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Runs the day's real executable on the emulated device; its verdict, once all gates passed.

    `fails`: a gate must fail instead. What was said is under "printed".
    """
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        file = Path(folder) / "verdict.json"
        done = subprocess.run(
            [executable(f"day{day}"), "--json", file, *arguments],
            env={**environment(gpu), **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != int(fails):
            raise RuntimeError(
                f"{typed(day, arguments, gpu)} ended with {done.returncode}, not {int(fails)}:\n"
                f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        verdict = json.loads(file.read_text())
    verdict["printed"] = done.stdout + done.stderr
    verdict["provenance"] |= {"kind": "derived", "command": typed(day, arguments, gpu)}
    return verdict


def report(day: str, *arguments: str, gpu: str = GPU) -> list[dict[str, Any]]:
    """What the emulated device counted, kernel by kernel (common/emulator/counters/README.md)."""
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        file = Path(folder) / "report.json"
        verdict = run(day, *arguments, gpu=gpu, env={"TCD_REPORT": str(file)})
        kernels = json.loads(file.read_text())["kernels"]
    for kernel in kernels:
        kernel["provenance"] = verdict["provenance"]
    return kernels


def timeline(day: str, *arguments: str, gpu: str = GPU) -> list[dict[str, Any]]:
    """What the warps of each launch's first CTA did, in order: the rows of TCD_TRACE."""
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        file = Path(folder) / "trace.csv"
        run(day, *arguments, gpu=gpu, env={"TCD_TRACE": str(file)})
        return read_rows(file)


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
        "axes.axisbelow": True,
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
    show_html(
        f'<figure><div class="wide">{svg_of(figure, alt)}</div>{caption(text, sources)}</figure>'
    )


def caption(text: str, sources: Sequence[Source]) -> str:
    return f"<figcaption>{text}{''.join(map(provenance, sources))}</figcaption>"


def provenance(origin: Source) -> str:
    """Kind, whose figures, and the file or the command by which they can be followed."""
    kind = origin["kind"]
    if kind not in KIND_COLOUR:
        raise ValueError(f"a source is measured, quoted or derived, not {kind}")
    known = ("device", "driver", "date", "source")
    facts = [html.escape(shortened(str(origin[key]))) for key in known if origin.get(key)]
    if command := origin.get("command"):
        facts.append(f"<code>{html.escape(shortened(command))}</code>")
    files = [*origin.get("files", ()), *([origin["file"]] if "file" in origin else [])]
    for file in files:  # a path from the checkout; notebooks stand one folder down
        if not (ROOT / file).exists():
            raise ValueError(f"a source names {file}, which is not there")
        facts.append(f'<a href="../{file}">{file}</a>')
    if not files and "./day " not in (command or ""):
        raise ValueError(f"a reader cannot follow this source: name a file or a command: {origin}")
    return f'<span class="source"><b class="{kind}">{kind}</b> {" · ".join(facts)}</span>'


def shortened(text: str, most: int = 160) -> str:
    """The file that a caption links to has the rest."""
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"
