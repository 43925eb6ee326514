"""The packages of the wheel and what they depend on; the rest stands in ``pyproject.toml``.

What the page shows and the sample corpus lie beside ``ui`` in a clone and inside it in a wheel. Dependencies
are those of ``requirements.txt``, as bounds: from the version that was tested to the next that may break.
"""

import re
from pathlib import Path

from setuptools import find_namespace_packages, setup

BROUGHT_ALONG = "# Brought along by these"
# In one version alone: a newer one comes with CUDA where the index of the CPU builds has only this one.
EXACT = {"torch"}


def dependencies() -> list[str]:
    """What is imported, each with its bounds."""
    named = (Path(__file__).parent / "requirements.txt").read_text(encoding="utf-8").split(BROUGHT_ALONG)[0]
    return [bounded(*line) for line in re.findall(r"^([\w.-]+)(\[[\w,-]+\])?==([\d.]+)", named, re.MULTILINE)]


def bounded(name: str, extras: str, version: str) -> str:
    """A requirement from a version to the next major one, or, below 1.0, to the next minor one."""
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
