"""The formats in which a case is handed over, by name.

A format is a module of ``engine.exports.formats`` with a constant ``EXPORT``, or an entry point of the group
``redstring.exports`` that is one. Command line, endpoints and page offer whatever is found here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports import formats
from engine.model import NOTHING
from engine.records.store.chain import Event, SealedCase
from engine.records.store.database import CaseSummary
from engine.review.model import Assessment

GROUP = "redstring.exports"


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A case as a format reads it: ``record`` as ``investigation_to_json`` makes it.

    ``summary``, ``events``, ``notes`` and the name of its ``matter`` are there where the case is kept,
    ``corpus`` where it can be opened: then words can be checked against it. ``today`` is the day on which it
    is handed over, None where that is not to be said: then the same case gives the same bytes on any day.
    ``case`` is what is said of it with its chain and its earlier records, where somebody has them.
    ``verdicts`` are what stands of what reviewers said, where that was asked for, ``judgements`` the gains
    that they come to by the ids of passages (``review.exchange.qrels``), where they may be told: they name
    nobody.
    """

    record: Mapping[str, Any]
    summary: CaseSummary | None = None
    events: Sequence[Event] = field(default=())
    notes: str = ""
    corpus: Corpus | None = None
    matter: str = ""
    today: date | None = None
    case: SealedCase | None = None
    verdicts: Sequence[Assessment] = field(default=())
    judgements: Mapping[str, int] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Export:
    """A format: ``name`` is what a command calls it, ``title`` what the page does, ``meaning`` says who reads
    it. ``write`` makes the bytes of a file that ends in ``suffix``; it raises InputError where a case has not
    what the format needs."""

    name: str
    title: str
    meaning: str
    suffix: str
    media_type: str
    write: Callable[[HandedOver], bytes]


@cache
def exports() -> Mapping[str, Export]:
    """All formats by name, in the order of their names."""
    found: dict[str, Export] = {}
    for module in pkgutil.iter_modules(formats.__path__):
        export = import_module(f"{formats.__name__}.{module.name}").EXPORT
        found[export.name] = export
    for point in entry_points(group=GROUP):
        export = point.load()
        found[export.name] = export
    return dict(sorted(found.items()))


def export_of(name: str) -> Export:
    """A format by its name. Raises InputError for an unknown one."""
    found = exports().get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(exports())}")
    return found
