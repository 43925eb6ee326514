"""Find the passages on a claim's subject and compare their best sentence with it.

Candidates come from a broad scan for the claim without its citations, from its citations, and from versions
that replace any of these. Claims of people, answers of a model and its second readings use this comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

import numpy as np

from engine.answers.audit.record import Claim, Source
from engine.answers.audit.windows import Readable, WindowMatch, best_window, head_of, match_verbatim, readable
from engine.answers.conflicts import Amended, apply_amendments
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.language.addresses import number_key
from engine.language.embedders import embedder
from engine.language.statements import Sort, Token, sequence
from engine.language.statements.lexicon import lexicon
from engine.model import Direction, Passage, QueryPlan, Relation, Span, View
from engine.retrieval.embedding import embed_views
from engine.retrieval.scan import scan
from engine.settings import InvestigationSettings

MOST_REFERENCES = 12


@dataclass(frozen=True, slots=True)
class ComparableClaim:
    """A claim prepared for comparison: its tokens, and variants of its text with some references left out,
    each with the spans of those it keeps."""

    tokens: tuple[Token, ...]
    language: str
    texts: tuple[tuple[str, tuple[Span, ...]], ...]


def prepare_claim(text: str, language: str, references: Sequence[Span]) -> ComparableClaim:
    """Prepare a claim with its references for comparison with passages."""
    tokens = sequence(text, language, references)
    return ComparableClaim(tokens, language, tuple(_texts(text, references, language)))


def compare_with(
    claim: ComparableClaim, read: Readable, context: Callable[[], frozenset[str]]
) -> WindowMatch | None:
    """Return the words of a passage that match a claim best; a verbatim match comes before similar words."""
    best: WindowMatch | None = None
    for text, own in claim.texts:
        found = match_verbatim(text, read, own)
        if found is not None and (best is None or found.alignment.complete):
            best = found
        if found is not None and found.alignment.complete:
            return found
    alike = best_window(claim.tokens, read, context)
    if best is not None and best.omits and (alike is None or not alike.alignment.contrary):
        return best
    return best if alike is None or (best is not None and not alike.alignment.complete) else alike


def sentences_around(span: Span, read: Readable) -> Span:
    """Return the span of the whole sentences that a span touches."""
    touched = [one for one in read.spans if one.start < span.end and span.start < one.end]
    return Span(touched[0].start, touched[-1].end) if touched else span


def _texts(text: str, references: Sequence[Span], language: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield a claim, then variants without references at its beginning or end that the source need not have.
    Claims with many references have too many variants and get none."""
    yield text, tuple(references)
    if len(references) > MOST_REFERENCES:
        return
    cues = lexicon(language).cues
    frame = rf"(?:\W*(?:{cues['citing'].pattern}|{cues['framing'].pattern}))"
    front = re.compile(rf"\A{frame}+\W*", re.IGNORECASE)
    back = re.compile(rf"{frame}+\W*\Z", re.IGNORECASE)
    nothing = re.compile(rf"{frame}*\W*", re.IGNORECASE)
    for count in range(len(references) - 1, -1, -1):
        for ahead in range(len(references) - count + 1):
            inner, after = references[ahead : ahead + count], references[ahead + count :]
            start = references[ahead - 1].end if ahead else 0
            end = after[0].start if after else len(text)
            between = [*_between(text, 0, references[:ahead]), *_between(text, end, after, len(text))]
            if not all(nothing.fullmatch(part) for part in between):
                continue
            cut = text[start:end]
            yield cut, tuple(inner)
            cut = front.sub("", cut) if ahead else cut
            yield (back.sub("", cut) if after else cut), tuple(inner)


def _between(text: str, start: int, spans: Sequence[Span], end: int = -1) -> Iterator[str]:
    """Yield the text before each of some spans, and from the last one to ``end`` if given."""
    for span in spans:
        yield text[start : span.start]
        start = span.end
    if end >= 0:
        yield text[start:end]


def is_supported_verbatim(text: str, passages: Sequence[Passage]) -> bool:
    """True if the passages, joined in order, state a sentence verbatim with nothing binding left out (such as
    a condition in other items of a list, or a negation)."""
    first = passages[0]
    joined = first if len(passages) == 1 else replace(first, text="\n".join(one.text for one in passages))
    held = match_verbatim(text, readable(joined), ())
    return held is not None and held.alignment.complete


# "3.1 The Supplier ...", "3(2) The Board ...": a claim that begins with its provision's number.
_OWN_NUMBER = re.compile(
    r"(?P<number>\d+[A-Z]?(?:(?:\.\d+[A-Z]?)+|(?=\()))(?P<below>(?:\(\w{1,4}\))*)[.:]?\s+(?=\S)"
)
_BELOW = re.compile(r"\w+")
# Limits for one claim: passages of the scan, and passages that it cites.
SCANNED, CITED = 24, 24
_OFF = (
    "passages on a claim in other words may be missed, and the claim reported as not in the corpus; "
    "supported and contradicted claims are not affected"
)
# Weight of cosine similarity relative to a share of words.
COSINE = 0.7
# A claim with fewer letters left without its citations is searched with them.
SHORTEST_QUERY = 12
_SETTINGS = InvestigationSettings(query_strategy="precision")
DEPTH = 100


