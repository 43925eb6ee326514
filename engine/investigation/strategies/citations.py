"""References in both directions, amendments and exceptions, and links that a model extracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import begins, distinct, falling, found_in, numbered
from engine.corpus.extracted import ExtractedGraph, extracted_graph
from engine.corpus.protocol import Links, Rows, Scores
from engine.investigation.filters import document_links, is_document_link, newest, select_links
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import DIRECTIONS, RELATIONS, Leads, joined, make_leads, no_leads, strongest
from engine.languages import words
from engine.languages.tables import base_of
from engine.model import Direction, Passage, Reference, Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

# References in both directions and over several hops: passages that a seed cites, and that cite
# it.

# Weight of an incoming reference, which the author of the cited passage did not choose.
INCOMING = 0.7
# Strength falls with the number of a passage's references, and with a reference's rank among them by
# relevance.
DILUTION, RANK_DISCOUNT = 0.2, 0.2
# Passages followed from the second hop on: breadth-first search reaches thousands of passages in two hops.
FOLLOWED_PER_HOP = 10
# Words quoted before a reference ("in accordance with Rule 6.2.1").
LEADING_WORDS = 5
# The beginning of the detail of a hop into a text of another language, such as from an incomplete
# translation.
ACROSS_LANGUAGES = "across languages: "
FOLLOWED = {"both": DIRECTIONS, "out": (Direction.OUT,), "in": (Direction.IN,)}


class Citations:
    """Follows resolved references from the seeds over several hops, in both directions."""

    name = "citations"
    title = "References"
    legend = "reference"
    meaning = "Provisions that a passage cites, or that cite it, over several steps."
    # A reference was put there by the legislator.
    trust = 1.0
    stated = True
    colour = Colour("#d55e00", "#ff8a3d")
    on_from = Preset.QUICK
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads over one or more hops; a lead of a later hop starts at the passage before it."""
        batches: list[Leads] = []
        sources, visited = seeds.rows, distinct(seeds.rows)
        for step in range(1, context.search_budget.hops + 1):
            found = self._one_hop(sources, step, context)
            if not len(found):
                break
            batches.append(found)
            reached = distinct(found.rows)
            fresh = reached[~found_in(visited, reached)]
            visited = np.sort(np.concatenate([visited, fresh]))
            relevance = context.relevance.of(fresh)
            sources = fresh[np.lexsort((fresh, -relevance))][:FOLLOWED_PER_HOP]
        return joined(batches)

    def _one_hop(self, sources: Rows, step: int, context: Context) -> Leads:
        if not len(sources):
            return no_leads()
        both = []
        for direction in FOLLOWED[context.settings.citation_direction]:
            links = context.corpus.neighbours(sources, None, direction)
            rows = links.rows
            if direction is Direction.OUT and context.mask is not None:
                # A reference to a superseded text leads to the version in force.
                rows = newest(context.corpus, rows, context.mask)
            both.append(
                make_leads(
                    rows,
                    sources[links.origins],
                    links.weights,
                    links.relations,
                    direction=direction,
                    evidence=links.evidence,
                    step=step,
                )
            )
        leads = strongest(joined(both))
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        rows, position = numbered(leads.rows)
        rank, degree = rank_within(leads.sources, context.relevance.of(rows)[position])
        share = np.where(incoming, INCOMING, 1.0) / (degree**DILUTION * rank**RANK_DISCOUNT)
        return replace(leads, strengths=(leads.strengths * share).astype(np.float32))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote each reference with the words before it, and note a reference into another language."""
        references = context.corpus.references(leads.evidence.tolist())
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        citing = np.where(incoming, leads.rows, leads.sources).astype(np.int32)
        cited = np.where(incoming, leads.sources, leads.rows).astype(np.int32)
        both = zip(context.reading.passages(citing), context.reading.passages(cited), strict=True)
        return [
            Evidence(quote(reference, passage), passage.id, _crossing(passage.language, target.language))
            for reference, (passage, target) in zip(references, both, strict=True)
        ]


def _crossing(citing: str, cited: str) -> str:
    """Describe a reference from a text of one language into one of another; "" within a language."""
    if base_of(citing) == base_of(cited):
        return ""
    left, reached = (words(code).name or code for code in (citing, cited))
    return f"{ACROSS_LANGUAGES}from the {left} text into the {reached} one"


def rank_within(groups: Rows, scores: Scores) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 1-based rank of each item by score within its group, and the group's size; shapes (n,)."""
    order = falling(groups, scores)
    starts = np.flatnonzero(begins(groups[order]))
    sizes = np.diff(np.append(starts, len(groups)))
    rank, size = np.empty((2, len(groups)), np.float64)
    rank[order] = np.arange(1, len(groups) + 1) - np.repeat(starts, sizes)
    size[order] = np.repeat(sizes, sizes)
    return rank, size


