"""Same document: siblings, chapter, neighbours, preamble, annexes; or the whole document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.corpus.protocol import Rows
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, joined, make_leads
from engine.model import Passage, Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

# Same document: siblings, parent, chapter, the next and the previous passage, preamble, annexes.

PER_DOCUMENT = 50


class Metadata:
    """Follows the hierarchy of the seeds' documents."""

    name = "metadata"
    title = "Same document"
    legend = "same document"
    meaning = "Other passages of a seed's document, by their position in it."
    trust = 0.5
    stated = False
    colour = Colour("#0072b2", "#56b4e9")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads by position in the document, at most 50 of each document."""
        links = context.corpus.siblings(seeds.rows, PER_DOCUMENT)
        return make_leads(links.rows, seeds.rows[links.origins], links.weights, links.relations)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Describe the position of each passage relative to its seed."""
        reached = context.reading.passages(leads.rows)
        sources = context.reading.passages(leads.sources)
        return [
            Evidence(detail=describe_position(passage, source))
            for passage, source in zip(reached, sources, strict=True)
        ]


def describe_position(passage: Passage, source: Passage) -> str:
    """Describe the position of a passage relative to another one of its document."""
    if passage.section_id is not None and passage.section_id == source.section_id:
        return "same section"
    if passage.kind.value in ("preamble", "recital", "annex", "schedule", "definitions"):
        return passage.kind.value
    if abs(passage.position - source.position) == 1:
        return "next" if passage.position > source.position else "previous"
    if passage.headings and passage.headings == source.headings[: len(passage.headings)]:
        return "heading above" if len(passage.headings) < len(source.headings) else "same chapter"
    return "same chapter"


# Whole documents: all passages of the most important documents, with preamble, recitals and
# annexes.
#
# Documents that the question names are the most important, then those with the highest sum of
# seed scores, which have most of the pool's best passages. A single strong passage does not make
# its document important.

# New passages of a document in one round, those nearest to the question first; the next round continues.
WHOLE_PER_DOCUMENT = 60
DOCUMENTS = 2
READ_WHOLE = "read whole: "


class WholeDocument:
    """Proposes whole documents of the seeds, relevant or not, because the user asked for them."""

    name = "whole_document"
    title = "Whole document"
    legend = "read whole"
    meaning = "The full text of the documents with the most good passages, up to a limit."
    trust = 1.0
    stated = False
    colour = Colour("#5d6b1f", "#b3c25a")
    on_from = Preset.DETECTIVE
    whole = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose the most important documents, each from its best seed and in the order of its text."""
        return joined([_leads(number, seeds, context) for number in _documents(seeds, context)])

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Name the document that was read whole, and the limit if it is longer than one round reads."""
        documents = context.corpus.documents()
        numbers = context.corpus.document_numbers(leads.rows).tolist()
        details = {}
        for number in set(numbers):
            document, every = documents[number], len(_rows(number, context))
            most = (
                f", at most {WHOLE_PER_DOCUMENT} of {every:,} passages a round"
                if every > WHOLE_PER_DOCUMENT
                else ""
            )
            details[number] = f"{READ_WHOLE}{document.title or document.id}{most}"
        return [Evidence(detail=details[number]) for number in numbers]


def _documents(seeds: Seeds, context: Context) -> list[int]:
    """Return the numbers of the seeds' most important documents, the most important first."""
    numbers = context.corpus.document_numbers(seeds.rows)
    scores: dict[int, float] = {}
    for number, score in zip(numbers.tolist(), seeds.scores.tolist(), strict=True):
        scores[number] = scores.get(number, 0.0) + score
    named = _named(context)
    return sorted(scores, key=lambda number: (number not in named, -scores[number], number))[:DOCUMENTS]


def _named(context: Context) -> set[int]:
    """Return the numbers of the documents that the question names, directly or by a provision."""
    plan, corpus = context.relevance.plan, context.corpus
    ids = {*plan.document_ids, *plan.focus}
    rows = corpus.rows([passage for named in plan.named for passage in named.passage_ids])
    numbers = set(corpus.document_numbers(rows[rows >= 0]).tolist())
    return numbers | {number for number, document in enumerate(corpus.documents()) if document.id in ids}


def _rows(number: int, context: Context) -> Rows:
    """Return the passages of a document that pass the filters, in reading order."""
    (rows,) = context.corpus.by_document([context.corpus.documents()[number].id])
    return rows if context.mask is None else rows[context.mask[rows]]


def _leads(number: int, seeds: Seeds, context: Context) -> Leads:
    """Propose a document from its best seed; that seed itself is proposed from another one."""
    own = context.corpus.document_numbers(seeds.rows) == number
    first, *others = seeds.rows[own][np.argsort(-seeds.scores[own], kind="stable")].tolist()
    rows = _rows(number, context)
    rows = rows if others else rows[rows != first]
    sources = np.where(rows == first, others[0] if others else first, first)
    return make_leads(rows, sources.astype(np.int32), np.ones(len(rows), np.float32), Relation.PART_OF)