class ClaimMatcher:
    """Finds and compares the passages of one corpus on one day."""

    def __init__(self, corpus: Corpus, day: date, *, has_begun: bool = False) -> None:
        self.corpus, self.day = corpus, day
        self.in_force: Mask = corpus.in_force(day) | ~corpus.out_of_force(day)
        self._read_rows = corpus.in_force(day) | corpus.out_of_force(day) if has_begun else None
        self.documents = corpus.documents()
        self._embedder = embedder(corpus.embedding)
        self.notes: dict[str, None] = {}
        self._readable = lru_cache(4096)(self._read)
        self._context = lru_cache(4096)(self._read_context)
        self._amended = lru_cache(4096)(lambda row: apply_amendments(corpus, row, day))
        self._rarities: dict[tuple[str, str], float] = {}

    def sources(self, claim: Claim) -> list[Source]:
        """Return the sources on a claim's subject, best first."""
        rows, similar = self._candidates(claim)
        cited = {row for citation in claim.citations for row in citation.rows}
        prepared = self._prepare(claim)
        own = _OWN_NUMBER.match(claim.text)
        unnumbered = self._prepare(claim, own.end()) if own else prepared
        passages = self.corpus.passages(rows)
        found = [
            replace(
                self._source(
                    row, passage, cosine, unnumbered if own and _has_number(passage, own) else prepared
                ),
                cited=row in cited,
            )
            for row, passage, cosine in zip(rows.tolist(), passages, similar, strict=True)
        ]
        if not any(one.supports for one in found):
            found = self._together(found, prepared)
        return sorted(found, key=lambda one: (not one.supports, not one.differs, -one.near, one.row))

    def _together(self, found: list[Source], claim: ComparableClaim) -> list[Source]:
        """If the cited sources state a claim only when joined (a list head and its items), mark the first of
        them with the joined match; return all sources."""
        own = [one for one in sorted(found, key=lambda one: one.row) if one.cited][:CITED]
        own = [one for one in own if one.document.id == own[0].document.id]
        if len(own) < 2 or own[0].passage.language != claim.language:
            return found
        read = readable(replace(own[0].passage, text="\n".join(one.passage.text for one in own)))
        for text, kept in claim.texts:
            match = match_verbatim(text, read, kept)
            if match is not None and match.alignment.complete:
                joined = replace(own[0], alignment=match.alignment)
                return [joined if one is own[0] else one for one in found]
        return found

    def compared(self, source: Source, span: Span, claim: Claim) -> Source:
        """Compare the claim with the sentences around a quote: what the quote omits from them is binding."""
        span = sentences_around(span, self._readable(source.row))
        quoted = replace(source.passage, text=source.passage.text[span.start : span.end])
        row = source.row
        match = compare_with(self._prepare(claim), readable(quoted), lambda: self._context(row))
        found = None if match is None else match.alignment
        # The comparison is with the printed words; amendments may change them.
        doubtful = source.doubtful or source.amended is not None
        return replace(source, span=span, quote=quoted.text, alignment=found, doubtful=doubtful)

    def _prepare(self, claim: Claim, begin: int = 0) -> ComparableClaim:
        first = claim.span.start
        spans = [Span(one.span.start - first, one.span.end - first) for one in claim.citations]
        text = " " * begin + claim.text[begin:]
        return prepare_claim(text, claim.language, [one for one in spans if one.start >= begin])

    def _candidates(self, claim: Claim) -> tuple[Rows, list[float | None]]:
        """Return rows to compare, and their cosine similarities to the claim, None without vectors."""
        query = _without(claim)
        plan = QueryPlan(query, claim.language, (View("literal", query, origin="the claim"),))
        vectors, notes = embed_views(self._embedder, self.corpus, plan)
        self.notes.update(dict.fromkeys(f"{note}: {_OFF}" for note in notes))
        found = scan(self.corpus, plan, vectors, names=_SETTINGS.retrievers, limit=SCANNED + 6, depth=DEPTH)
        cited = [row for citation in claim.citations for row in citation.rows[:CITED]]
        rows = np.unique(np.array([*found.rows[:SCANNED].tolist(), *cited], np.int32))
        versions = self.corpus.neighbours(rows, (Relation.SUPERSEDES,), Direction.IN).rows
        rows = np.unique(np.concatenate([rows, versions])).astype(np.int32)
        if self._read_rows is not None:
            rows = rows[self._read_rows[rows]]
        if vectors is None:
            return rows, [None] * len(rows)
        vectors_found = self.corpus.vectors(rows)
        similar = vectors_found @ vectors[0]
        has_vector = np.any(vectors_found != 0, axis=1)
        return rows, [float(one) if has else None for one, has in zip(similar, has_vector, strict=True)]

    def _rarity(self, tokens: Sequence[Token], language: str) -> dict[str, float]:
        """Return each word's best BM25 score of any passage, scaled to 0..1: nearly its inverse document
        frequency."""
        words = {token.key: token.word for token in tokens if token.sort is Sort.CONTENT}
        unknown = [key for key in words if (language, key) not in self._rarities]
        hits = self.corpus.search_lexical([words[key] for key in unknown], language, 1)
        best = [float(hit.scores[0]) if len(hit.scores) else None for hit in hits]
        highest = float(np.log(len(self.corpus) + 1))
        for key, score in zip(unknown, best, strict=True):
            # A word without any passage may have synonyms: it gets a medium weight.
            value = 0.5 if score is None else min(score / highest, 1.0)
            self._rarities[(language, key)] = value
        return {key: self._rarities[(language, key)] for key in words}

    def _source(self, row: int, passage: Passage, cosine: float | None, claim: ComparableClaim) -> Source:
        found = self._as_printed(row, passage, cosine, claim)
        amended = self._amended(row) if found.in_force else None
        if amended is None or found.alignment is None:
            return replace(found, amended=amended)
        return self._as_amended(found, amended, claim)

    def _as_amended(self, printed: Source, amended: Amended, claim: ComparableClaim) -> Source:
        """Compare the amended text. If only the old words state the claim, the source is no longer in force;
        if uncertain amendments may change the result, it is doubtful."""

        def held(text: str) -> Source:
            if text == printed.passage.text:
                return replace(printed, amended=amended)
            read = readable(replace(printed.passage, text=text))
            found = compare_with(claim, read, lambda: self._context(printed.row))
            return replace(printed, alignment=None if found is None else found.alignment, amended=amended)

        now = held(amended.text)
        if amended.doubts:
            then = None if amended.otherwise is None else held(amended.otherwise)
            same = then is not None and (then.supports, then.differs) == (now.supports, now.differs)
            if then is not None and not now.supports and (then.supports or then.differs):
                now = then
            return replace(now, doubtful=not same)
        if printed.supports and not now.supports:
            return replace(printed, amended=amended, in_force=False)
        return now

    def _as_printed(self, row: int, passage: Passage, cosine: float | None, claim: ComparableClaim) -> Source:
        read = self._readable(row) if passage.language == claim.language else None
        match = None if read is None else compare_with(claim, read, lambda: self._context(row))
        rarity = self._rarity(claim.tokens, claim.language)
        near = 0.0 if cosine is None else max(0.0, COSINE * cosine)
        if read is not None:
            known = self._context(row)
            total = sum(rarity.values()) or 1.0
            near = max(near, sum(value for key, value in rarity.items() if key in known) / total)
        span = Span(0, len(passage.text)) if read is None else self._quoted(read, match, claim)
        return Source(
            row,
            passage,
            self.documents[int(self.corpus.document_numbers(np.array([row], np.int32))[0])],
            span,
            passage.text[span.start : span.end],
            None if match is None else match.alignment,
            near,
            bool(self.in_force[row]),
        )

    def _quoted(self, read: Readable, match: WindowMatch | None, claim: ComparableClaim) -> Span:
        """Return the span of the matching words, else of the window with most of the claim's words."""
        if match is not None:
            return match.span
        keys = {token.key for token in claim.tokens if token.sort is Sort.CONTENT}
        ranked = max(read.windows, key=lambda one: (len(keys & one.keys), -len(one.tokens)), default=None)
        return Span(0, 0) if ranked is None else ranked.span

    def _read(self, row: int) -> Readable:
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        return readable(passage, head_of(self.corpus, row, passage))

    def _read_context(self, row: int) -> frozenset[str]:
        """Return the words of the passage, its headings, and the names of its document."""
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        number = int(self.corpus.document_numbers(np.array([row], np.int32))[0])
        document = self.documents[number]
        around = " . ".join((*passage.headings, document.title, *document.aliases))
        inside = (token.key for part in self._readable(row).parts for token in part)
        return frozenset((*inside, *(token.key for token in sequence(around, passage.language))))


def _has_number(passage: Passage, own: re.Match[str]) -> bool:
    """True if a passage has the number that a claim begins with (in its heading, not its text)."""
    below = "/".join(_BELOW.findall(own["below"]))
    return number_key(passage.number or "") == number_key(own["number"]) and below in ("", passage.paragraph)


def _without(claim: Claim) -> str:
    """Return the claim without its references if enough is left."""
    text = claim.text
    for citation in sorted(claim.citations, key=lambda one: -one.span.start):
        first, last = citation.span.start - claim.span.start, citation.span.end - claim.span.start
        text = text[:first] + " " + text[last:]
    text = " ".join(text.split())
    return text if len(text) >= SHORTEST_QUERY else claim.text


def document_numbers(sources: Sequence[Source], corpus: Corpus) -> list[int]:
    """Return the numbers of the sources' documents, best first, each once."""
    rows = np.array([source.row for source in sources], np.int32)
    return list(dict.fromkeys(corpus.document_numbers(rows).tolist()))