def quote(reference: Reference, passage: Passage) -> str:
    """Quote the reference and up to five words before it in the same sentence, verbatim."""
    start, end = reference.span.start, reference.span.end
    before = passage.text[max(0, start - 80) : start]
    for border in ("\n", ". ", "; ", ": "):
        before = before.rpartition(border)[2] if border in before else before
    words = before.split(" ")
    kept = " ".join(words[-LEADING_WORDS - 1 :])
    if start > len(before) and len(words) <= LEADING_WORDS + 1 and len(before) == 80:
        kept = kept.partition(" ")[2]
    return (kept.lstrip() + passage.text[start:end]).strip()


# Amendments and exceptions: later changes to a seed, over any number of steps.

# Relations that change a text, and relations that limit or extend it.
CHANGES = (Relation.AMENDS, Relation.REPEALS, Relation.SUPERSEDES)
LIMITS = (Relation.EXCEPTION_TO, Relation.SUBJECT_TO, Relation.EXTENDS)
# Changes are followed to the end, exceptions one step: "subject to Articles 9 to 15" would lead everywhere.
LONGEST_CHAIN = 8
# Each further step is less certain to concern the question.
STEP_DISCOUNT = 0.85
# Number of provisions of an act that is amended as a whole, those closest to the question, and their weight.
WHOLE_ACT_LEADS, WHOLE_ACT_SHARE = 3, 0.6
# The most relevant passages, which are followed after each step.
FOLLOWED_PER_STEP = 20


class Amendments:
    """Follows amending, repealing, superseding and limiting links both ways, to the latest version."""

    name = "amendments"
    title = "Amendments and exceptions"
    legend = "amendment"
    meaning = "What amends, repeals, limits or overrides a passage, up to the latest version."
    trust = 1.0
    stated = True
    colour = Colour("#8c2d04", "#d9896a")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads over several steps; a lead of a later step starts at the last allowed passage.

        A text that the case's mask excludes is not proposed, but texts that amend or supersede it are.
        """
        batches: list[Leads] = []
        rows = anchors = seeds.rows
        visited = np.unique(seeds.rows)
        for step in range(1, LONGEST_CHAIN + 1):
            found, reached = self._one_step(rows, anchors, step, context)
            batches.append(found)
            fresh = ~np.isin(reached.rows, visited)
            rows, first = np.unique(reached.rows[fresh], return_index=True)
            anchors = reached.sources[fresh][first]
            shown = _shown(rows, context)
            anchors = np.where(shown, rows, anchors).astype(np.int32)
            if not len(rows):
                break
            visited = np.union1d(visited, rows)
            best = np.lexsort((rows, -context.relevance.of(rows)))[:FOLLOWED_PER_STEP]
            rows, anchors = rows[best].astype(np.int32), anchors[best]
        return joined(batches)

    def _one_step(self, rows: Rows, anchors: Rows, step: int, context: Context) -> tuple[Leads, Leads]:
        """Return the leads of one step, and the same with excluded texts."""
        if not len(rows):
            return no_leads(), no_leads()
        relations = (*CHANGES, *LIMITS) if step == 1 else CHANGES
        corpus, shown = context.corpus, _shown(rows, context)
        out = corpus.neighbours(rows, relations, Direction.OUT)
        # An excluded text is not quoted, so that its own references are not followed.
        out = select_links(out, shown[out.origins])
        back = corpus.neighbours(rows, relations, Direction.IN)
        by_act = _best_of_each(document_links(corpus, rows, CHANGES), context, WHOLE_ACT_SHARE)
        # The provisions of an act that a seed amends as a whole.
        into_act = (
            self._provisions(out, context)
            if step == 1
            else select_links(out, np.zeros(len(out.rows), np.bool_))
        )
        both = []
        for links, direction in (
            (out, Direction.OUT),
            (into_act, Direction.OUT),
            (back, Direction.IN),
            (by_act, Direction.IN),
        ):
            reached = links.rows
            if direction is Direction.OUT and context.mask is not None:
                reached = newest(corpus, reached, context.mask)
            strengths = links.weights * STEP_DISCOUNT ** (step - 1)
            both.append(
                make_leads(
                    reached,
                    anchors[links.origins],
                    strengths,
                    links.relations,
                    direction=direction,
                    evidence=links.evidence,
                    step=step,
                )
            )
        leads = strongest(joined(both))
        leads = leads.take(leads.rows != leads.sources)
        return leads.take(_shown(leads.rows, context)), leads

    def _provisions(self, links: Links, context: Context) -> Links:
        """Return links to the provisions, closest to the question, of acts that are changed as a whole."""
        relations = [RELATIONS[number] for number in links.relations.tolist()]
        whole = is_document_link(context.corpus, links) & np.array(
            [relation in CHANGES for relation in relations], np.bool_
        )
        links = select_links(links, whole)
        if not len(links.rows):
            return links
        corpus = context.corpus
        numbers = corpus.document_numbers(links.rows).tolist()
        own = corpus.by_document([corpus.documents()[number].id for number in numbers])
        index = np.repeat(np.arange(len(own)), [len(rows) for rows in own])
        every = Links(
            links.origins[index],
            np.concatenate(own).astype(np.int32),
            links.relations[index],
            links.weights[index],
            links.evidence[index],
        )
        return _best_of_each(every, context, WHOLE_ACT_SHARE)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the changing words from their passage, or describe the link if no text states it."""
        references = context.corpus.references(leads.evidence.tolist())
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        changing = np.where(incoming, leads.rows, leads.sources).astype(np.int32)
        passages = context.reading.passages(changing)
        worded = [reference if reference.text else _in_words(context, reference) for reference in references]
        return [
            _evidence(reference, passage, back)
            for reference, passage, back in zip(worded, passages, incoming.tolist(), strict=True)
        ]


