"""The packages and dependencies of the wheel; ``pyproject.toml`` has the rest.

The page's assets and the sample corpus are next to ``ui`` in a clone and inside it in a wheel. Dependencies
come from ``requirements.txt``, as ranges from the tested version to the next one that may break.
"""

import re
from pathlib import Path

from setuptools import find_namespace_packages, setup

BROUGHT_ALONG = "# Brought along by these"
# Packages pinned to one version: a newer torch would come with CUDA, because the index of CPU builds has only
# this version.
EXACT = {"torch"}


def dependencies() -> list[str]:
    """Return the direct dependencies with their version ranges."""
    direct = (Path(__file__).parent / "requirements.txt").read_text(encoding="utf-8").split(BROUGHT_ALONG)[0]
    return [
        bounded(*line) for line in re.findall(r"^([\w.-]+)(\[[\w,-]+\])?==([\d.]+)", direct, re.MULTILINE)
    ]


def bounded(name: str, extras: str, version: str) -> str:
    """Return a requirement from a version to the next major one, or to the next minor one below 1.0."""
    if name in EXACT:
        return f"{name}{extras}=={version}"
    major, minor = (*map(int, version.split(".")), 0)[:2]
    return f"{name}{extras}>={version},<{major + 1 if major else f'0.{minor + 1}'}"


packages = find_namespace_packages(include=["engine", "engine.*", "ui", "ui.*"], exclude=["*.__pycache__"])
setup(
    py_modules=["redstring"],
    packages=[*packages, "ui.assets", "ui.sample_data"],
    install_requires=dependencies(),
)
