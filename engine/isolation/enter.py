"""``python -P -m engine.isolation.enter COMMAND...``: confine this process, then run the command in it.

The policy is in an environment variable. A line of JSON on standard output lists the effective layers;
without a command that is all. A process namespace needs a new first process: then this one waits for the
command and exits with its status, and the kernel ends all processes that the command has started.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.isolation.confining import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    POLICY_VARIABLE,
    Layer,
    Policy,
    adopt_orphans,
    confine,
    die_with_parent,
    drop_capabilities,
    mount_processes,
    no_new_privileges,
    unshare,
)

# The kernel reserves 300 process ids after the first wraparound.
_FEWEST = 400
_NAMESPACES = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNS


def main(command: Sequence[str]) -> int:
    """Confine this process and run the command in it; return its exit code, or 0 without a command."""
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
        # A separate process group can be ended in one step.
        os.setpgid(0, 0)
        die_with_parent()
        held = _without_privileges(held, policy.processes)
    held |= confine(_as_held(policy, held))
    print(json.dumps({"layers": held}), flush=True)
    if command:
        os.execv(command[0], list(command))
    return 0


def _namespaces() -> dict[Layer, str]:
    """Create namespaces for users, network, shared memory, processes and mounts.

    Return none if not allowed.
    """
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
    """Hide other processes in the new namespaces and drop the privileges over them."""
    no_new_privileges()
    if held:
        try:
            mount_processes()
        except OSError:
            # Containers that mask parts of /proc do not allow mounting it again.
            held[Layer.PROCESSES] += ", without /proc"
        else:
            _number_processes(processes)
    drop_capabilities()
    return held


def _number_processes(most: int) -> None:
    """Limit the number of processes and threads by their ids in this namespace.

    The usual limit does not apply to root outside. Before Linux 6.14 the ids are those of the whole machine.
    """
    version = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    if most and version >= (6, 14):
        with suppress(OSError), open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(str(max(most, _FEWEST)))


def _as_held(policy: Policy, held: Mapping[Layer, str]) -> Policy:
    """Return the policy adapted to the effective layers.

    In a process namespace /proc may be read; without one it would show all processes with their environment,
    and a limit on processes would count every process of this user.
    """
    if held.get(Layer.PROCESSES) == Layer.PROCESSES:
        return replace(policy, read=(*policy.read, "/proc"))
    return policy if held else replace(policy, processes=0)


def _as_it_ends(child: int) -> int:
    """Wait for a child and its descendants; return an exit code for the child's status."""
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
