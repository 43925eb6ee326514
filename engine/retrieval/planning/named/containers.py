"""The container that a citation names beside its number: "rule 2.1 of the Run-off Part".

Its name is a heading above the provision, or what the metadata of its document hold. A number that many parts
have is found in the one that is named; the words of the name belong to the citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus
from engine.language.addresses import CONTAINERS, Address, number_key
from engine.language.aliases import NAME_WORD, name_key
from engine.language.analysis import STOPWORDS
from engine.language.references import Mention
from engine.languages import base_of, words
from engine.model import Passage, Span
from engine.retrieval.planning.words import words_of

# Documents that are looked into for a number, words of a container's name, letters around a citation.
MOST_DOCUMENTS, LONGEST, AROUND = 100, 10, 120
# Function words that may stand between a number and the name.
MOST_LINKS = 4
_STOP = re.compile(r"[.;:!?。；！？؟؛](?=\s|\Z)|\n")


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of a provision in the container that is named, and where its number and the name stand in the
    text."""

    rows: tuple[int, ...]
    number: Span
    name: Span


def placed(
    corpus: Corpus, text: str, mention: Mention, address: Address, language: str, *, bare: bool = False
) -> Placed | None:
    """The provisions of an address in the container that is named beside its mention or in it; None if none
    is. ``bare``: a name alone is enough, without a word for a container ("Run-off 2.1")."""
    if address.number is None:
        return None
    name, end = mention.name_at, mention.span.end
    end = name if mention.document is not None and name and name > mention.span.start else end
    span = Span(mention.span.start, end)
    # In "第三章第八条" the container stands in the reference itself.
    within = bool(address.within)
    behind, before = _behind(text, span.end), _before(text, span.start)
    before = Span(before.start, span.end) if within else before
    levels = _levels(language)
    around = name_key(f"{text[before.start : before.end]} {text[behind.start : behind.end]}", language)
    near = [word for word in dict.fromkeys(around) if word.endswith(tuple(levels))]
    if not within and not near and not bare:
        return None
    best: Placed | None = None
    for rows, passage in _numbered(corpus, address.number, frozenset(around), language):
        for key in _keys(corpus, rows[0], passage, language, near):
            for length in range(len(key), 0 if len(key) == 1 and (bare or key[0] in near) else 1, -1):
                if not within and length < len(key) and not levels & set(key[:length]):
                    continue
                found = _found(text, span, (behind, before), key[:length], language)
                if found is None:
                    continue
                if best is None or _length(found) > _length(best.name):
                    best = Placed(tuple(rows), span, found)
                elif found == best.name:
                    best = Placed(tuple(dict.fromkeys((*best.rows, *rows))), span, found)
                break
    return best


def _levels(language: str) -> frozenset[str]:
    """The stems of the words for a container."""
    own = words(language)
    listed = (
        word for kind in CONTAINERS for word in (*own.levels.get(kind, ()), *own.heading_levels.get(kind, ()))
    )
    codes = words_of(language).types.get("code", ())
    return frozenset(stem for word in (*listed, *codes) for stem in name_key(word, language))


def _numbered(
    corpus: Corpus, number: str, around: Set[str], language: str
) -> Iterator[tuple[list[int], Passage]]:
    """The provisions of a number, each with its rows and its first passage; of many documents those whose
    titles share most words with what is ``around`` it."""
    key = number_key(number)
    documents = np.unique(corpus.document_numbers(corpus.numbered(number))).tolist()
    if len(documents) > MOST_DOCUMENTS:
        titles = {one: name_key(corpus.documents()[one].title, language) for one in documents}
        documents.sort(key=lambda one: -len(around & set(titles[one])))
    for document in documents[:MOST_DOCUMENTS]:
        rows, sections = (corpus.printed_numbers(document) or {}).get(key, ((), ()))
        (own,) = corpus.by_document([corpus.documents()[document].id])
        extents: list[list[int]] = [
            own[one.first : one.stop].tolist() for one in corpus.sections(list(sections))
        ]
        inside = {row for extent in extents for row in extent}
        extents += [[row] for row in rows if row not in inside]
        for extent in extents:
            if extent:
                (passage,) = corpus.passages(np.array(extent[:1], np.int32))
                if passage.number is None or number_key(passage.number) == key:
                    yield extent, passage


def _keys(
    corpus: Corpus, row: int, passage: Passage, language: str, near: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """The stems of the names of the containers around a passage, also with a word for a container that a text
    has ``near`` a citation: "Run-off" is called "the Run-off Part"."""
    document = corpus.documents()[int(corpus.document_numbers(np.array([row], np.int32))[0])]
    for name in (*passage.headings, document.title, *document.metadata.values()):
        key = name_key(name, language)[:LONGEST] if isinstance(name, str) else ()
        if key:
            yield key
            yield from (named for word in near if word not in key for named in ((*key, word), (word, *key)))


def _found(
    text: str, span: Span, around: tuple[Span, Span], key: tuple[str, ...], language: str
) -> Span | None:
    """Where words that are equal to others by their stems stand beside a citation: behind it with a few
    function words between, or right in front of it."""
    behind, before = around
    for match in list(NAME_WORD.finditer(text, behind.start, behind.end))[: MOST_LINKS + 1]:
        end = _matched(text, match.start(), behind.end, key, language)
        if end is not None:
            return Span(match.start(), end)
        if not _is_function(match[0], language):
            break
    for match in list(NAME_WORD.finditer(text, before.start, before.end))[-LONGEST:]:
        end = _matched(text, match.start(), before.end, key, language)
        if end is not None and not text[end : span.start].strip(" ,،、(（"):
            return Span(match.start(), end)
    return None


def _matched(text: str, start: int, stop: int, key: tuple[str, ...], language: str) -> int | None:
    """Where words that begin at a place and are equal to others by their stems end."""
    found = 0
    for match in NAME_WORD.finditer(text, start, stop):
        stems = name_key(match[0], language)
        if stems and stems[0] != key[found]:
            return None
        found += len(stems)
        if found == len(key):
            return match.end()
    return None


def _behind(text: str, place: int) -> Span:
    """The rest of the sentence behind a citation, as far as it is looked at."""
    stop = _STOP.search(text, place, place + AROUND)
    return Span(place, stop.start() if stop else min(len(text), place + AROUND))


def _before(text: str, place: int) -> Span:
    start = max(0, place - AROUND)
    return Span(max((match.end() for match in _STOP.finditer(text, start, place)), default=start), place)


def _is_function(word: str, language: str) -> bool:
    return word.islower() and word in STOPWORDS.get(base_of(language), ())


def _length(span: Span) -> int:
    return span.end - span.start
