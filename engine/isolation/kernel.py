"""System calls of Linux that are missing in the standard library, or before Python 3.12.

Constants: linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h.
"""

from __future__ import annotations

import ctypes
import os
import signal

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
    _checked(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount_processes() -> None:
    """Mount ``/proc`` for this process namespace. Raises OSError if not allowed."""
    libc = _libc()
    _checked(libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "mount /")
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _checked(libc.mount(b"proc", b"/proc", b"proc", flags, None), "mount /proc")


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
    _checked(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero), "prctl")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, call: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
