"""Confinement of the current process; it is irrevocable and inherited by children."""

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
# No links, devices or sockets: later readers of the folder would follow them.
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
# Writable for every process.
_SINK = "/dev/null"


def landlock_version() -> int:
    """Return the kernel's version of Landlock, 0 for none."""
    try:
        return abi_version()
    except LandlockError:
        return 0


def confine(policy: Policy) -> dict[Layer, str]:
    """Confine this process from now on; return the effective layers with descriptions.

    Call it while the process has a single thread: existing threads would stay free.
    """
    held = {Layer.LIMITS: _limit(policy)}
    # Layers unknown to the kernel are missing in the result.
    if landlock_version():
        held[Layer.FILES] = _allow_files(policy)
    with suppress(OSError):
        refuse_calls()
        held[Layer.CALLS] = str(Layer.CALLS)
    return held


def deny_changes(folders: Iterable[str]) -> None:
    """Confine a process that reads untrusted files: no network, no other processes, writing only below
    folders.

    Reading is not restricted.
    """
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
        description = f"{Layer.FILES} {rules.abi_version}"
        return description + (", no TCP" if rules.handled_net & AccessNet.CONNECT_TCP else "")


def _allow(rules: Ruleset, path: str, access: AccessFS) -> None:
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        rules.allow_path(path, access if is_folder else access & _OF_FILES)
    except FileNotFoundError:
        # A usual folder may be missing on some systems.
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
