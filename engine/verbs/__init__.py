"""Every action of a user or a program, declared once: one module for each kind of object."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.verbs.verb import Verb

# In the order of the documentation.
MODULES = (
    *("corpora", "questions", "passages", "answers", "cases", "case_files", "verdicts"),
    *("ingestion", "review", "review_results", "evaluation", "ontology"),
    "server",
)


def all_verbs() -> Iterator[Verb]:
    """Yield every verb: each is a name of a module, in the order in which they are declared."""
    from engine.verbs.verb import Verb

    for name in MODULES:
        values = vars(import_module(f"engine.verbs.{name}")).values()
        yield from (value for value in values if isinstance(value, Verb))


def all_tools() -> tuple[Verb, ...]:
    """Return the verbs that are tools for programs."""
    return tuple(verb for verb in all_verbs() if verb.offer is not None)
