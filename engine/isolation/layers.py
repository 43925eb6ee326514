"""The isolation layers available on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from engine.isolation.installation import python_policy
from engine.isolation.policy import POLICY_VARIABLE, Layer, Policy
from engine.operator_settings import PROJECT

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
