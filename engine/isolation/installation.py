"""What a Python process has to read before all else: the interpreter, its packages, the system."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

from engine.isolation.policy import Policy
from engine.operator_settings import INSTALLED, PROJECT

# Of this project a worker needs its program, not what lies beside it: corpora of others, settings, history.
PROGRAM = ("engine", "ui")
SYSTEM = (
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    "/dev/urandom",
)  # fmt: skip
_LOADERS = ("/lib/ld-*", "/lib64/ld-*", "/usr/lib/ld-*", "/usr/lib64/ld-*")


def link_program(folder: Path) -> None:
    """Make a folder from which this program can be imported by who may not list the project's."""
    folder.mkdir()
    for name in PROGRAM:
        (folder / name).symlink_to(PROJECT / name, target_is_directory=True)


def python_policy() -> Policy:
    """What may be read and run so that Python starts and finds its packages."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders = {sys.prefix, sys.base_prefix, *sys.path, *libraries} - {""}
    read = {Path(folder).resolve() for folder in folders}
    if INSTALLED:
        # What lies beside this program are libraries; where it was started from may lie anything.
        read -= {Path.cwd()} - {PROJECT}
    else:
        read -= {PROJECT, *PROJECT.parents}
    loaders = (os.path.realpath(path) for pattern in _LOADERS for path in glob.glob(pattern))
    return Policy(
        read=(*sorted(map(str, read)), *(str(PROJECT / name) for name in PROGRAM), *SYSTEM),
        execute=(os.path.realpath(sys.executable), *sorted(set(loaders))),
    )
