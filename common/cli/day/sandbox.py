"""Where the tools of a grading run: no network, no file but the toolkit and the submission's own
folder, limits on time, memory, output and processes.

Three ways, the first that works here is taken: bubblewrap; namespaces by unshare, with Landlock for
the files (confine.py); Landlock alone. A way counts as working only when a compiler runs in it and
a forbidden file, a socket and a write outside are refused in it. None: no grading. Standard library
only.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from day.errors import UsageError
from day.tool import Done, Limits, Runner

INSTALL = "sudo apt-get install -y bubblewrap"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")  # the compiler, the shell, their libraries
OF_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
FIRST_UID = 61184  # of the range that systemd hands out for a moment: no account has these
CONFINE = Path(__file__).with_name("confine.py")


@dataclass(frozen=True)
class Way:
    """One way to confine a command."""

    name: str
    # What is started: (command, its own folder, what else it may read, limits, uid or None)
    wrap: Callable[[Sequence[str], Path, Sequence[Path], Limits, int | None], list[str]]


def bubblewrap(
    command: Sequence[str], job: Path, readable: Sequence[Path], limits: Limits, uid: int | None
) -> list[str]:
    start = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]
    start += ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "grading"]
    for place in SYSTEM:
        if Path(place).is_symlink():
            start += ["--symlink", str(Path(place).readlink()), place]
        elif Path(place).exists():
            start += ["--ro-bind", place, place]
    more = [Path(place) for place in (*OF_ETC, *readable) if Path(place).exists()]
    more = [place for place in more if not any(place.is_relative_to(top) for top in SYSTEM)]
    # Folders on the way would be root's alone.
    for folder in sorted({folder for place in (*more, job) for folder in place.parents}):
        start += ["--perms", "0755", "--dir", str(folder)] if folder != Path("/") else []
    for place in more:
        start += ["--ro-bind", str(place), str(place)]
    start += ["--proc", "/proc", "--dev", "/dev", "--bind", str(job), str(job), "--chdir", str(job)]
    start += ["--remount-ro", "/dev", "--remount-ro", "/"]  # they are memory
    if uid is None:
        start += ["--unshare-user", "--cap-drop", "ALL"]
        become = []
    else:  # as root: without a user namespace, so that the process limit counts for this uid
        start += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        become += ["--inh-caps=-all", "--no-new-privs", "--"]
    # The limits come last: bwrap itself must not fall under them.
    bounds = [f"--{name}={soft}:{hard}" for name, (soft, hard) in of_process(limits, uid).items()]
    return [*start, "--", *become, "prlimit", *bounds, "--", *command]


def landlock(
    command: Sequence[str], job: Path, readable: Sequence[Path], limits: Limits, uid: int | None
) -> list[str]:
    specification = {
        "readable": [*SYSTEM, *OF_ETC, *map(str, readable)],
        "writable": [str(job)],
        "uid": uid,
        "limits": of_process(limits, uid),
    }
    return [sys.executable, "-I", str(CONFINE), json.dumps(specification), *command]


def namespaces(
    command: Sequence[str], job: Path, readable: Sequence[Path], limits: Limits, uid: int | None
) -> list[str]:
    start = ["unshare", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    if uid is None:
        start += ["--user", "--map-current-user"]
    # The shell is process 1 of the new namespace: that one no signal ends, the limits' neither.
    shell = ["sh", "-c", '"$@"; exit $?', "sh"]
    return [*start, "--", *shell, *landlock(command, job, readable, limits, uid)]


WAYS = (
    Way("bubblewrap", bubblewrap),
    Way("namespaces and Landlock", namespaces),
    Way("Landlock", landlock),
)


def of_process(limits: Limits, uid: int | None) -> dict[str, tuple[int, int]]:
    """Soft and hard; names as prlimit and the module resource have them."""
    processes = limits.processes + (os.cpu_count() or 1)  # threads count too: one a core
    if uid is None:
        processes += tasks_of_mine()  # older kernels count all that this user has
    both = {
        "data": limits.memory_bytes,
        "fsize": limits.file_bytes,
        "nofile": limits.files,
        "nproc": processes,
        "core": 0,
        "stack": limits.stack_bytes,
    }
    # SIGXCPU first, which says why; SIGKILL for what goes on all the same.
    cpu = (limits.cpu_seconds, limits.cpu_seconds + 2)
    return {"cpu": cpu, **{name: (most, most) for name, most in both.items()}}


def tasks_of_mine() -> int:
    mine, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == mine:
                count += len(list((process / "task").iterdir()))
        except OSError:  # it has just ended
            continue
    return count


class Sandboxed(Runner):
    """A runner whose tools are confined. `slot` numbers the runners that work at the same time: as
    root each has a uid of its own, so that one cannot reach what another has started."""

    def __init__(self, way: Way, readable: Sequence[Path], slot: int = 0) -> None:
        super().__init__()
        self.way = way
        self.readable = list(readable)
        self.uid = FIRST_UID + slot if os.getuid() == 0 else None

    def wrapped(self, command: Sequence[str | Path], job: Path, limits: Limits) -> list[str]:
        return self.way.wrap([str(c) for c in command], job, self.readable, limits, self.uid)

    def environment(self, job: Path) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(job),
            "TMPDIR": str(job),
            "LC_ALL": "C.UTF-8",
        }

    def prepare(self, job: Path) -> None:
        """Hands the folder over to whom the tools run as."""
        if self.uid is not None:
            for path in (job, *job.rglob("*")):
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def run(
        self, command: Sequence[str | Path], job: Path, limits: Limits, keep_stdout: bool = True
    ) -> Done:
        done = super().run(command, job, limits, keep_stdout)
        if 128 < done.code < 128 + 32:  # how bwrap and unshare say that a signal ended it
            return Done(128 - done.code, done.said, done.cut)
        return done


def of_toolkit(nvcc: Path) -> list[Path]:
    """The toolkit's folder, and the one it is a link to."""
    folders = {nvcc.parent.parent, nvcc.resolve().parent.parent}
    return sorted(folder for folder in folders if folder not in (Path("/usr"), Path("/")))


