"""Templates that escape their values, and files that ship with the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.language.characters import marked

# The location of data files: next to ``ui`` in a clone, inside it in an installed package.

_ROOM = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """Return a folder of data files by its name in a clone."""
    inside = _ROOM / name
    return inside if inside.is_dir() else _ROOM.parent / name


# Styles, scripts and the frame of the board.
ASSETS = shipped("assets")
# The sample corpus: its sources, and the built one.
SAMPLE_DATA = shipped("sample_data")


# HTML templates that escape all values.

TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, **values: Any) -> str:
    """Render a template of ``ui/templates``; a missing value is an error."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # For untrusted text: makes hidden characters visible.
    environment.filters["marked"] = marked
    return environment
