"""Which passages are about a claim, and what their best sentence says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

import numpy as np

from engine.answers.audit.record import Claim, Source
from engine.answers.audit.windows import Held, Readable, best_held, copied, head_of, readable
from engine.answers.conflicts import Amended, amended
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.language.addresses import number_key
from engine.language.embedders import embedder
from engine.language.statements import Sort, Token, sequence
from engine.language.statements.lexicon import lexicon
from engine.model import Direction, Passage, QueryPlan, Relation, Span, View
from engine.retrieval.embedding import embed_views
from engine.retrieval.scan import scan
from engine.settings import InvestigationSettings

# A claim held against the words of a passage: the one comparison, whoever wrote the claim.
#
# What a person pastes, what a language model writes and what it proposes as a second reading all
# come here.

MOST_REFERENCES = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim as it is compared: its words, and its text with some of its references left out, each with the
    spans of those that it keeps."""

    tokens: tuple[Token, ...]
    language: str
    texts: tuple[tuple[str, tuple[Span, ...]], ...]


def asked_of(text: str, language: str, references: Sequence[Span]) -> Asked:
    """A claim with its references, ready to be held against passages."""
    tokens = sequence(text, language, references)
    return Asked(tokens, language, tuple(_texts(text, references, language)))


def hold(asked: Asked, read: Readable, context: Callable[[], frozenset[str]]) -> Held | None:
    """The words of a passage that a claim stands in: a copy before all that is only alike."""
    best: Held | None = None
    for text, own in asked.texts:
        held = copied(text, read, own)
        if held is not None and (best is None or held.alignment.complete):
            best = held
        if held is not None and held.alignment.complete:
            return held
    alike = best_held(asked.tokens, read, context)
    if best is not None and best.omits and (alike is None or not alike.alignment.contrary):
        return best
    return best if alike is None or (best is not None and not alike.alignment.complete) else alike


def sentences_around(span: Span, read: Readable) -> Span:
    """The whole sentences that a span touches."""
    touched = [one for one in read.spans if one.start < span.end and span.start < one.end]
    return Span(touched[0].start, touched[-1].end) if touched else span


