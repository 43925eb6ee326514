"""The policy of a confined process; everything else is refused as far as the kernel can."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

# The environment variable with the policy; it is removed when it is read.
POLICY_VARIABLE = "ISOLATION_POLICY"


class Layer(StrEnum):
    """An independent layer of isolation."""

    FILES = "files by Landlock"
    NETWORK = "network namespace"
    PROCESSES = "process namespace"
    CALLS = "system calls by seccomp"
    LIMITS = "resource limits"


@dataclass(frozen=True, slots=True)
class Policy:
    """The permissions of a process and its children.

    ``read`` and ``write`` are files and folders with their contents; ``write`` may be read, too, ``execute``
    be run. ``memory``: bytes of private data per process; ``file_bytes``: per file; ``cpu``: seconds per
    process; ``processes``: concurrent processes, if those of other users are not counted. 0 means no limit.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    execute: tuple[str, ...] = ()
    memory: int = 0
    file_bytes: int = 0
    cpu: int = 0
    processes: int = 0

    def to_json(self) -> str:
        """Return the policy for the environment of the process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Return the policy of ``to_json``."""
        found: dict[str, Any] = json.loads(text)
        read, write, execute = (tuple(map(str, found[name])) for name in ("read", "write", "execute"))
        memory, file_bytes, cpu, processes = (
            int(found[name]) for name in ("memory", "file_bytes", "cpu", "processes")
        )
        return cls(read, write, execute, memory, file_bytes, cpu, processes)