# Run inside: what is outside must be neither seen nor written, and nobody be reached. bash can try
# it all by itself.
ATTEMPTS = """
exec 2>/dev/null
if cat -- "$1" >/dev/null; then echo 'a file outside can be read'; fi
(: >"$2")
if cat /etc/passwd >/dev/null; then echo '/etc/passwd can be read'; fi
if : <"/dev/tcp/127.0.0.1/$3"; then echo 'the network can be reached'; fi
if : >inside && test -f inside; then echo 'tried'; fi
"""
HELD = ["tried"]


def attempts(runner: Runner, top: Path, job: Path) -> list[str]:
    """What a program that `runner` runs can do, of what it must not. HELD: nothing of it."""
    secret, written = top / "secret", top / "written"
    secret.write_text("seen")
    for path, mode in ((secret, 0o644), (top, 0o777)):  # the sandbox's doing, not the file's mode
        path.chmod(mode)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        command = ["bash", "-c", ATTEMPTS, "bash", secret, written, port]
        found = runner.run(command, job, Limits()).said.splitlines()
    return [*found, "a file outside can be written"] if written.exists() else found


def why_not(way: Way, nvcc: Path) -> str | None:
    """None when this way works here; else what went wrong."""
    with tempfile.TemporaryDirectory(prefix="day-sandbox-") as top:
        job = Path(top) / "job"
        job.mkdir()
        (job / "empty.cu").write_text("__global__ void kernel() {}\n")
        Path(top).chmod(0o711)
        runner = Sandboxed(way, of_toolkit(nvcc))
        runner.prepare(job)
        try:
            command = [nvcc, "-ptx", "empty.cu", "-o", "empty.ptx"]
            compiled = runner.run(command, job, Limits())
            if compiled.code != 0 or not (job / "empty.ptx").is_file():
                said = compiled.said.strip().splitlines()
                return said[0] if said else f"nvcc ended with code {compiled.code}"
            found = attempts(runner, Path(top), job)
        except OSError as error:
            return f"{error.filename}: {error.strerror}"
    return None if found == HELD else f"it does not hold: {', '.join(found) or 'no answer'}"


def choose(nvcc: Path, wanted: str | None = None) -> Way:
    """The first way that works here. Raises UsageError with the line that installs one."""
    remarks = []
    for way in WAYS:
        if wanted and way.name != wanted:
            continue
        if remark := why_not(way, nvcc):
            remarks.append(f"{way.name}: {remark}")
        else:
            return way
    raise UsageError(
        "no sandbox works here, and nothing is graded without one:\n  "
        + "\n  ".join(remarks)
        + f"\nGet one: {INSTALL}"
    )


def version(way: Way) -> str:
    if way.name != "bubblewrap":
        return way.name
    program = shutil.which("bwrap") or "bwrap"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or way.name
