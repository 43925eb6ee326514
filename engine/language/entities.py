"""Entities without any model: what passages name, and which passages name the same thing.

First the terms are collected over all passages (``terms.py``, ``proper_names.py``) and the titles of their
documents, then each passage is read once against the vocabulary that this makes, by stems, the longest term
first. An entity that one passage alone mentions links nothing and is dropped, unless that passage
defines it; so is one that is hardly a thing with a name (``name_scores.py``). What a document is about is
defined, and mentioned, by its first passage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.language.bodies import is_organisation
from engine.language.candidates import Fact, Stems, is_everywhere, key_of, words_of
from engine.language.clustering import Encode
from engine.language.letter_case import Word, weighing
from engine.language.name_scores import LEAST_SCORE, name_scores
from engine.language.proper_names import proper_names, title_name
from engine.language.script import visible
from engine.language.terms import Found, terms_of, title_terms
from engine.language.vocabulary import Vocabulary
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


def extract_entities(
    passages: Sequence[Passage],
    encode: Encode | None = None,
    titles: Titles | None = None,
    aliases: Aliases | None = None,
) -> EntityTable:
    """The entities of a corpus: defined terms, names, acronyms, titles; with the passages of each.

    Variants of one name are one entity (``clustering.py``); ``encode`` embeds names, which finds more.
    ``titles`` and ``aliases`` are those of the passages' documents.
    """
    written = Counter((passage.language, word) for passage in passages for word in words_of(passage.text))

    def count(words: Sequence[Word]) -> list[int]:
        return [written[word] for word in words]

    vocabulary = Vocabulary()
    vocabulary.read(facts_of(passages, titles or {}, aliases or {}), [passage.id for passage in passages])
    vocabulary.settle(weighing(count), encode)
    rows = {passage.id: row for row, passage in enumerate(passages)}
    found = dict[tuple[int, int], bool]()
    for row, passage in enumerate(passages):
        for number, as_name in vocabulary.mentions(passage):
            found[row, number] = found.get((row, number), False) or as_name
    for number, name in vocabulary.titled():
        found.setdefault((rows[name], number), True)
    mentions = Counter(number for _, number in found)
    scores = _scores(vocabulary, found, passages)
    dropped = vocabulary.shouted(count)
    words = vocabulary.names_of_one_word()
    dropped |= {number for number in words if is_everywhere(mentions[number], len(rows))}
    entities = vocabulary.entities()
    kept = sorted(
        number
        for number, times in mentions.items()
        if number not in dropped
        and (times > 1 or entities[number].definitions)
        and scores[number] >= LEAST_SCORE
    )
    renumbered = {number: position for position, number in enumerate(kept)}
    pairs = sorted((row, renumbered[number]) for row, number in found if number in renumbered)
    array = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return EntityTable(
        [replace(entities[number], score=round(float(scores[number]), 3)) for number in kept],
        np.ascontiguousarray(array[:, 0]),
        np.ascontiguousarray(array[:, 1]),
    )


def _scores(
    vocabulary: Vocabulary, found: Mapping[tuple[int, int], bool], passages: Sequence[Passage]
) -> NDArray[np.float32]:
    said, has_case = vocabulary.said()
    mentions, capitals = np.zeros(len(said)), np.zeros(len(said))
    spread = Counter(number for _, number in {(passages[row].document_id, one) for row, one in found})
    for (_, number), written in found.items():
        mentions[number] += 1
        capitals[number] += written
    share = np.where(has_case, capitals / np.maximum(mentions, 1), np.nan).astype(np.float32)
    return name_scores(said, share, np.asarray([spread[number] for number in range(len(said))], np.int64))


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
