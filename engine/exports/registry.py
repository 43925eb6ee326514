"""The export formats by name, and text that is valid in XML.

A format is an ``Export`` in a module of ``engine.exports.formats``, or an entry point of the group
``redstring.exports``. Command line, endpoints and page offer all of them.
"""

from __future__ import annotations

import pkgutil
import re
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
_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class ExportableCase:
    """A case as formats read it; ``record`` comes from ``investigation_to_json``.

    ``summary``, ``events``, ``notes`` and the name of its ``matter`` are set for a stored case, ``corpus`` if
    it can be opened to check quotes. ``today`` is the date of the export, None to leave it out, so that the
    bytes depend on the case only. ``case`` is its chain with earlier records, if available. ``verdicts`` are
    current verdicts of reviewers if requested; ``judgements`` are relevance gains by passage id
    (``review.exchange``) without reviewers' names, if the review is complete.
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
    """A format: ``name`` for commands, ``title`` for the page, ``meaning`` for its readers.

    ``write`` returns the bytes of a file with the ending ``suffix``; it raises InputError if the case lacks
    data that the format requires.
    """

    name: str
    title: str
    meaning: str
    suffix: str
    media_type: str
    write: Callable[[ExportableCase], bytes]


@cache
def exports() -> Mapping[str, Export]:
    """Return all formats by name, in alphabetical order."""
    found: dict[str, Export] = {}
    for module in pkgutil.iter_modules(formats.__path__):
        values = vars(import_module(f"{formats.__name__}.{module.name}")).values()
        found |= {one.name: one for one in values if isinstance(one, Export)}
    for point in entry_points(group=GROUP):
        export = point.load()
        found[export.name] = export
    return dict(sorted(found.items()))


def export_of(name: str) -> Export:
    """Return a format by name. Raises InputError for an unknown one."""
    found = exports().get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(exports())}")
    return found


def for_xml(text: str) -> str:
    """Replace characters that are invalid in XML 1.0 by U+FFFD.

    These are control characters, surrogates and two noncharacters. https://www.w3.org/TR/xml/#charsets
    """
    return _FORBIDDEN_IN_XML.sub("\ufffd", text)
