"""``python -P -m engine.isolation.enter COMMAND...``: confine this process, then become the command.

The policy comes in an environment variable. One line of JSON on standard output says which layers hold;
without a command that is all that happens. A namespace of processes needs a process of its own to begin
it: there this one waits for the command and ends as it ends, and the kernel ends all that the command has
started, however it tried to outlive it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.isolation.confining import confine
from engine.isolation.kernel import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    adopt_orphans,
    die_with_parent,
    drop_capabilities,
    mount_processes,
    no_new_privileges,
    unshare,
)
from engine.isolation.policy import POLICY_VARIABLE, Layer, Policy

# The kernel keeps 300 numbers for itself once it has counted to the end.
_FEWEST = 400
_NAMESPACES = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNS


def main(command: Sequence[str]) -> int:
    """Confine this process and become the command; returns where there is none, and as it has ended."""
    policy = Policy.from_json(os.environ.pop(POLICY_VARIABLE))
    os.umask(0o077)
    held: dict[Layer, str] = {}
    if sys.platform == "linux":
        die_with_parent()
        held = _namespaces()
        adopt_orphans()
        child = os.fork()
        if child:
            return _as_it_ends(child)
        # A group of its own, apart from the process that waits: it can be ended in one step.
        os.setpgid(0, 0)
        die_with_parent()
        held = _without_privileges(held, policy.processes)
    held |= confine(_as_held(policy, held))
    print(json.dumps({"layers": held}), flush=True)
    if command:
        os.execv(command[0], list(command))
    return 0


def _namespaces() -> dict[Layer, str]:
    """Users, network, shared memory, processes and mounts of its own; nothing where that is not allowed."""
    user, group = os.getuid(), os.getgid()
    try:
        unshare(CLONE_NEWUSER)
        for name, content in (
            ("uid_map", f"{user} {user} 1"),
            ("setgroups", "deny"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(content)
        unshare(_NAMESPACES)
    except OSError:
        return {}
    return {Layer.NETWORK: str(Layer.NETWORK), Layer.PROCESSES: str(Layer.PROCESSES)}


def _without_privileges(held: dict[Layer, str], processes: int) -> dict[Layer, str]:
    """In new namespaces: nothing of other processes is shown, and the privileges over them are given up."""
    no_new_privileges()
    if held:
        try:
            mount_processes()
        except OSError:
            # A container that hides parts of /proc lets nobody show it anew.
            held[Layer.PROCESSES] += ", without /proc"
        else:
            _number_processes(processes)
    drop_capabilities()
    return held


def _number_processes(most: int) -> None:
    """Numbers for so many processes and threads in this namespace: the limit on processes does not bind
    whoever is root outside. Before Linux 6.14 these numbers are those of the whole machine."""
    version = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    if most and version >= (6, 14):
        with suppress(OSError), open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(str(max(most, _FEWEST)))


def _as_held(policy: Policy, held: Mapping[Layer, str]) -> Policy:
    """Where a namespace shows these processes alone, /proc may be read; elsewhere it shows all there are and
    what is in their environment, and a bound on processes would count every one of this user."""
    if held.get(Layer.PROCESSES) == Layer.PROCESSES:
        return replace(policy, read=(*policy.read, "/proc"))
    return policy if held else replace(policy, processes=0)


def _as_it_ends(child: int) -> int:
    """Wait for a child and what it leaves behind; the exit code tells how the child ended."""
    for stream in (0, 1):
        os.close(stream)
    status = 0
    try:
        while True:
            ended, found = os.wait()
            status = found if ended == child else status
    except ChildProcessError:
        code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
