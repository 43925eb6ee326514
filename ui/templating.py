"""Templates that escape by themselves, and files that ship with the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.language.characters import marked

# Where what is no program lies: in a clone beside ``ui``, in an installed package inside it.

_ROOM = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """A folder that ships, by its name in a clone."""
    inside = _ROOM / name
    return inside if inside.is_dir() else _ROOM.parent / name


# Styles, scripts and the frame of the board.
ASSETS = shipped("assets")
# The sample corpus: its sources, and built.
SAMPLE_DATA = shipped("sample_data")


# HTML from templates that escape whatever is put into them.

TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, **values: Any) -> str:
    """A template of ``ui/templates`` with values in it; one that it names and nobody gives is an error."""
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
    # Text of others, in which nothing is hidden.
    environment.filters["marked"] = marked
    return environment
