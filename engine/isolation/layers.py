"""The isolation layers available on this machine, and the files that a Python process needs."""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from engine.isolation.confining import POLICY_VARIABLE, Layer, Policy
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
