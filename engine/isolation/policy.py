"""What a confined process may do; everything else is refused by whatever the kernel offers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

# The policy reaches the process that confines itself in this variable, which ends there.
POLICY_VARIABLE = "ISOLATION_POLICY"


class Layer(StrEnum):
    """Something that keeps a process in bounds, independent of the others."""

    FILES = "files by Landlock"
    NETWORK = "network namespace"
    PROCESSES = "process namespace"
    CALLS = "system calls by seccomp"
    LIMITS = "resource limits"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a process and all its children may do.

    ``read`` and ``write`` are files and folders, with all below them; ``write`` may be read too, and
    ``execute`` run. ``memory``: bytes of private data of one process; ``file_bytes``: of one file;
    ``cpu``: seconds of one process; ``processes``: at the same time, where they can be counted apart from
    those of others. 0 bounds nothing.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    execute: tuple[str, ...] = ()
    memory: int = 0
    file_bytes: int = 0
    cpu: int = 0
    processes: int = 0

    def to_json(self) -> str:
        """For the environment of the process that is to confine itself."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """What ``to_json`` gave."""
        found: dict[str, Any] = json.loads(text)
        read, write, execute = (tuple(map(str, found[name])) for name in ("read", "write", "execute"))
        memory, file_bytes, cpu, processes = (
            int(found[name]) for name in ("memory", "file_bytes", "cpu", "processes")
        )
        return cls(read, write, execute, memory, file_bytes, cpu, processes)
