"""Which layers hold on this machine, found out by a process that confines itself."""

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
    """The command and the environment of a process that confines itself and becomes ``command``."""
    # Relative to the folder of the process, a path would lead to files that somebody else has put there.
    own_paths = map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    paths = [environment.get("PYTHONPATH", str(PROJECT)), *own_paths]
    own = {**environment, "PYTHONPATH": os.pathsep.join(paths), POLICY_VARIABLE: policy.to_json()}
    return [sys.executable, "-P", "-m", "engine.isolation.enter", *command], own


def layers_here() -> dict[Layer, str]:
    """The layers that a worker has on this machine, each in words."""
    command, environment = entering(python_policy(), {})
    told = subprocess.run(command, env=environment, capture_output=True, check=False)
    return layers_of(told.stdout.splitlines()[0]) if told.returncode == 0 and told.stdout else {}


def layers_of(line: bytes) -> dict[Layer, str]:
    """What a process that has confined itself tells in its first line."""
    return {Layer(key): str(value) for key, value in json.loads(line)["layers"].items()}


def in_words(held: Mapping[Layer, str]) -> str:
    """One line: what holds, and what does not."""
    return "; ".join([*held.values(), *(told for layer, told in _WITHOUT.items() if layer not in held)])
