"""The versions of this environment, written into the files of requirements.

Lines that people wrote keep their place and their words, with the version that is installed; what is brought
along is written anew below them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.supply_chain.closure import Package, closure
from benchmarks.supply_chain.requirements import (
    BROUGHT_ALONG,
    DEVELOPMENT,
    PROJECT,
    SHIPPED,
    normalised,
    pins,
)


def main() -> int:
    """Write both files and say what changed."""
    packages = closure()
    for file in (SHIPPED, DEVELOPMENT):
        path = PROJECT / file
        before = path.read_text(encoding="utf-8")
        after = written(file, packages)
        changed = [line for line in after.splitlines() if line not in before.splitlines()]
        path.write_text(after, encoding="utf-8")
        print(f"{file}: {len(changed)} lines changed", *changed, sep="\n  ")
    return 0


def written(file: str, packages: Mapping[str, Package], folder: Path = PROJECT) -> str:
    """The text of one file with the versions of ``packages``."""

    def current(line: str) -> str:
        name = re.match(r"[\w.-]+", line)
        if name is None or line.startswith("-"):
            return line
        version = packages[normalised(name[0])].public_version
        return re.sub(r"==[\w.!]+", f"=={version}", line, count=1)

    text = (folder / file).read_text(encoding="utf-8").split(BROUGHT_ALONG)[0].rstrip()
    lines = [current(line) for line in text.splitlines()]
    named = {pin.key for pin in pins(file, folder) if not pin.brought}
    brought = [
        f"{package.name}=={package.public_version}"
        for name, package in packages.items()
        if name not in named and package.ships == (file == SHIPPED)
    ]
    return "\n".join([*lines, "", BROUGHT_ALONG, *brought, ""])
