"""Templates that escape their values, and files that ship with the page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension

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
COMPACT = "{# compact #}\n"
_BETWEEN_TAGS = re.compile(r"(?<=[>}])\n(?=[<{])")


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
    environment.add_extension(Compact)
    # For untrusted text: makes hidden characters visible.
    environment.filters["marked"] = marked
    return environment


class Compact(Extension):
    """Joins the lines of templates that begin with ``COMPACT``: between tags, line breaks and indentation are
    layout of the file, not of the page."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source of a template as it is compiled."""
        if not source.startswith(COMPACT):
            return source
        lines = [line.strip() for line in source.removeprefix(COMPACT).splitlines()]
        return _BETWEEN_TAGS.sub("", "\n".join(filter(None, lines))).replace("\n", " ")