def _texts(text: str, references: Sequence[Span], language: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """A claim as it stands, and without references in front or behind that its source need not have: not of
    one that is a list of references, which has too many ways to leave some out."""
    yield text, tuple(references)
    if len(references) > MOST_REFERENCES:
        return
    cues = lexicon(language).cues
    frame = rf"(?:\W*(?:{cues['citing'].pattern}|{cues['framing'].pattern}))"
    front = re.compile(rf"\A{frame}+\W*", re.IGNORECASE)
    back = re.compile(rf"{frame}+\W*\Z", re.IGNORECASE)
    nothing = re.compile(rf"{frame}*\W*", re.IGNORECASE)
    for kept in range(len(references) - 1, -1, -1):
        for ahead in range(len(references) - kept + 1):
            inner, behind = references[ahead : ahead + kept], references[ahead + kept :]
            start = references[ahead - 1].end if ahead else 0
            end = behind[0].start if behind else len(text)
            between = [*_between(text, 0, references[:ahead]), *_between(text, end, behind, len(text))]
            if not all(nothing.fullmatch(part) for part in between):
                continue
            cut = text[start:end]
            yield cut, tuple(inner)
            cut = front.sub("", cut) if ahead else cut
            yield (back.sub("", cut) if behind else cut), tuple(inner)


def _between(text: str, start: int, spans: Sequence[Span], end: int = -1) -> Iterator[str]:
    """What stands around spans, from a place to the last of them, or to another place."""
    for span in spans:
        yield text[start : span.start]
        start = span.end
    if end >= 0:
        yield text[start:end]


# Whether the sources of a sentence that the product itself puts together say it, by the check of
# claims.


def stands(text: str, passages: Sequence[Passage]) -> bool:
    """Whether the passages, read one behind the other, say a sentence of their words: nothing is left out of
    it that binds, as a condition that the other items of a list make, or a word that denies."""
    first = passages[0]
    joined = first if len(passages) == 1 else replace(first, text="\n".join(one.text for one in passages))
    held = copied(text, readable(joined), ())
    return held is not None and held.alignment.complete


# Which passages speak of a claim, and what their best sentence says of it.
#
# Candidates are what the broad scan finds for the claim without its citations, what the citations
# lead to, and what took the place of any of them. Of each the words that the claim stands in best
# are compared with it.

# "3.1 The Supplier ...", "3(2) The Board ...": a claim that begins with the number of its provision.
_OWN_NUMBER = re.compile(
    r"(?P<number>\d+[A-Z]?(?:(?:\.\d+[A-Z]?)+|(?=\()))(?P<below>(?:\(\w{1,4}\))*)[.:]?\s+(?=\S)"
)
_BELOW = re.compile(r"\w+")
# Passages of the scan that are compared, and passages that citations lead to, for one claim.
SCANNED, CITED = 24, 24
_OFF = (
    "passages that speak of a claim in other words may be missed, and it be told as not in the corpus; "
    "what is told as supported or contradicted does not rest on it"
)
# What the similarity of meaning counts against a share of words.
COSINE = 0.7
# A claim that has fewer letters left without its citations is searched with them.
SHORTEST_QUERY = 12
_SETTINGS = InvestigationSettings(query_strategy="precision")
DEPTH = 100


class Matching:
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
        self._amended = lru_cache(4096)(lambda row: amended(corpus, row, day))
        self._rarities: dict[tuple[str, str], float] = {}

    def sources(self, claim: Claim) -> list[Source]:
        """What speaks of a claim, best first."""
        rows, similar = self._candidates(claim)
        cited = {row for citation in claim.citations for row in citation.rows}
        asked = self._asked(claim)
        own = _OWN_NUMBER.match(claim.text)
        unnumbered = self._asked(claim, own.end()) if own else asked
        passages = self.corpus.passages(rows)
        found = [
            replace(
                self._source(row, passage, cosine, unnumbered if own and _bears(passage, own) else asked),
                cited=row in cited,
            )
            for row, passage, cosine in zip(rows.tolist(), passages, similar, strict=True)
        ]
        if not any(one.says for one in found):
            found = self._together(found, asked)
        return sorted(found, key=lambda one: (not one.says, not one.differs, -one.near, one.row))

    def _together(self, found: list[Source], asked: Asked) -> list[Source]:
        """The sources, and of those cited the first where they say a claim only read one behind the other: a
        head and the items of its list."""
        own = [one for one in sorted(found, key=lambda one: one.row) if one.cited][:CITED]
        own = [one for one in own if one.document.id == own[0].document.id]
        if len(own) < 2 or own[0].passage.language != asked.language:
            return found
        read = readable(replace(own[0].passage, text="\n".join(one.passage.text for one in own)))
        for text, kept in asked.texts:
            held = copied(text, read, kept)
            if held is not None and held.alignment.complete:
                said = replace(own[0], alignment=held.alignment)
                return [said if one is own[0] else one for one in found]
        return found

    def compared(self, source: Source, span: Span, claim: Claim) -> Source:
        """The sentences that words of a source stand in, compared with the claim: what a quote leaves out of
        its sentence binds it all the same."""
        span = sentences_around(span, self._readable(source.row))
        quoted = replace(source.passage, text=source.passage.text[span.start : span.end])
        row = source.row
        held = hold(self._asked(claim), readable(quoted), lambda: self._context(row))
        found = None if held is None else held.alignment
        # The printed words are compared: what amends them may make them say something else.
        doubtful = source.doubtful or source.amended is not None
        return replace(source, span=span, quote=quoted.text, alignment=found, doubtful=doubtful)

    def _asked(self, claim: Claim, begin: int = 0) -> Asked:
        first = claim.span.start
        spans = [Span(one.span.start - first, one.span.end - first) for one in claim.citations]
        text = " " * begin + claim.text[begin:]
        return asked_of(text, claim.language, [one for one in spans if one.start >= begin])

    def _candidates(self, claim: Claim) -> tuple[Rows, list[float | None]]:
        """Rows to be compared, and how similar each is to the claim by meaning, where vectors tell."""
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
        held = self.corpus.vectors(rows)
        similar = held @ vectors[0]
        known = np.any(held != 0, axis=1)
        return rows, [float(one) if has else None for one, has in zip(similar, known, strict=True)]

    def _rarity(self, tokens: Sequence[Token], language: str) -> dict[str, float]:
        """The best BM25 score that any passage has for each word: its inverse document frequency, all but."""
        words = {token.key: token.word for token in tokens if token.sort is Sort.CONTENT}
        unknown = [key for key in words if (language, key) not in self._rarities]
        hits = self.corpus.search_lexical([words[key] for key in unknown], language, 1)
        best = [float(hit.scores[0]) if len(hit.scores) else None for hit in hits]
        highest = float(np.log(len(self.corpus) + 1))
        for key, score in zip(unknown, best, strict=True):
            # What no passage has may be said in other words: it weighs as a middling word does.
            value = 0.5 if score is None else min(score / highest, 1.0)
            self._rarities[(language, key)] = value
        return {key: self._rarities[(language, key)] for key in words}

    def _source(self, row: int, passage: Passage, cosine: float | None, asked: Asked) -> Source:
        found = self._as_printed(row, passage, cosine, asked)
        amended = self._amended(row) if found.in_force else None
        if amended is None or found.alignment is None:
            return replace(found, amended=amended)
        return self._as_amended(found, amended, asked)

    def _as_amended(self, printed: Source, amended: Amended, asked: Asked) -> Source:
        """A source as its passage reads with what amends it. Where only the old words say the claim it is no
        longer in force; where amendments that are not certain may change what it says it is doubtful."""

        def held(text: str) -> Source:
            if text == printed.passage.text:
                return replace(printed, amended=amended)
            read = readable(replace(printed.passage, text=text))
            found = hold(asked, read, lambda: self._context(printed.row))
            return replace(printed, alignment=None if found is None else found.alignment, amended=amended)

        now = held(amended.text)
        if amended.doubts:
            then = None if amended.otherwise is None else held(amended.otherwise)
            same = then is not None and (then.says, then.differs) == (now.says, now.differs)
            if then is not None and not now.says and (then.says or then.differs):
                now = then
            return replace(now, doubtful=not same)
        if printed.says and not now.says:
            return replace(printed, amended=amended, in_force=False)
        return now

    def _as_printed(self, row: int, passage: Passage, cosine: float | None, asked: Asked) -> Source:
        read = self._readable(row) if passage.language == asked.language else None
        held = None if read is None else hold(asked, read, lambda: self._context(row))
        rarity = self._rarity(asked.tokens, asked.language)
        near = 0.0 if cosine is None else max(0.0, COSINE * cosine)
        if read is not None:
            known = self._context(row)
            whole = sum(rarity.values()) or 1.0
            near = max(near, sum(value for key, value in rarity.items() if key in known) / whole)
        span = Span(0, len(passage.text)) if read is None else self._quoted(read, held, asked)
        return Source(
            row,
            passage,
            self.documents[int(self.corpus.document_numbers(np.array([row], np.int32))[0])],
            span,
            passage.text[span.start : span.end],
            None if held is None else held.alignment,
            near,
            bool(self.in_force[row]),
        )

    def _quoted(self, read: Readable, held: Held | None, asked: Asked) -> Span:
        """The words that the claim stands in, else those that have the most of its words."""
        if held is not None:
            return held.span
        keys = {token.key for token in asked.tokens if token.sort is Sort.CONTENT}
        ranked = max(read.windows, key=lambda one: (len(keys & one.keys), -len(one.tokens)), default=None)
        return Span(0, 0) if ranked is None else ranked.span

    def _read(self, row: int) -> Readable:
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        return readable(passage, head_of(self.corpus, row, passage))

    def _read_context(self, row: int) -> frozenset[str]:
        """The words of what stands around: the passage, its headings, the title of its document."""
        (passage,) = self.corpus.passages(np.array([row], np.int32))
        number = int(self.corpus.document_numbers(np.array([row], np.int32))[0])
        document = self.documents[number]
        around = " . ".join((*passage.headings, document.title, *document.aliases))
        inside = (token.key for part in self._readable(row).parts for token in part)
        return frozenset((*inside, *(token.key for token in sequence(around, passage.language))))


def _bears(passage: Passage, own: re.Match[str]) -> bool:
    """Whether a passage has the number that a claim begins with; headings have it, not its text."""
    below = "/".join(_BELOW.findall(own["below"]))
    return number_key(passage.number or "") == number_key(own["number"]) and below in ("", passage.paragraph)


def _without(claim: Claim) -> str:
    """The claim without the references it makes, where enough is left."""
    text = claim.text
    for citation in sorted(claim.citations, key=lambda one: -one.span.start):
        first, last = citation.span.start - claim.span.start, citation.span.end - claim.span.start
        text = text[:first] + " " + text[last:]
    text = " ".join(text.split())
    return text if len(text) >= SHORTEST_QUERY else claim.text


def numbers_of(sources: Sequence[Source], corpus: Corpus) -> list[int]:
    """The documents that sources stand in, by number, the best first, each once."""
    rows = np.array([source.row for source in sources], np.int32)
    return list(dict.fromkeys(corpus.document_numbers(rows).tolist()))
