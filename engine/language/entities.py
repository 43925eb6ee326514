"""Entities without any model: what passages name, and which passages name the same thing.

First the terms are collected over all passages (``terms.py``, ``proper_names.py``) and the titles of their
documents, then each passage is read once against the vocabulary that this makes, by stems, the longest term
first. An entity that one passage alone mentions links nothing and is dropped, unless that passage
defines it. What a document is about is defined, and mentioned, by its first passage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.language.bodies import is_organisation
from engine.language.candidates import Fact, is_everywhere, words_of
from engine.language.clustering import Encode
from engine.language.letter_case import Word
from engine.language.proper_names import proper_names, title_name
from engine.language.script import visible
from engine.language.terms import Found, terms_of, title_terms
from engine.language.vocabulary import Vocabulary
from engine.model import Entity, EntityKind, Passage

# Titles of documents by the ids of the documents.
Titles = Mapping[str, str]
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


def extract_entities(
    passages: Sequence[Passage], encode: Encode | None = None, titles: Titles | None = None
) -> EntityTable:
    """The entities of a corpus: defined terms, names, acronyms, titles; with the passages of each.

    Variants of one name are one entity (``clustering.py``); ``encode`` embeds names, which finds more.
    ``titles`` are those of the passages' documents.
    """
    written = Counter((passage.language, word) for passage in passages for word in words_of(passage.text))

    def count(words: Sequence[Word]) -> list[int]:
        return [written[word] for word in words]

    vocabulary = Vocabulary()
    vocabulary.read(facts_of(passages, titles or {}), [passage.id for passage in passages])
    vocabulary.settle(count, encode)
    rows = {passage.id: row for row, passage in enumerate(passages)}
    found = {(row, number) for row, passage in enumerate(passages) for number in vocabulary.mentions(passage)}
    found |= {(rows[name], number) for number, name in vocabulary.titled()}
    mentions = Counter(number for _, number in found)
    dropped = vocabulary.shouted(count)
    words = vocabulary.names_of_one_word()
    dropped |= {number for number in words if is_everywhere(mentions[number], len(rows))}
    entities = vocabulary.entities()
    kept = sorted(
        number
        for number, times in mentions.items()
        if number not in dropped and (times > 1 or entities[number].definitions)
    )
    renumbered = {number: position for position, number in enumerate(kept)}
    pairs = sorted((row, renumbered[number]) for row, number in found if number in renumbered)
    array = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return EntityTable(
        [entities[number] for number in kept],
        np.ascontiguousarray(array[:, 0]),
        np.ascontiguousarray(array[:, 1]),
    )


def facts_of(passages: Sequence[Passage], titles: Titles) -> list[Fact]:
    """The terms of a run of passages, of the titles above them and of the ``titles`` of their documents, each
    where it first stands."""
    counts: dict[tuple[str, str, str, str, str, str | None, bool, bool], list[int]] = {}
    titles_seen: set[str] = set()
    documents_seen: set[str] = set()

    def count(position: int, language: str, heading: str, found: Found) -> None:
        # Each document defines for itself.
        owner = passages[position].document_id if found.sure else ""
        key = (owner, language, heading, found.name, str(found.kind), found.other, found.sure, found.initial)
        counts.setdefault(key, [position, 0])[1] += 1

    for position, passage in enumerate(passages):
        if passage.document_id not in documents_seen:
            documents_seen.add(passage.document_id)
            name = title_name(titles.get(passage.document_id, ""))
            count(position, passage.language, "", Found(name, EntityKind.TITLE, sure=True))
        for found in _found_in(visible(passage.text), passage.language):
            count(position, passage.language, "", found)
        for heading in passage.headings:
            if heading not in titles_seen:
                titles_seen.add(heading)
                for term in title_terms(visible(heading), passage.language):
                    count(position, passage.language, heading, Found(term, EntityKind.HEADING))
    return [Fact(position, *key[1:], number) for key, (position, number) in counts.items()]


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
