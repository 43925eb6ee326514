"""The files that a Python process needs: interpreter, packages, system."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

from engine.isolation.policy import Policy
from engine.operator_settings import INSTALLED, PROJECT

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
