"""Shared names and terms, and their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.corpus.protocol import Rows
from engine.investigation.definitions import DefinedTerms, Use, defined_terms
from engine.investigation.filters import newest
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.citations import quote
from engine.investigation.trails import NO_SOURCE, Leads, joined, make_leads, no_leads
from engine.model import Direction, Entity, Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

# Shared names and terms: passages that mention the same rare entities as a seed, or define them.

PER_ENTITY = 20
_ENDING = re.compile(r"\w*")
_ENDING_AND_GAP = re.compile(r"\w*\s+")


class Entities:
    """Follows entities weighted by rarity; several shared entities count as independent evidence."""

    name = "entities"
    title = "Shared names and terms"
    legend = "entity"
    meaning = "Passages that use the same uncommon names and terms."
    # Passages may share words by chance.
    trust = 0.4
    stated = False
    colour = Colour("#009e73", "#35c99a")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose one lead for each pair of seed and passage, with the rarest shared entity as evidence."""
        links = context.corpus.by_entity(seeds.rows, PER_ENTITY)
        if not len(links.rows):
            return no_leads()
        pairs = links.origins.astype(np.int64) * (int(links.rows.max()) + 1) + links.rows
        _, first, position = np.unique(pairs, return_index=True, return_inverse=True)
        # The strength is 1 minus the product of (1 - w) over the shared entities.
        doubt = np.zeros(len(first), np.float64)
        np.add.at(doubt, position, np.log1p(-np.clip(links.weights.astype(np.float64), 0.0, 0.999)))
        strongest = np.zeros(len(first), np.float32)
        np.maximum.at(strongest, position, links.weights)
        is_best = np.flatnonzero(links.weights >= strongest[position])
        best = np.zeros(len(first), np.int64)
        best[position[is_best[::-1]]] = is_best[::-1]
        return make_leads(
            links.rows[first],
            seeds.rows[links.origins[first]],
            (1.0 - np.exp(doubt)).astype(np.float32),
            links.relations[best],
            evidence=links.evidence[best],
        )

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the shared entity from the seed with its kind; give its name if the seed has other words."""
        entities = context.corpus.entities(leads.evidence.tolist())
        sources = context.reading.passages(leads.sources)
        return [
            _evidence(entity, source.id, as_written(entity.name, source.text))
            for entity, source in zip(entities, sources, strict=True)
        ]


def _evidence(entity: Entity, source_id: str, words: str) -> Evidence:
    kind = entity.kind.value.replace("_", " ")
    return Evidence(words, source_id, kind) if words else Evidence(detail=f"{kind}: {entity.name}")


def as_written(name: str, text: str) -> str:
    """Return the first words of a text that are this name in any case and with any endings; "" for none."""
    first, *others = name.lower().split()
    lowered = text.lower()
    if len(lowered) != len(text):
        # Keep a letter that is longer in lower case, such as the Turkish I with a dot.
        lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    start = lowered.find(first)
    while start >= 0:
        end = start + len(first)
        for word in others:
            gap = _ENDING_AND_GAP.match(lowered, end)
            if gap is None or not lowered.startswith(word, gap.end()):
                break
            end = gap.end() + len(word)
        else:
            ending = _ENDING.match(text, end)
            return text[start : ending.end() if ending else end]
        start = lowered.find(first, start + 1)
    return ""


# Definitions of the terms that the question and the seeds use.

# Definitions of each term of the question, those closest to it: each document has its own.
PER_TERM = 3
# Terms of each seed, those whose definitions are closest to the question.
PER_SEED = 3
# Weight of a definition in a document without seeds, or not in the seed's document.
ELSEWHERE = 0.5
# Weight of a single word without the capital of the defined term.
NOT_AS_DEFINED = 0.5
# Weight of a term of a seed, relative to one of the question.
OF_SEED = 0.6


class Definitions:
    """Looks up the terms of the question and the seeds, and follows definitions by reference."""

    name = "definitions"
    title = "Definitions of terms"
    legend = "definition"
    meaning = "What defines the terms of the question and of the seeds."
    trust = 0.6
    stated = True
    colour = Colour("#3f5a9d", "#8fa8e8")
    on_from = Preset.DETECTIVE
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads from the question and the seeds to the definitions of their terms.

        A second step leads from definitions to the provisions that they refer to ("has the meaning given in
        ..."). ``evidence`` is a term's number, or for a reference of the corpus -2 minus its number.
        """
        terms = defined_terms(context.corpus)
        asked = self._of_question(terms, seeds, context)
        first = joined([asked, self._of_seeds(terms, seeds, context)])
        referring = self._by_reference(seeds.rows, 1, context)
        known = np.unique(np.concatenate([first.rows, seeds.rows])).astype(np.int32)
        fresh = np.setdiff1d(first.rows, seeds.rows).astype(np.int32)
        onward = self._by_reference(fresh, 2, context)
        return joined([first, referring, onward.take(~np.isin(onward.rows, known))])

    def _of_question(self, terms: DefinedTerms, seeds: Seeds, context: Context) -> Leads:
        plan = context.relevance.plan
        near = set(context.corpus.document_numbers(seeds.rows).tolist())
        batches, seen = [], set()
        for use in terms.used_in(plan.question, plan.language):
            if use.term in seen:
                continue
            seen.add(use.term)
            rows = _allowed(terms.definitions(use.term), context)
            rows = rows[np.lexsort((rows, -context.relevance.of(rows)))][:PER_TERM]
            documents = context.corpus.document_numbers(rows).tolist()
            share = np.array([1.0 if number in near else ELSEWHERE for number in documents])
            share *= 1.0 if use.as_defined else NOT_AS_DEFINED
            batches.append(_leads(rows, np.full(len(rows), NO_SOURCE, np.int32), share, use.term))
        return joined(batches)

    def _of_seeds(self, terms: DefinedTerms, seeds: Seeds, context: Context) -> Leads:
        documents = context.corpus.document_numbers(seeds.rows).tolist()
        passages = context.reading.passages(seeds.rows)
        batches = []
        for row, document, passage in zip(seeds.rows.tolist(), documents, passages, strict=True):
            uses = {use.term: use for use in terms.used_in(passage.text, passage.language) if use.as_defined}
            found = [self._own(terms, use, row, document, context) for use in uses.values()]
            leads = joined(found)
            best = np.lexsort((leads.rows, -context.relevance.of(leads.rows) * leads.strengths))
            batches.append(leads.take(np.sort(best[:PER_SEED])))
        return joined(batches)

    def _own(self, terms: DefinedTerms, use: Use, row: int, document: int, context: Context) -> Leads:
        """Return the definition that applies to a passage.

        This is the one of its own document, or else the only one of a term of several words.
        """
        rows = terms.definitions(use.term)
        if row in rows:
            return no_leads()
        rows = _allowed(rows, context)
        own = rows[context.corpus.document_numbers(rows) == document]
        if len(own):
            return _leads(own[:1], np.array([row], np.int32), np.array([OF_SEED]), use.term)
        # A single word ("Code") has its meaning in one contract only; several words are a term of the field.
        if len(rows) == 1 and " " in terms.names[use.term]:
            return _leads(rows, np.array([row], np.int32), np.array([OF_SEED * ELSEWHERE]), use.term)
        return no_leads()

    def _by_reference(self, rows: Rows, step: int, context: Context) -> Leads:
        """Propose leads to the provisions that these passages refer to for a definition."""
        links = context.corpus.neighbours(rows, [Relation.DEFINES], Direction.OUT)
        return make_leads(
            _newest(links.rows, context),
            rows[links.origins],
            links.weights,
            Relation.DEFINES,
            evidence=-2 - links.evidence,
            step=step,
        )

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the term from the question or the seed, or the words of the reference."""
        terms, plan = defined_terms(context.corpus), context.relevance.plan
        in_question = {use.term: use for use in reversed(terms.used_in(plan.question, plan.language))}
        evidence = []
        for source, handle in zip(leads.sources.tolist(), leads.evidence.tolist(), strict=True):
            if source == NO_SOURCE:
                use = in_question[handle]
                detail = f"definition of {terms.names[handle]}"
                evidence.append(Evidence(plan.question[use.start : use.end], None, detail))
                continue
            passage = context.reading.passages(np.array([source], np.int32))[0]
            if handle < 0:
                (reference,) = context.corpus.references([-2 - handle])
                evidence.append(Evidence(quote(reference, passage), passage.id))
                continue
            uses = terms.used_in(passage.text, passage.language)
            use = next(use for use in uses if use.term == handle and use.as_defined)
            words = passage.text[use.start : use.end]
            evidence.append(Evidence(words, passage.id, f"definition of {terms.names[handle]}"))
        return evidence


def _leads(
    rows: Rows, sources: Rows, strengths: np.ndarray[tuple[int], np.dtype[np.float64]], term: int
) -> Leads:
    numbers = np.full(len(rows), term, np.int32)
    return make_leads(rows, sources, strengths.astype(np.float32), Relation.DEFINES, evidence=numbers)


def _newest(rows: Rows, context: Context) -> Rows:
    return rows if context.mask is None else newest(context.corpus, rows, context.mask)


def _allowed(rows: Rows, context: Context) -> Rows:
    """Return the definitions in force, ascending."""
    if context.mask is None:
        return rows
    found = np.unique(_newest(rows, context)).astype(np.int32)
    allowed: Rows = found[context.mask[found]]
    return allowed