def _in_words(context: Context, stated: Reference) -> Reference:
    """Return the reference that states a metadata link in words, if the same passage has one."""
    made = context.corpus.references_from(context.corpus.rows([stated.source_id]))
    for other in context.corpus.references(made.numbers.tolist()):
        if other.text and (other.relation, other.target_id) == (stated.relation, stated.target_id):
            return other
    return stated


def _evidence(reference: Reference, passage: Passage, back: bool) -> Evidence:
    words = quote(reference, passage) if reference.text and reference.source_id == passage.id else ""
    if words:
        return Evidence(words, passage.id)
    if reference.relation is Relation.SUPERSEDES:
        return Evidence(detail="a later version" if back else "an earlier version")
    return Evidence(detail="stated by the source, not in the text")


def _shown(rows: Rows, context: Context) -> NDArray[np.bool_]:
    """Return which passages the case may show, shape (n,)."""
    if context.mask is None:
        return np.ones(len(rows), np.bool_)
    allowed: NDArray[np.bool_] = context.mask[rows]
    return allowed


def _best_of_each(links: Links, context: Context, share: float) -> Links:
    """Keep each origin's links to the passages closest to the question, at ``share`` of their weight."""
    if not len(links.rows):
        return links
    relevance: Scores = context.relevance.of(links.rows)
    order = np.lexsort((links.rows, -relevance, links.origins))
    _, first, position = np.unique(links.origins[order], return_index=True, return_inverse=True)
    rank = np.arange(len(order)) - first[position]
    kept = np.zeros(len(order), np.bool_)
    kept[order[rank < WHOLE_ACT_LEADS]] = True
    few = select_links(links, kept)
    return replace(few, weights=(few.weights * share).astype(np.float32))


# Links that a language model extracted from the texts: exceptions, extensions, applicability,
# concepts.


class Extracted:
    """Follows extracted links that were not rejected, in both directions; off by default."""

    name = "extracted"
    title = "Links extracted by a model"
    legend = "read by a model"
    meaning = "Links that a language model extracted from the texts, unless a reviewer rejected them."
    # Links that the texts state are admitted before links of a model.
    trust = 0.6
    stated = False
    colour = Colour("#8e4162", "#d98aae")
    on_from = None

    def __init__(self) -> None:
        self._graph: ExtractedGraph | None = None

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads over one hop; ``evidence`` is the number of a proposal."""
        # Leads are explained by the graph that proposed them, even if a user judges a proposal in between.
        graph = self._graph = extracted_graph(context.corpus)
        both = []
        for direction in DIRECTIONS:
            links = graph.neighbours(seeds.rows, direction)
            rows = links.rows
            if direction is Direction.OUT and context.mask is not None:
                rows = newest(context.corpus, rows, context.mask)
            both.append(
                make_leads(
                    rows,
                    seeds.rows[links.origins],
                    links.weights,
                    links.relations,
                    direction=direction,
                    evidence=links.evidence,
                )
            )
        leads = strongest(joined(both))
        if not len(leads):
            return leads
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        rank, degree = rank_within(leads.sources, context.relevance.of(leads.rows))
        share = np.where(incoming, INCOMING, 1.0) / (degree**DILUTION * rank**RANK_DISCOUNT)
        return replace(leads, strengths=(leads.strengths * share).astype(np.float32))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the words of each link, and name the model and the reviewer's verdict."""
        graph = self._graph or extracted_graph(context.corpus)
        found = [graph.standing[number] for number in leads.evidence.tolist()]
        return [Evidence(one.proposal.quote, one.proposal.source_id, one.origin_words) for one in found]
