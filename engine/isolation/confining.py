"""A process gives up what it does not need. None of it can be taken back, and its children inherit it."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterable
from contextlib import suppress

from landlockpy import AccessFS, AccessNet, LandlockError, Ruleset, Scope, abi_version

from engine.isolation.calls import refuse_calls
from engine.isolation.policy import Layer, Policy

_READ = AccessFS.READ_FILE | AccessFS.READ_DIR
# No link of any kind, no device and no socket: whoever reads the folder later would follow it.
_WRITE = (
    _READ
    | AccessFS.WRITE_FILE
    | AccessFS.TRUNCATE
    | AccessFS.MAKE_REG
    | AccessFS.MAKE_DIR
    | AccessFS.REMOVE_FILE
    | AccessFS.REMOVE_DIR
    | AccessFS.REFER
)
_RUN = AccessFS.EXECUTE | AccessFS.READ_FILE
_OF_FILES = AccessFS.EXECUTE | AccessFS.READ_FILE | AccessFS.WRITE_FILE | AccessFS.TRUNCATE
# Everywhere, even for who may write nothing.
_SINK = "/dev/null"


def landlock_version() -> int:
    """The version of Landlock that the kernel has, 0 for none."""
    try:
        return abi_version()
    except LandlockError:
        return 0


def confine(policy: Policy) -> dict[Layer, str]:
    """Bound what this process may do from now on; the layers that hold, each in words.

    To be called while it has a single thread: a thread that is there already stays free.
    """
    held = {Layer.LIMITS: _limit(policy)}
    # What a kernel does not have is told by its absence.
    if landlock_version():
        held[Layer.FILES] = _allow_files(policy)
    with suppress(OSError):
        refuse_calls()
        held[Layer.CALLS] = str(Layer.CALLS)
    return held


def deny_changes(folders: Iterable[str]) -> None:
    """A process that reads what strangers have sent: no network, no other process, and nothing is written but
    below these folders. What it may read stays as it was."""
    if landlock_version():
        _allow_files(Policy(read=("/",), execute=("/",), write=tuple(folders)))
    with suppress(OSError):
        refuse_calls()


def _allow_files(policy: Policy) -> str:
    with Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL) as rules:
        for paths, access in ((policy.read, _READ), (policy.write, _WRITE), (policy.execute, _RUN)):
            for path in paths:
                _allow(rules, path, access)
        _allow(rules, _SINK, AccessFS.READ_FILE | AccessFS.WRITE_FILE)
        rules.restrict()
        told = f"{Layer.FILES} {rules.abi_version}"
        return told + (", no TCP" if rules.handled_net & AccessNet.CONNECT_TCP else "")


def _allow(rules: Ruleset, path: str, access: AccessFS) -> None:
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        rules.allow_path(path, access if is_folder else access & _OF_FILES)
    except FileNotFoundError:
        # Not every system has each of its usual folders; what is not there needs no leave.
        return


def _limit(policy: Policy) -> str:
    limits = {
        resource.RLIMIT_CORE: (0, True),
        resource.RLIMIT_DATA: (policy.memory, policy.memory > 0),
        resource.RLIMIT_FSIZE: (policy.file_bytes, policy.file_bytes > 0),
        resource.RLIMIT_CPU: (policy.cpu, policy.cpu > 0),
        resource.RLIMIT_NPROC: (policy.processes, policy.processes > 0),
    }
    for name, (most, wanted) in limits.items():
        if wanted:
            _, hard = resource.getrlimit(name)
            bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(name, (bound, bound))
    return f"{policy.memory / (1 << 30):g} GiB of memory a process" if policy.memory else str(Layer.LIMITS)
