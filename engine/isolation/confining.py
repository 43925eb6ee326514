"""Confinement of the current process by a policy: irrevocable, and inherited by children."""

from __future__ import annotations

import ctypes
import errno
import glob
import json
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from landlockpy import AccessFS, AccessNet, LandlockError, Ruleset, Scope, abi_version

from engine.operator_settings import INSTALLED, PROJECT

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


# A filter of system calls that document readers do not need, by libseccomp, which has their
# numbers.
#
# The filter also works without namespaces, as in containers, where it is the only barrier to the
# network. Refused calls fail with EPERM.

_LIBRARY = "libseccomp.so.2"
# seccomp.h
_ACT_ALLOW, _ACT_ERRNO, _NOT_EQUAL = 0x7FFF0000, 0x00050000, 1

# Pipes between parent and child use socketpair, which stays allowed.
NETWORK = ("socket", "io_uring_setup", "io_uring_enter", "io_uring_register")
OTHER_PROCESSES = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd",
    "kcmp", "perf_event_open", "setpriority", "ioprio_set", "migrate_pages", "move_pages",
    "sched_setscheduler", "sched_setparam", "sched_setattr",
)  # fmt: skip
# Landlock controls reading and writing of files, not their attributes.
FILE_ATTRIBUTES = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "setxattr",
    "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
    "removexattrat", "utime", "utimes", "futimesat", "utimensat", "file_setattr",
)  # fmt: skip
SHARED = ("shmget", "shmat", "msgget", "semget", "mq_open", "memfd_secret")
KERNEL = (
    "mount", "umount2", "move_mount", "open_tree", "fsopen", "fspick", "fsmount", "fsconfig",
    "mount_setattr", "pivot_root", "chroot", "setns", "unshare", "mknod", "mknodat", "name_to_handle_at",
    "open_by_handle_at", "fanotify_init", "bpf", "userfaultfd", "keyctl", "add_key", "request_key",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon",
    "swapoff", "quotactl", "quotactl_fd", "acct", "syslog", "settimeofday", "clock_settime",
    "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt",
    "personality", "vhangup", "nfsservctl", "lookup_dcookie",
)  # fmt: skip
# Refused for other processes.
OF_ANOTHER = ("prlimit64", "sched_setaffinity")
REFUSED = (*NETWORK, *OTHER_PROCESSES, *FILE_ATTRIBUTES, *SHARED, *KERNEL)


class _Argument(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    )


def refuse_calls(names: tuple[str, ...] = REFUSED) -> None:
    """Refuse some system calls for this process and its children from now on.

    Calls of another architecture (32 bits) kill the process. Raises OSError if no filter is available.
    """
    library = ctypes.CDLL(_LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ACT_ALLOW)))
    if not rules:
        raise OSError(errno.ENOMEM, "no filter of system calls could be made")
    try:
        refuse = ctypes.c_uint32(_ACT_ERRNO | errno.EPERM)
        for name in (*names, *OF_ANOTHER):
            number = library.seccomp_syscall_resolve_name(name.encode())
            # Negative: unknown to this architecture or version of the library.
            if number < 0:
                continue
            another = [_Argument(0, _NOT_EQUAL, 0, 0)] if name in OF_ANOTHER else []
            compared = (_Argument * len(another))(*another)
            count = ctypes.c_uint(len(another))
            _checked(library.seccomp_rule_add_array(rules, refuse, ctypes.c_int(number), count, compared))
        _checked(library.seccomp_load(rules))
    finally:
        library.seccomp_release(rules)


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(-result, "the filter of system calls was refused")


# System calls of Linux that are missing in the standard library, or before Python 3.12.
#
# Constants: linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h.

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP = 1, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38


def unshare(flags: int) -> None:
    """Enter new namespaces. Raises OSError if not allowed."""
    _checked_call(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount_processes() -> None:
    """Mount ``/proc`` for this process namespace. Raises OSError if not allowed."""
    libc = _libc()
    _checked_call(libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "mount /")
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _checked_call(libc.mount(b"proc", b"/proc", b"proc", flags, None), "mount /proc")


def die_with_parent() -> None:
    """End this process with its parent (Linux only)."""
    try:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, so that it can end them."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def drop_capabilities() -> None:
    """Drop all capabilities, also for root of the namespace and after ``exec``."""
    number = 0
    while True:
        try:
            _prctl(_PR_CAPBSET_DROP, number)
        except OSError:
            # A capability unknown to this kernel, or one that the process did not have.
            return
        number += 1


def no_new_privileges() -> None:
    """Prevent programs run from now on from gaining privileges."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _prctl(option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    _checked_call(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero), "prctl")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked_call(result: int, call: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


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


# The isolation layers available on this machine, and the files that a Python process needs.

# A worker needs the program only, not other contents of the project's folder: corpora, settings, history.
PROGRAM = ("engine", "ui")
SYSTEM = (
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    "/dev/urandom",
)  # fmt: skip
_LOADERS = ("/lib/ld-*", "/lib64/ld-*", "/usr/lib/ld-*", "/usr/lib64/ld-*")


def link_program(folder: Path) -> None:
    """Create a folder from which this program can be imported without access to the project's folder."""
    folder.mkdir()
    for name in PROGRAM:
        (folder / name).symlink_to(PROJECT / name, target_is_directory=True)


def python_policy() -> Policy:
    """Return a policy that allows Python to start and import its packages."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders = {sys.prefix, sys.base_prefix, *sys.path, *libraries} - {""}
    read = {Path(folder).resolve() for folder in folders}
    if INSTALLED:
        # Libraries are next to this program; the current folder may contain anything.
        read -= {Path.cwd()} - {PROJECT}
    else:
        read -= {PROJECT, *PROJECT.parents}
    loaders = (os.path.realpath(path) for pattern in _LOADERS for path in glob.glob(pattern))
    return Policy(
        read=(*sorted(map(str, read)), *(str(PROJECT / name) for name in PROGRAM), *SYSTEM),
        execute=(os.path.realpath(sys.executable), *sorted(set(loaders))),
    )


_WITHOUT = {
    Layer.FILES: "no file-system isolation here (Landlock): a worker can read what this server can",
    Layer.NETWORK: "no network namespace here",
    Layer.PROCESSES: "no process namespace here",
    Layer.CALLS: "no filter of system calls here (libseccomp)",
    Layer.LIMITS: "no resource limits here",
}


def entering(
    policy: Policy, environment: Mapping[str, str], *command: str
) -> tuple[list[str], dict[str, str]]:
    """Return command and environment of a process that confines itself and runs ``command``."""
    # Relative paths would depend on the folder of the process, which may contain other users' files.
    own_paths = map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    paths = [environment.get("PYTHONPATH", str(PROJECT)), *own_paths]
    own = {**environment, "PYTHONPATH": os.pathsep.join(paths), POLICY_VARIABLE: policy.to_json()}
    return [sys.executable, "-P", "-m", "engine.isolation.enter", *command], own


def layers_here() -> dict[Layer, str]:
    """Return the layers of a worker on this machine, with descriptions."""
    command, environment = entering(python_policy(), {})
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    return layers_of(result.stdout.splitlines()[0]) if result.returncode == 0 and result.stdout else {}


def layers_of(line: bytes) -> dict[Layer, str]:
    """Parse the first line of a process that confined itself."""
    return {Layer(key): str(value) for key, value in json.loads(line)["layers"].items()}


def in_words(held: Mapping[Layer, str]) -> str:
    """Return the effective and the missing layers on one line."""
    return "; ".join([*held.values(), *(missing for layer, missing in _WITHOUT.items() if layer not in held)])
