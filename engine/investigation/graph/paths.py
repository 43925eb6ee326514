"""The shortest path of references between two provisions or documents, with the words of each step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.model import Direction, Naming, Relation
from engine.retrieval.planning.named import provisions_named
from engine.retrieval.planning.prose import documents_at, standards_at

# Steps of a path, passages that one round of the search follows, and passages of a named document.
LONGEST_PATH, MOST_FOLLOWED, MOST_OF_DOCUMENT = 4, 2_000, 2_000
_RELATIONS = tuple(Relation)


@dataclass(frozen=True, slots=True)
class PathStep:
    """A reference from one passage to another, with its row of the reference table."""

    source: int
    target: int
    relation: Relation
    evidence: int


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """What a text names: a provision or a document, with the rows of its passages."""

    words: str
    rows: Rows


def named_places(corpus: Corpus, text: str, language: str, day: date | None = None) -> list[NamedPlace]:
    """Return the provisions, standards and documents that a text names, provisions first."""
    found = [
        NamedPlace(one.words, corpus.rows(list(one.passage_ids)))
        for one in provisions_named(corpus, text, language, day or date.today())
        if one.status is Naming.FOUND and one.passage_ids
    ]
    if len(found) > 1:
        return found
    named = {span.start: (ids, span) for ids, span in standards_at(corpus, text)}
    for document, span in documents_at(corpus, text, language):
        named.setdefault(span.start, ((document,), span))
    taken = [one.words.casefold() for one in found]
    for ids, span in (named[start] for start in sorted(named)):
        words = text[span.start : span.end]
        if ids and not any(words.casefold() in one for one in taken):
            rows = np.concatenate(corpus.by_document(list(ids)))[:MOST_OF_DOCUMENT]
            found.append(NamedPlace(words, rows.astype(np.int32)))
    return found


def find_path(corpus: Corpus, first: Rows, second: Rows) -> tuple[PathStep, ...]:
    """Return the shortest path of references, in either direction, between two sets of passages.

    Passages of one provision are one place: a path may go on from another paragraph. Empty if they have a
    passage in common, or if there is no path of ``LONGEST_PATH`` steps.
    """
    goal = set(second.tolist())
    reached: dict[int, tuple[int, PathStep | None]] = {row: (row, None) for row in first.tolist()}
    if goal & reached.keys():
        return ()
    frontier = np.array(sorted(reached), np.int32)
    for _ in range(LONGEST_PATH):
        fresh: list[int] = []
        for direction in Direction:
            links = corpus.neighbours(frontier, None, direction)
            for origin, row, relation, evidence in zip(
                links.origins.tolist(),
                links.rows.tolist(),
                links.relations.tolist(),
                links.evidence.tolist(),
                strict=True,
            ):
                start = int(frontier[origin])
                if row in reached or evidence < 0:
                    continue
                ends = (start, row) if direction is Direction.OUT else (row, start)
                reached[row] = start, PathStep(ends[0], ends[1], _RELATIONS[relation], evidence)
                fresh.append(row)
        met = next((row for row in fresh if row in goal), None)
        if met is not None:
            return _back(reached, met)
        fresh += _siblings(corpus, fresh, reached)
        frontier = np.array(fresh[:MOST_FOLLOWED], np.int32)
        if not len(frontier):
            break
    return ()


def _siblings(corpus: Corpus, rows: list[int], reached: dict[int, tuple[int, PathStep | None]]) -> list[int]:
    """Return the other passages of the provisions of some rows, and note that they are reached, too."""
    own = np.array(rows, np.int32)
    added: list[int] = []
    numbers = corpus.section_numbers(own).tolist() if len(own) else []
    documents = corpus.documents()
    for row, section, document in zip(rows, numbers, corpus.document_numbers(own).tolist(), strict=True):
        if section < 0:
            continue
        (found,), (every,) = corpus.sections([section]), corpus.by_document([documents[document].id])
        for other in every[found.first : found.stop].tolist():
            if other not in reached:
                reached[other] = row, None
                added.append(other)
    return added


def _back(reached: dict[int, tuple[int, PathStep | None]], row: int) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    while True:
        before, step = reached[row]
        if before == row:
            return tuple(reversed(steps))
        if step is not None:
            steps.append(step)
        row = before
