"""Reading whole: all passages of the documents that matter most, preamble, recitals and annexes among them.

A document matters by what the question says and by what was found: one that the question names comes first,
then the one whose seeds score most together. Seeds are the best of the pool, so that is the document that
holds most of its best passages; a single strong passage in a document of another subject does not make that
one worth reading whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.corpus.protocol import Rows
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, joined, make_leads
from engine.model import Relation
from engine.threads import Colour

# So many new passages of a document come in one round, those nearest to the question; the next round that
# reads it brings the next.
PER_DOCUMENT = 60
DOCUMENTS = 2
READ_WHOLE = "read whole: "


class WholeDocument:
    """Brings the documents of the seeds as wholes. What it proposes was asked for, relevant or not."""

    name = "whole_document"
    title = "Whole document"
    legend = "read whole"
    meaning = "All of the documents that hold most of the best passages, up to a limit."
    trust = 1.0
    stated = False
    colour = Colour("#5d6b1f", "#b3c25a")
    on_from = None
    whole = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """The documents that matter most, each from its best seed and in the order of its text."""
        return joined([_leads(number, seeds, context) for number in _documents(seeds, context)])

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Which document was read whole, and where it is longer than what one round reads of it."""
        documents = context.corpus.documents()
        numbers = context.corpus.document_numbers(leads.rows).tolist()
        told = {}
        for number in set(numbers):
            document, every = documents[number], len(_rows(number, context))
            most = f", at most {PER_DOCUMENT} of {every:,} passages a round" if every > PER_DOCUMENT else ""
            told[number] = f"{READ_WHOLE}{document.title or document.id}{most}"
        return [Evidence(detail=told[number]) for number in numbers]


def _documents(seeds: Seeds, context: Context) -> list[int]:
    """The numbers of the seeds' documents that matter most, the most important first."""
    numbers = context.corpus.document_numbers(seeds.rows)
    scores: dict[int, float] = {}
    for number, score in zip(numbers.tolist(), seeds.scores.tolist(), strict=True):
        scores[number] = scores.get(number, 0.0) + score
    named = _named(context)
    return sorted(scores, key=lambda number: (number not in named, -scores[number], number))[:DOCUMENTS]


def _named(context: Context) -> set[int]:
    """The numbers of the documents that the question names, by themselves or by a provision."""
    plan, corpus = context.relevance.plan, context.corpus
    wanted = {*plan.document_ids, *plan.focus}
    rows = corpus.rows([one for named in plan.named for one in named.passage_ids])
    numbers = set(corpus.document_numbers(rows[rows >= 0]).tolist())
    return numbers | {number for number, one in enumerate(corpus.documents()) if one.id in wanted}


def _rows(number: int, context: Context) -> Rows:
    """The passages of a document that the filters let through, in reading order."""
    (rows,) = context.corpus.by_document([context.corpus.documents()[number].id])
    return rows if context.mask is None else rows[context.mask[rows]]


def _leads(number: int, seeds: Seeds, context: Context) -> Leads:
    """A document from its best seed; that one, too, is proposed where another seed may vouch for it."""
    own = context.corpus.document_numbers(seeds.rows) == number
    first, *others = seeds.rows[own][np.argsort(-seeds.scores[own], kind="stable")].tolist()
    rows = _rows(number, context)
    rows = rows if others else rows[rows != first]
    sources = np.where(rows == first, others[0] if others else first, first)
    return make_leads(rows, sources.astype(np.int32), np.ones(len(rows), np.float32), Relation.PART_OF)
