"""HTML from templates that escape whatever is put into them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.language.characters import marked

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
