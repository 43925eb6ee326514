"""Where what is no program lies: in a clone beside ``ui``, in an installed package inside it."""

from __future__ import annotations

from pathlib import Path

_ROOM = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """A folder that ships, by its name in a clone."""
    inside = _ROOM / name
    return inside if inside.is_dir() else _ROOM.parent / name


# Styles, scripts and the frame of the board.
ASSETS = shipped("assets")
# The sample corpus: its sources, and built.
SAMPLE_DATA = shipped("sample_data")
