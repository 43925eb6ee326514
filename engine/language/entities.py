"""The terms that passages give, from which entities are made without any model.

They are collected over all passages (``terms.py``, ``proper_names.py``) and the titles of their documents;
then each passage is read once against the vocabulary that they make (``engine/ingestion/naming.py``). What a
document is about is defined by its first passage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.language.bodies import is_organisation
from engine.language.candidates import Fact, Stems, key_of
from engine.language.proper_names import proper_names, title_name
from engine.language.script import visible
from engine.language.terms import Found, terms_of, title_terms
from engine.model import NOTHING, Entity, EntityKind, Passage

# Titles of documents, and their other names, by the ids of the documents.
Titles = Mapping[str, str]
Aliases = Mapping[str, Sequence[str]]
_NAMES = frozenset({EntityKind.NAME, EntityKind.ORGANISATION})


@dataclass(frozen=True, slots=True)
class EntityTable:
    """Entities and who mentions them: pair i says that passage ``rows[i]`` mentions ``numbers[i]``.

    ``rows`` are positions in the passages given, ``numbers`` positions in ``entities``; int32, no pair
    twice, sorted by row and then by number.
    """

    entities: list[Entity]
    rows: NDArray[np.int32]
    numbers: NDArray[np.int32]


def facts_of(passages: Sequence[Passage], titles: Titles, aliases: Aliases = NOTHING) -> list[Fact]:
    """The terms of a run of passages, of the titles above them and of the ``titles`` and ``aliases`` of their
    documents, each where it first stands. A run has all passages of its documents."""
    counts: dict[tuple[str, str, str, str, str | None, bool, bool, str | None], list[int]] = {}
    titles_seen: set[tuple[str, str]] = set()
    documents_seen: set[str] = set()

    def count(position: int, language: str, found: Found) -> None:
        # Each document defines for itself.
        owner = passages[position].document_id if found.sure else ""
        kind = str(found.kind)
        key = (owner, language, found.name, kind, found.other, found.sure, found.initial, found.role)
        counts.setdefault(key, [position, 0])[1] += 1

    for position, passage in enumerate(passages):
        if passage.document_id not in documents_seen:
            documents_seen.add(passage.document_id)
            name = title_name(titles.get(passage.document_id, ""))
            others = dict.fromkeys(one for one in aliases.get(passage.document_id, ()) if one != name)
            for other in (None, *others):
                count(position, passage.language, Found(name, EntityKind.TITLE, other, sure=True))
        for found in _found_in(visible(passage.text), passage.language):
            count(position, passage.language, found)
        for heading in passage.headings:
            if (passage.document_id, heading) not in titles_seen:
                titles_seen.add((passage.document_id, heading))
                for term in title_terms(visible(heading), passage.language):
                    count(position, passage.language, Found(term, EntityKind.HEADING))
    stems: dict[str, Stems] = {}
    facts = []
    for key, (position, number) in counts.items():
        _, language, name, _, other, _, initial, _ = key
        own = stems.setdefault(language, Stems(language))
        # What begins a sentence is cut before it is known by its stems.
        known = () if initial else tuple(filter(None, (key_of(one, own) for one in (name, other) if one)))
        facts.append(Fact(position, *key[1:], number, known))
    return facts


def _found_in(text: str, language: str) -> Iterator[Found]:
    names = list(proper_names(text, language))
    known = {name for name, _ in names}
    for found in terms_of(text, language):
        # Names are found in two ways; each place counts once.
        if found.kind not in _NAMES or found.sure or found.name not in known:
            yield found
    for name, initial in names:
        is_body = " " in name and is_organisation(name, language)
        yield Found(name, EntityKind.ORGANISATION if is_body else EntityKind.NAME, initial=initial)
