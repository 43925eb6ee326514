"""Packages made for a test: folders of metadata as pip leaves them."""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path


def package(folder: Path, name: str, *metadata: str, licence_text: str = "") -> Distribution:
    """An installed package of version 1.0 with these lines of metadata."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *metadata, ""]
    (info / "METADATA").write_text("\n".join(lines))
    (info / "RECORD").write_text(f"{info.name}/METADATA,,\n{info.name}/LICENSE,,\n")
    if licence_text:
        (info / "LICENSE").write_text(licence_text)
    return Distribution.at(info)
