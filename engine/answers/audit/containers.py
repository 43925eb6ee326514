"""The container that a citation names beside its number: "rule 2.1 of the Run-off Part".

Its name is a heading above the provision, or what the metadata of its document hold. A number that many parts
have is found in the one that is named; the words of the name belong to the citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus
from engine.language.addresses import CONTAINERS, number_key
from engine.language.aliases import NAME_WORD, name_key
from engine.language.stopwords import STOPWORDS
from engine.languages import base_of, words
from engine.model import Passage, Span

# Documents that are looked into for a number, words of a container's name, letters around a citation.
MOST_DOCUMENTS, LONGEST, AROUND = 100, 10, 120
# Function words that may stand between a number and the name.
MOST_LINKS = 4
_STOP = re.compile(r"[.;:!?。；！？؟؛](?=\s|\Z)|\n")


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of a provision in the container that is named, and where the name stands in the text."""

    rows: tuple[int, ...]
    name: Span


def placed(
    corpus: Corpus, text: str, span: Span, number: str, language: str, *, within: bool = False
) -> Placed | None:
    """The provisions of a number in the container that is named beside a citation or ``within`` it; None if
    none is."""
    behind, before = _behind(text, span.end), _before(text, span.start)
    before = Span(before.start, span.end) if within else before
    levels = _levels(language)
    around = f"{text[before.start : before.end]} {text[behind.start : behind.end]}"
    if not within and not levels & set(name_key(around, language)):
        return None
    best: Placed | None = None
    for rows, passage in _numbered(corpus, number):
        for name in _names(corpus, rows[0], passage):
            key = name_key(name, language)[:LONGEST]
            for length in range(len(key), 1, -1):
                if not within and length < len(key) and not levels & set(key[:length]):
                    continue
                found = _found(text, span, (behind, before), key[:length], language)
                if found is None:
                    continue
                if best is None or _length(found) > _length(best.name):
                    best = Placed(tuple(rows), found)
                elif found == best.name:
                    best = Placed(tuple(dict.fromkeys((*best.rows, *rows))), found)
                break
    return best


def _levels(language: str) -> frozenset[str]:
    """The stems of the words for a container."""
    own = words(language)
    listed = (
        word for kind in CONTAINERS for word in (*own.levels.get(kind, ()), *own.heading_levels.get(kind, ()))
    )
    return frozenset(stem for word in listed for stem in name_key(word, language))


def _numbered(corpus: Corpus, number: str) -> Iterator[tuple[list[int], Passage]]:
    """The provisions of a number, each with its rows and its first passage."""
    key = number_key(number)
    documents = np.unique(corpus.document_numbers(corpus.numbered(number)))[:MOST_DOCUMENTS].tolist()
    for document in documents:
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


def _names(corpus: Corpus, row: int, passage: Passage) -> Iterator[str]:
    document = corpus.documents()[int(corpus.document_numbers(np.array([row], np.int32))[0])]
    yield from passage.headings
    yield from (value for value in document.metadata.values() if isinstance(value, str))


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
