"""Amendments and exceptions: later changes to a seed, over any number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Links, Rows, Scores
from engine.investigation.filters import document_links, is_document_link, newest, select_links
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.citations import quote
from engine.investigation.trails import DIRECTIONS, RELATIONS, Leads, joined, make_leads, no_leads, strongest
from engine.model import Direction, Passage, Reference, Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

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
