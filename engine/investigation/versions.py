"""From a text that is no longer in force to what took its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Links, Mask, Rows
from engine.model import Direction, Relation, TargetKind

# A chain of more versions than this is followed no further.
LONGEST_CHAIN = 32
# What says that a text has a successor, the surest first: a later version is the text itself, an act that
# amends or repeals tells what became of it.
SUCCESSIONS = ((Relation.SUPERSEDES,), (Relation.SUPERSEDES, Relation.AMENDS, Relation.REPEALS))


def newest(corpus: Corpus, rows: Rows, allowed: Mask) -> Rows:
    """For each row that is not allowed what took its place, over as many versions as there are; shape as
    ``rows``.

    A version that supersedes it is sought first, then what amends or repeals it, the provision itself
    before its whole act. A row without an allowed successor stays as it is; a circle ends the search.
    """
    found = rows.copy()
    gone = np.flatnonzero(~allowed[rows])
    known = {int(row): _successor(corpus, int(row), allowed) for row in np.unique(rows[gone])}
    found[gone] = [known[row] for row in rows[gone].tolist()]
    return found


def _successor(corpus: Corpus, row: int, allowed: Mask) -> int:
    for relations in SUCCESSIONS:
        level, seen = np.array([row], np.int32), {row}
        for _ in range(LONGEST_CHAIN):
            later = _after(corpus, level, relations)
            fresh = [int(other) for other in np.unique(later).tolist() if int(other) not in seen]
            valid = [other for other in fresh if allowed[other]]
            if valid:
                return max(valid)
            if not fresh:
                break
            seen.update(fresh)
            level = np.array(fresh, np.int32)
    return row


def _after(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Rows:
    """What comes after some passages in time: what says so of each, or else of the act it is part of."""
    own = corpus.neighbours(rows, relations, Direction.IN).rows
    return own if len(own) else of_whole_act(corpus, rows, relations).rows


def doors(corpus: Corpus, rows: Rows) -> Rows:
    """The first passage of each row's document, where references to the whole document lead; shape (n,)."""
    numbers, position = np.unique(corpus.document_numbers(rows), return_inverse=True)
    documents = corpus.documents()
    first = [int(own[0]) for own in corpus.by_document([documents[number].id for number in numbers.tolist()])]
    return np.array(first, np.int32)[position]


def of_whole_act(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Links:
    """The links by which others refer to the whole documents of ``rows``; ``origins`` as for ``rows``."""
    if not len(rows):
        return corpus.neighbours(rows, relations, Direction.IN)
    links = corpus.neighbours(doors(corpus, rows), relations, Direction.IN)
    return chosen(links, to_documents(corpus, links))


def to_documents(corpus: Corpus, links: Links) -> NDArray[np.bool_]:
    """Which links were made by a reference to a whole document, shape (n,)."""
    references = corpus.references(links.evidence.tolist())
    return np.array([one.target_kind is TargetKind.DOCUMENT for one in references], np.bool_)


def chosen(links: Links, kept: NDArray[np.bool_]) -> Links:
    """Those links that a mask keeps, shape (n,)."""
    return Links(
        links.origins[kept],
        links.rows[kept],
        links.relations[kept],
        links.weights[kept],
        links.evidence[kept],
    )
