"""The standards that a question names, by designation: of the edition that it gives, else the latest."""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from engine.corpus.protocol import Corpus
from engine.language.references.instruments import FORM, Standards
from engine.model import Span

_FORM = re.compile(FORM)
_KNOWN: WeakKeyDictionary[Corpus, Standards] = WeakKeyDictionary()


def standards_of(corpus: Corpus) -> Standards:
    """The editions of standards that a corpus has; read once for an open corpus."""
    known = _KNOWN.get(corpus)
    if known is None:
        known = _KNOWN[corpus] = Standards(corpus.documents())
    return known


def standards_at(corpus: Corpus, text: str) -> list[tuple[tuple[str, ...], Span]]:
    """What the designations in a text mean, as ids of documents, and where they stand: nothing where the
    corpus has no such standard or edition."""
    known, documents = standards_of(corpus), corpus.documents()
    found = []
    for match in _FORM.finditer(text):
        meant = known.meant(match[0])
        if meant is not None:
            found.append((tuple(documents[number].id for number in meant), Span(*match.span())))
    return found
