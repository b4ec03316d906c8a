"""A Slurm of one node, this machine, for as long as a test takes: as any user, in a folder of its
own, on ports of its own. Slurm comes from Debian's package slurm-wlm."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scancel", "sinfo")
PATIENCE = 60  # seconds until a node that does not come up counts as missing

CONFIGURATION = """
ClusterName=day
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=day Nodes={host} Default=YES MaxTime=10 State=UP
"""


def program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def missing() -> list[str]:
    return [name for name in PROGRAMS if program(name) is None]


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def running(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which sbatch and friends find it."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    file = folder / "slurm.conf"
    file.write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            ports=free_ports(2),
            user=getpass.getuser(),
            folder=folder,
            cpus=os.cpu_count(),
        )
    )
    environment = {**os.environ, "SLURM_CONF": str(file)}
    daemons = []
    try:
        for command in (["slurmctld", "-D", "-f", file], ["slurmd", "-D", "-f", file]):
            path = program(command[0])
            assert path is not None
            daemons.append(
                subprocess.Popen(
                    [path, *command[1:]],
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=(folder / f"{command[0]}.err").open("w"),
                )
            )
        wait_for_node(environment, folder)
        yield environment
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def wait_for_node(environment: dict[str, str], folder: Path) -> None:
    deadline, said = time.monotonic() + PATIENCE, ""
    while time.monotonic() < deadline:
        done = subprocess.run(
            ["sinfo", "--noheader", "--format=%t"],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        said = done.stdout.strip() or done.stderr.strip()
        if done.stdout.strip() == "idle":
            return
        time.sleep(0.1)
    logs = "\n".join(file.read_text()[-2000:] for file in folder.glob("slurm*.*") if file.is_file())
    raise RuntimeError(f"the node is not up after {PATIENCE} s: {said}\n{logs}")
