"""Templates that escape their values, and files that ship with the page."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension

from engine.language.characters import marked
from engine.model import RELATION_VERBS
from engine.records.phrases import plural
from ui.palette import colour

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
_TAG_OR_BREAK = re.compile(r"(\{[{%#].*?[}%#]\})|[ \t]*\n\s*", re.DOTALL)
# Languages that are written from right to left.
RIGHT_TO_LEFT = frozenset({"ar", "fa", "ur", "he", "yi", "ps", "sd", "ug", "dv"})


def direction(language: str) -> str:
    """Return the direction of a language's script, as an HTML value."""
    return "rtl" if language.split("-")[0] in RIGHT_TO_LEFT else "ltr"


def rendered(template: str, **values: Any) -> str:
    """Render a template of ``ui/templates``; a missing value is an error."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Return the environment of the templates, with their filters."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.add_extension(Compact)
    made.filters |= {
        # For untrusted text: makes hidden characters visible.
        "marked": marked,
        "direction": direction,
        "plural": plural,
        "count": "{:,}".format,
        "json": json.dumps,
        "verb": RELATION_VERBS.__getitem__,
        "colour": colour,
    }
    return made


class Compact(Extension):
    """Leaves out the line breaks of templates that begin with ``COMPACT``: between tags, they are layout of
    the file, not of the page. They become comments, so that tracebacks still have the right lines."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source of a template as it is compiled."""
        if not source.startswith(COMPACT):
            return source
        text = source.strip()

        def as_comment(found: re.Match[str]) -> str:
            if found[1]:
                return found[1]
            between_tags = text[found.start() - 1] in ">}" and text[found.end()] in "<{"
            comment = "{#" + "\n" * found[0].count("\n") + "#}"
            return comment if between_tags else f" {comment}"

        return _TAG_OR_BREAK.sub(as_comment, text)
