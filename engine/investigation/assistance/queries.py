"""Queries that a language model proposes, and the table of passages in its prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.investigation.pool import Reading
from engine.language.analysis import analyzer
from engine.language.characters import shortened
from engine.llm import Data
from engine.llm.prompt import addresses_machine, shown
from engine.model import AreaCoverage, Passage

# Proposed queries, none of which may have been sent before

LONGEST = 200


class SentQueries:
    """The queries sent in one case, compared by their sets of terms."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        self._language = language
        self._seen = {self._key(text) for text in texts}

    def add(self, queries: Iterable[str]) -> None:
        """Record queries as sent."""
        self._seen |= {self._key(query) for query in queries}

    def fresh(self, proposals: Iterable[str], most: int) -> tuple[str, ...]:
        """Return the first ``most`` new proposals with a term and at most 200 characters."""
        found: list[str] = []
        keys = set(self._seen)
        for proposal in proposals:
            words = " ".join(proposal.split())
            key = self._key(words)
            if key and key not in keys and len(words) <= LONGEST and len(found) < most:
                keys.add(key)
                found.append(words)
        return tuple(found)

    def _key(self, text: str) -> frozenset[str]:
        return frozenset(analyzer(self._language).terms(text))


# Parts of prompts: the coverage table and the beginnings of passages, with keys
#
# A key ("A1", "P3") identifies an area or a passage in one prompt. Keys that a model names and that were not
# listed are ignored.

LONGEST_NAME = 200
MOST_AREAS = 10


@dataclass(frozen=True, slots=True)
class Keyed:
    """Parts of a prompt, and the id of the area or passage of each key in them."""

    parts: tuple[Data, ...]
    ids: dict[str, str]


def table_of(areas: Sequence[AreaCoverage]) -> Keyed:
    """Make the coverage table as one part, a line for each area, required ones first."""
    first = sorted(areas, key=lambda area: not area.required)[:MOST_AREAS]
    keys = {f"A{number}": area for number, area in enumerate(first, 1)}
    lines = [
        f"{key} | {area.state.value} | {'required' if area.required else 'optional'} | "
        f"{len(area.evidence)} of {area.minimum} passages | {shown(_short(area.name))}"
        for key, area in keys.items()
    ]
    parts = (Data("coverage", "\n".join(lines)),) if lines else ()
    return Keyed(parts, {key: area.id for key, area in keys.items()})


def excerpts(corpus: Corpus, reading: Reading, rows: Rows, longest: int, first: int = 1) -> Keyed:
    """Make a part for each passage: its location and its beginning. Keys are numbered from ``first``.

    Passages that address a machine are left out.
    """
    parts: list[Data] = []
    ids: dict[str, str] = {}
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    for passage, number in zip(reading.passages(rows), numbers, strict=True):
        location = _location(documents[number].title or documents[number].id, passage)
        if addresses_machine(f"{location}\n{passage.text}"):
            continue
        key = f"P{first + len(parts)}"
        words = shortened(" ".join(passage.text.split()), longest)
        parts.append(Data(f"passage {key}", f"{location}\n{words}"))
        ids[key] = passage.id
    return Keyed(tuple(parts), ids)


def rows_of(corpus: Corpus, ids: Sequence[str]) -> Rows:
    """Return the rows of the passages that the corpus has."""
    rows = corpus.rows(list(ids)) if ids else np.empty(0, np.int32)
    return rows[rows >= 0]


def _location(title: str, passage: Passage) -> str:
    return " > ".join(_short(part) for part in (title, *passage.headings[-1:], passage.label) if part)


def _short(words: str) -> str:
    return " ".join(words.split())[:LONGEST_NAME]
