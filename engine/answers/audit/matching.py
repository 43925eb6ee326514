"""Which passages speak of a claim, and what their best sentence says of it.

Candidates are what the broad scan finds for the claim without its citations, what the citations lead to, and
what took the place of any of them. Of each the sentence, or two in a row, that comes nearest is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import pairwise

import numpy as np

from engine.answers.audit.judging import Likeness, features, judged
from engine.answers.audit.record import Claim, Source
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.ingestion.sentences import sentence_starts
from engine.language.analyzer import analyzer
from engine.language.embedders import embedder
from engine.language.statements import Comparison, Statement, compare, read
from engine.model import Direction, Passage, QueryPlan, Relation, Span, View
from engine.retrieval.embedding import embed_views
from engine.retrieval.scan import scan
from engine.settings import InvestigationSettings

# Passages of the scan that are compared, and passages that citations lead to, for one claim.
SCANNED, CITED = 24, 24
# A passage of so many sentences is compared as a whole too, up to so many characters.
LONGEST_WHOLE = 900
# A claim that has fewer letters left without its citations is searched with them.
SHORTEST_QUERY = 12
_SETTINGS = InvestigationSettings(query_strategy="precision")
DEPTH = 100


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence of a passage, read."""

    span: Span
    statement: Statement


class Matching:
    """Finds and compares the passages of one corpus on one day."""

    def __init__(self, corpus: Corpus, day: date) -> None:
        self.corpus, self.day = corpus, day
        self.in_force: Mask = corpus.in_force(day) | ~corpus.out_of_force(day)
        self.documents = corpus.documents()
        self._embedder = embedder(corpus.embedding)
        self.notes: dict[str, None] = {}
        self._sentences = lru_cache(4096)(self._read_sentences)
        self._context = lru_cache(4096)(self._read_context)
        self._rarities: dict[tuple[str, str], float] = {}

    def sources(self, claim: Claim, statement: Statement) -> list[Source]:
        """What speaks of a claim, best first."""
        rows, similar = self._candidates(claim)
        cited = {row for citation in claim.citations for row in citation.rows}
        rarity = self._rarity(statement)
        passages = self.corpus.passages(rows)
        found = []
        for row, passage, cosine in zip(rows.tolist(), passages, similar, strict=True):
            source = self._source(row, passage, cosine, statement, rarity)
            if source is not None:
                found.append(replace(source, cited=row in cited))
        return sorted(found, key=lambda one: (-one.says - one.related, one.row))

    def compared(self, source: Source, span: Span, statement: Statement) -> Source:
        """Other words of a source, compared with the claim."""
        rarity = self._rarity(statement)
        said = read(source.passage.text[span.start : span.end], source.passage.language)
        made = self._compared(source.row, _Read(span, said), statement, rarity, source.values.get("cosine"))
        likeness = judged(made[1])
        return replace(
            source,
            span=span,
            quote=source.passage.text[span.start : span.end],
            comparison=made[0],
            related=likeness.related,
            subject=likeness.subject,
            says=likeness.says,
            values=made[1],
        )

    def _compared(
        self,
        row: int,
        sentence: _Read,
        claim: Statement,
        rarity: dict[str, float],
        cosine: float | None,
    ) -> tuple[Comparison, dict[str, float]]:
        compared = compare(claim, sentence.statement, lambda stem: rarity.get(stem, 0.3))
        known = sentence.statement.stems | self._context(row)
        whole = sum(rarity.values()) or 1.0
        around = sum(value for stem, value in rarity.items() if stem in known) / whole
        return compared, features(claim, sentence.statement.stems, compared, around, cosine, rarity)

    def _candidates(self, claim: Claim) -> tuple[Rows, list[float | None]]:
        """Rows to be compared, and how similar each is to the claim by meaning, where vectors tell."""
        query = _without(claim)
        plan = QueryPlan(query, claim.language, (View("literal", query, origin="the claim"),))
        vectors, notes = embed_views(self._embedder, self.corpus, plan)
        self.notes.update(dict.fromkeys(notes))
        found = scan(self.corpus, plan, vectors, names=_SETTINGS.retrievers, limit=SCANNED + 6, depth=DEPTH)
        cited = [row for citation in claim.citations for row in citation.rows[:CITED]]
        rows = np.unique(np.array([*found.rows[:SCANNED].tolist(), *cited], np.int32))
        versions = self.corpus.neighbours(rows, (Relation.SUPERSEDES,), Direction.IN).rows
        rows = np.unique(np.concatenate([rows, versions])).astype(np.int32)
        if vectors is None:
            return rows, [None] * len(rows)
        held = self.corpus.vectors(rows)
        similar = held @ vectors[0]
        known = np.any(held != 0, axis=1)
        return rows, [float(one) if has else None for one, has in zip(similar, known, strict=True)]

    def _rarity(self, statement: Statement) -> dict[str, float]:
        """The best BM25 score that any passage has for each word: its inverse document frequency, all but."""
        words = {term.stem: term.word for term in statement.terms}
        unknown = [stem for stem in words if (statement.language, stem) not in self._rarities]
        hits = self.corpus.search_lexical([words[stem] for stem in unknown], statement.language, 1)
        best = [float(hit.scores[0]) if len(hit.scores) else None for hit in hits]
        highest = float(np.log(len(self.corpus) + 1))
        for stem, score in zip(unknown, best, strict=True):
            # What no passage has may be said in other words: it weighs as a middling word does.
            value = 0.5 if score is None else min(score / highest, 1.0)
            self._rarities[(statement.language, stem)] = value
        return {stem: self._rarities[(statement.language, stem)] for stem in words}

    def _source(
        self,
        row: int,
        passage: Passage,
        cosine: float | None,
        claim: Statement,
        rarity: dict[str, float],
    ) -> Source | None:
        best: tuple[float, _Read, Comparison, Likeness, dict[str, float]] | None = None
        for sentence in self._sentences(row):
            compared, values = self._compared(row, sentence, claim, rarity, cosine)
            likeness = judged(values)
            score = likeness.related + likeness.says + 0.02 * compared.coverage
            if best is None or score > best[0]:
                best = (score, sentence, compared, likeness, values)
        if best is None:
            return None
        _, sentence, compared, likeness, values = best
        span = sentence.span
        return Source(
            row,
            passage,
            self.documents[int(self.corpus.document_numbers(np.array([row], np.int32))[0])],
            span,
            passage.text[span.start : span.end],
            compared,
            likeness.related,
            likeness.subject,
            likeness.says,
            values,
            bool(self.in_force[row]),
        )

    def _read_sentences(self, row: int) -> tuple[_Read, ...]:
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        text = passage.text
        starts = [*sentence_starts(text, passage.language), len(text)]
        spans = [_trimmed(text, *ends) for ends in pairwise(starts)]
        chosen = [span for span in spans if span.start < span.end]
        whole = _trimmed(text, 0, len(text))
        if len(chosen) > 1 and whole.end - whole.start <= LONGEST_WHOLE:
            chosen.append(whole)
        return tuple(_Read(span, read(text[span.start : span.end], passage.language)) for span in chosen)

    def _read_context(self, row: int) -> frozenset[str]:
        """The stems of what stands around: the passage, its headings, the title of its document."""
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        number = int(self.corpus.document_numbers(np.array([row], np.int32))[0])
        document = self.documents[number]
        around = " . ".join((*passage.headings, document.title, *document.aliases))
        own = read(f"{passage.text} . {around}", passage.language, ())
        return own.stems | frozenset(analyzer(passage.language).terms(around))


def _without(claim: Claim) -> str:
    """The claim without the references it makes, where enough is left."""
    text = claim.text
    for citation in sorted(claim.citations, key=lambda one: -one.span.start):
        first, last = citation.span.start - claim.span.start, citation.span.end - claim.span.start
        text = text[:first] + " " + text[last:]
    text = " ".join(text.split())
    return text if len(text) >= SHORTEST_QUERY else claim.text


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def numbers_of(sources: Sequence[Source], corpus: Corpus) -> list[int]:
    """The documents that sources stand in, by number, the best first, each once."""
    rows = np.array([source.row for source in sources], np.int32)
    return list(dict.fromkeys(corpus.document_numbers(rows).tolist()))
