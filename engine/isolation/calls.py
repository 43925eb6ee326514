"""A filter of system calls that document readers do not need, by libseccomp, which has their numbers.

The filter also works without namespaces, as in containers, where it is the only barrier to the network.
Refused calls fail with EPERM.
"""

from __future__ import annotations

import ctypes
import errno

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
