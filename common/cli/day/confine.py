"""confine.py SPEC COMMAND…: runs COMMAND with no file but those that SPEC names, no socket, no new
privilege and limited means. For machines without bubblewrap: Landlock guards the files, a seccomp
filter the sockets, both without any privilege. Standard library only; the kernel's interfaces are
called by number, since Python has no names for them.

SPEC is JSON: readable (files and folders, for reading and executing), writable (folders), uid (or
null), limits (names of `resource` without RLIMIT_, in lower case).
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import shutil
import signal
import struct
import sys
from collections.abc import Iterable

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
RULE_PATH_BENEATH = 1

# Rights of linux/landlock.h, in the order of their bits.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
REFER, TRUNCATE, IOCTL = 1 << 13, 1 << 14, 1 << 15  # versions 2, 3, 5
FIRST_ABI = (1 << 13) - 1  # all rights of the first version: the four, and what makes and removes
READ_ONLY = EXECUTE | READ_FILE | READ_DIR
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
# In the submission's own folder: plain files and folders, no links, pipes, sockets, devices.
OWN = WRITE_FILE | READ_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG
OWN |= REFER | TRUNCATE
NETWORK = 0b11  # version 4: binding and connecting TCP
SCOPES = 0b11  # version 6: abstract sockets and signals
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL  # the rest is for folders only

AUDIT_ARCH_X86_64, X32_BIT = 0xC000003E, 0x40000000
RET_ALLOW, RET_ERRNO, RET_KILL = 0x7FFF0000, 0x00050000, 0x80000000
# What a compiler has no use for: sockets, looking into other processes, other namespaces, io_uring
# (which opens sockets without being asked twice).
REFUSED = {
    "socket": 41, "socketpair": 53, "ptrace": 101, "mount": 165, "umount2": 166,
    "process_vm_readv": 310, "process_vm_writev": 311, "unshare": 272, "setns": 308,
    "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "pidfd_open": 434,
    "pidfd_send_signal": 424, "keyctl": 250, "add_key": 248, "request_key": 249,
}  # fmt: skip

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


class Refused(Exception):
    """The kernel does not do it."""


def call(what: str, result: int) -> int:
    if result < 0:
        raise Refused(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def landlock_abi() -> int:
    """0: this kernel has none, or it is switched off."""
    found = libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, int(found))


def handled(abi: int) -> int:
    rights = FIRST_ABI
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL)):
        if abi >= since:
            rights |= right
    return rights


def restrict_files(readable: Iterable[str], writable: Iterable[str]) -> None:
    abi = landlock_abi()
    if abi == 0:
        raise Refused("this kernel has no Landlock, or it is switched off")
    rights = handled(abi)
    fields = [rights]
    if abi >= 4:
        fields.append(NETWORK)
    if abi >= 6:
        fields.append(SCOPES)
    attribute = struct.pack(f"={len(fields)}Q", *fields)
    size = ctypes.c_size_t(len(attribute))
    ruleset = call(
        "landlock_create_ruleset",
        libc.syscall(LANDLOCK_CREATE_RULESET, attribute, size, ctypes.c_uint32(0)),
    )
    places = [(path, READ_ONLY) for path in readable]
    places += [(path, OWN) for path in writable]
    places.append(("/dev/null", READ_FILE | WRITE_FILE | TRUNCATE))
    for path, allowed in places:
        allow(ruleset, path, allowed & rights)
    call("no_new_privs", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    nothing = ctypes.c_uint32(0)
    call("landlock_restrict_self", libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, nothing))
    os.close(ruleset)


def allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # not on this machine
    if not os.path.isdir(path):  # noqa: PTH112  (pathlib is slow to import)
        rights &= ON_FILES
    rule = struct.pack("=Qi", rights, place)
    result = libc.syscall(LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, ctypes.c_uint32(0))
    os.close(place)
    call(f"landlock_add_rule {path}", result)


def refuse_calls() -> None:
    """A filter of the classic kind: load the architecture and the number, compare, answer."""

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    numbers = sorted(REFUSED.values())
    steps = [
        step(load, 4),
        step(equal, AUDIT_ARCH_X86_64, 1, 0),
        step(answer, RET_KILL),
        step(load, 0),
        step(at_least, X32_BIT, len(numbers) + 1),
        *(step(equal, number, len(numbers) - index) for index, number in enumerate(numbers)),
        step(answer, RET_ALLOW),
        step(answer, RET_ERRNO | errno.EPERM),
    ]
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(code))
    call("no_new_privs", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    call("seccomp", libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0))


def become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(specification: str, command: list[str]) -> int:
    wanted = json.loads(specification)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and so would COMMAND
        signal.signal(number, signal.SIG_DFL)
    program = shutil.which(command[0]) or command[0]  # now: Python finds nothing more afterwards
    try:
        for name, soft_and_hard in wanted["limits"].items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), soft_and_hard)
        if wanted["uid"] is not None:
            become(wanted["uid"])
        restrict_files(wanted["readable"], wanted["writable"])
        refuse_calls()
    except (Refused, OSError, ValueError) as error:
        print(f"confine: {error}", file=sys.stderr)
        return 125
    try:
        os.execv(program, command)
    except OSError as error:
        print(f"confine: {command[0]}: {error.strerror}", file=sys.stderr)
        return 126


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
