"""Concepts: articles of the ontology's concepts that a question names, and passages near them in the graph.

Without concepts in the ontology the strategy proposes nothing (measured: "The ontology" in
benchmarks/RESULTS.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from engine.investigation.graph import NodeKind, Subgraph, subgraph
from engine.investigation.graph.nodes import Key
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import NO_SOURCE, RELATION_NUMBER, Leads, make_leads, no_leads
from engine.model import Relation
from engine.ontology.applying import (
    MOST_FOLLOWED,
    MOST_IMPORTANT,
    PER_ARTICLE,
    NamedConcept,
    first_rows,
    get_concepts,
)
from engine.ontology.applying import Concepts as Known
from engine.settings import Preset
from engine.strategy_registry import Colour

# Weight of an article of the parent concept, as a share of one of the concept itself.
WIDER = 0.5


class Found(NamedTuple):
    """A passage that a concept leads to, from the question or from the passage ``source``."""

    row: int
    source: int
    relation: Relation
    strength: float
    step: int
    quote: str = ""
    detail: str = ""


class Concepts:
    """Looks up the provisions of concepts that the question names, and follows the graph for two hops."""

    name = "concepts"
    title = "Concepts"
    legend = "concept"
    meaning = "Articles of the concepts that the question names, and passages near them in the graph."
    trust = 0.6
    stated = False
    colour = Colour("#7d4a1e", "#d9a679")
    on_from = Preset.DETECTIVE

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads from the question to articles of its concepts, and from these to linked passages.

        ``evidence`` is the number of the lead.
        """
        found = _found(context)
        if not found:
            return no_leads()
        strengths = np.array([one.strength for one in found], np.float32)
        leads = make_leads(
            np.array([one.row for one in found], np.int32),
            np.array([one.source for one in found], np.int32),
            strengths,
            np.array([RELATION_NUMBER[one.relation] for one in found], np.int8),
            evidence=np.arange(len(found), dtype=np.int32),
        )
        return replace(leads, steps=np.array([one.step for one in found], np.int8))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Name the concept in the question and the article that the passage is of it.

        For two passages joined by a reference, quote the words of the reference.
        """
        found = _found(context)
        evidence = []
        for number, source in zip(leads.evidence.tolist(), leads.sources.tolist(), strict=True):
            one = found[number]
            quoted = None
            if source != NO_SOURCE and one.quote:
                (quoted,) = context.reading.ids(np.array([source], np.int32))
            evidence.append(Evidence(one.quote, quoted, one.detail))
        return evidence


def _found(context: Context) -> list[Found]:
    """Return the leads of the question's concepts, each passage from each source once, in a fixed order."""
    known = get_concepts(context.corpus)
    plan = context.relevance.plan
    named = () if known is None else known.named_in(plan.question, plan.language)[:MOST_FOLLOWED]
    if known is None or not named:
        return []
    near = subgraph(context.corpus, [Key(NodeKind.CONCEPT, one.concept.id) for one in named])
    found: dict[tuple[int, int], Found] = {}
    for one in (*_articles(context, known, named), *_wider(context, known, named), *_joined(near)):
        found.setdefault((one.row, one.source), one)
    own = {one.row for one in found.values() if one.source == NO_SOURCE}
    # An article needs no further lead by a reference.
    return [one for one in found.values() if one.source == NO_SOURCE or one.row not in own]


def _articles(context: Context, known: Known, named: Sequence[NamedConcept]) -> Iterator[Found]:
    """Yield the articles of the named concepts, and the provisions that define them."""
    for one in named:
        concept = one.concept
        rows, articles = first_rows(known.articles(context.corpus, concept), PER_ARTICLE)
        strength = concept.importance / MOST_IMPORTANT
        for row, article in zip(rows.tolist(), articles, strict=True):
            what = "the definition" if article.defines else "an article"
            detail = f"{article.words}, {what} of the concept “{one.words}” that the question names"
            yield Found(row, NO_SOURCE, Relation.APPLIES_TO, strength, 1, detail=detail)


def _wider(context: Context, known: Known, named: Sequence[NamedConcept]) -> Iterator[Found]:
    """Yield the articles of the parents of the named concepts."""
    for one in named:
        for above in known.above(one.concept)[:1]:
            rows, articles = first_rows(known.articles(context.corpus, above), 1)
            name = above.names.get(context.relevance.plan.language) or next(iter(above.names.values()))
            strength = WIDER * above.importance / MOST_IMPORTANT
            for row, article in zip(rows.tolist(), articles, strict=True):
                detail = f"{article.words}, an article of “{name}”, the parent of “{one.words}”"
                yield Found(row, NO_SOURCE, Relation.APPLIES_TO, strength, 1, detail=detail)


def _joined(near: Subgraph) -> Iterator[Found]:
    """Yield passages of the subgraph that are linked with an article by a reference."""
    nodes = {node.id: node for node in near.nodes if node.kind is NodeKind.PASSAGE}
    for edge in near.edges:
        source, target = nodes.get(edge.source), nodes.get(edge.target)
        if source is None or target is None or source.hops >= target.hops:
            continue
        assert source.row is not None
        assert target.row is not None
        yield Found(target.row, source.row, edge.relation, target.worth, 2, edge.quote)
