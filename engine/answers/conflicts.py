"""Sources of an answer that do not agree: amendments, versions, exceptions, different numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise, product

import numpy as np

from engine.answers.record import Citation, Citations, Conflict, ConflictKind, Located
from engine.corpus.protocol import Corpus, Rows
from engine.ingestion.intervals import SURE
from engine.ingestion.readers.fields import day_of
from engine.ingestion.segmentation import sentence_starts
from engine.investigation.filters import doors
from engine.investigation.record import Investigation
from engine.language.amendments import Amendment, AmendmentKind, changes_of, names_part
from engine.language.dates import dates_in, takes_the_place
from engine.language.statements import Kind, Match, Statement, compare, quantities_in, read
from engine.model import FAMILY, Direction, Document, Passage, Reference, Relation, Span, TargetKind
from engine.records.phrases import short_citation

# What later texts make of the words of a passage: amendments that the links of a corpus know, put
# into it.
#
# An amendment is applied where it is certain: the day from which it holds is known and has come,
# and its old words occur in the passage. What is not certain is a doubt, and a person has to read
# both texts.

CHANGING = (Relation.AMENDS, Relation.REPEALS, Relation.SUPERSEDES)
# A reference that is less sure than this leads to what encloses the provision that is amended.
_EXACT = 0.99


@dataclass(frozen=True, slots=True)
class Amending:
    """A text that amends or repeals a passage, with the changes of words that it states.

    ``since`` is the day from which it holds, None if that is not known. ``whole``: it names exactly the
    passage."""

    row: int
    passage: Passage
    document: Document
    reference: Reference
    changes: tuple[Amendment, ...]
    since: date | None
    whole: bool

    @property
    def words(self) -> str:
        """The amending text, cited, with the day from which it holds."""
        since = f" (since {self.since.isoformat()})" if self.since else ""
        return f"{short_citation(self.passage, self.document)}{since}"

    def apply(self, text: str) -> str | None:
        """A text with the changes made; None where that is not certain, or the text is repealed."""
        made: str | None = text if self.reference.relation is Relation.AMENDS else None
        for change in self.changes:
            if change.kind is AmendmentKind.REWRITTEN and not self.whole:
                return None
            made = change.apply(made) if made is not None else None
        return made if self.changes else None


@dataclass(frozen=True, slots=True)
class Amended:
    """A passage with what amends it. ``text`` is how it reads with the amendments ``by`` others that are
    certain; ``doubts`` are those that are not, and ``otherwise`` is how it reads with them, None if that
    cannot be known."""

    text: str
    by: tuple[Amending, ...] = ()
    doubts: tuple[Amending, ...] = ()
    otherwise: str | None = None


def amended(corpus: Corpus, row: int, day: date) -> Amended | None:
    """How a passage reads on a day by the amendments that its corpus knows; None where none concerns it."""
    (passage,) = corpus.passages(np.array([row], np.int32))
    text = passage.text
    by: list[Amending] = []
    doubts: list[Amending] = []
    known = sorted(_amending(corpus, row, passage), key=lambda one: (one.since is None, one.since or day))
    for one in known:
        if one.since is not None and one.since > day:
            continue
        made = one.apply(text)
        if made == text:
            continue
        if made is None or one.since is None or doubts:
            doubts.append(one)
        else:
            text = made
            by.append(one)
    if not by and not doubts:
        return None
    changed: str | None = text
    for one in doubts:
        changed = one.apply(changed) if changed is not None else None
    return Amended(text, tuple(by), tuple(doubts), changed if doubts else None)


def _amending(corpus: Corpus, row: int, passage: Passage) -> Iterator[Amending]:
    own = np.array([row], np.int32)
    number = int(corpus.document_numbers(own)[0])
    document = corpus.documents()[number]
    section = int(corpus.section_numbers(own)[0])
    members = 1
    rows = {row, int(doors(corpus, own)[0])}
    if section >= 0:
        (first, stop), start = _extent(corpus, section), int(corpus.by_document([document.id])[0][0])
        rows.add(start + first)
        members = stop - first
    asked = np.array(sorted(rows), np.int32)
    links = corpus.neighbours(asked, CHANGING, Direction.IN)
    seen: set[int] = set()
    for origin, source, evidence in zip(
        links.origins.tolist(), links.rows.tolist(), links.evidence.tolist(), strict=True
    ):
        (reference,) = corpus.references([evidence])
        if evidence in seen or not _covers(reference, passage, int(asked[origin]) == row):
            continue
        seen.add(evidence)
        (amending,) = corpus.passages(np.array([source], np.int32))
        maker = corpus.documents()[int(corpus.document_numbers(np.array([source], np.int32))[0])]
        if maker.id == document.id or _is_one_text(maker, document) or reference.confidence < SURE:
            continue
        if reference.relation is not Relation.AMENDS and document.status is not None:
            # The source states the status of the document itself.
            continue
        replaces = takes_the_place(amending.text, reference.span, amending.language)
        if reference.relation is Relation.SUPERSEDES and not replaces:
            continue
        alone = reference.target_kind is TargetKind.PASSAGE or members == 1
        found = _read(corpus, source, amending, maker, reference, alone)
        if found.since is None or not _is_incorporated(passage, document, found.since):
            yield found


def _extent(corpus: Corpus, section: int) -> tuple[int, int]:
    (found,) = corpus.sections([section])
    return found.first, found.stop


def _covers(reference: Reference, passage: Passage, direct: bool) -> bool:
    """Whether what a reference names has the passage in it. A whole document is repealed with all of its
    provisions; that it is amended tells nothing of one."""
    if reference.target_kind is TargetKind.DOCUMENT:
        return reference.relation is not Relation.AMENDS
    return direct or (
        reference.target_kind is TargetKind.SECTION and reference.target_id == passage.section_id
    )


def _is_one_text(one: Document, other: Document) -> bool:
    family = one.metadata.get(FAMILY)
    return family is not None and family == other.metadata.get(FAMILY)


def _is_incorporated(passage: Passage, document: Document, since: date) -> bool:
    """Whether a text is of a later day than what amends it: then it is the amended text."""
    stated = (document.version, document.metadata.get("last_updated"))
    days = [passage.valid_from, document.valid_from, *map(day_of, stated)]
    return any(day is not None and day >= since for day in days)


def _read(
    corpus: Corpus, row: int, passage: Passage, document: Document, reference: Reference, alone: bool
) -> Amending:
    """An amending text with the words that it changes of what one of its references names."""
    text, language = passage.text, passage.language
    every = corpus.references(corpus.references_from(np.array([row], np.int32)).numbers.tolist())
    spans = sorted({one.span for one in every if one.relation in CHANGING}, key=lambda span: span.start)
    changes, named = changes_of(text, reference.span, spans, language), reference.text
    whole = alone and reference.confidence >= _EXACT and not names_part(named, 0, len(named), language)
    since = passage.valid_from or document.valid_from
    starts = [*sentence_starts(text, language), len(text)]
    for one in changes:
        first = max(start for start in starts if start <= min(reference.span.start, one.span.start))
        last = min((start for start in starts if start >= one.span.end), default=len(text))
        # "The second sentence of section 5 is replaced": not the whole of it.
        if one.kind is AmendmentKind.REWRITTEN and names_part(text, first, one.span.start, language):
            whole = False
        # "With effect from 1 January 2030, in rule 4 ...": later than the text itself.
        said = f"{text[first : one.span.start]} {text[one.span.end : last]}"
        since = since and max([since, *(found.day for found in dates_in(said, language))])
    return Amending(row, passage, document, reference, tuple(changes), since, whole)


# Where the sources of an answer do not say the same: versions, exceptions, different numbers.
#
# Each conflict is told in words and cites both sides. Versions and exceptions come from the links
# of the corpus, so they are as exact as its references; numbers from statements about the same
# thing.

# Conflicts of a kind that are told at most.
MOST = 3
# Passages of the ranking that are looked at besides those cited.
TOP = 6
_REPLACING = {
    Relation.SUPERSEDES: "{source} takes the place of {target}",
    Relation.AMENDS: "{source} amends {target}",
    Relation.REPEALS: "{source} repeals {target}",
}
_LIMITING = {
    Relation.EXCEPTION_TO: "{source} makes an exception to {target}",
    Relation.SUBJECT_TO: "{source} is subject to {target}",
}
_WORDS = {**_REPLACING, **_LIMITING}
# Two sentences are about the same where each holds so much of the other's content.
ALIKE = 0.5
# Characters; a longer sentence is a list, and measures many things.
LONGEST_MEASURED = 600
# Letters of new words that are told; longer ones are quoted alone.
LONGEST_TOLD = 80
_MEASURES = (Kind.DURATION, Kind.AMOUNT, Kind.SHARE)


def conflicts_of(investigation: Investigation, corpus: Corpus, citations: Citations) -> tuple[Conflict, ...]:
    """The conflicts among what is cited and the best passages, and between them and what limits them."""
    if not citations.made:
        return ()
    top = corpus.rows([found.passage.id for found in investigation.passages[:TOP]])
    cited = np.array(sorted(citations.rows()), np.int32)
    day = investigation.day or date.today()
    linked = tuple(_linked(cited, top, corpus, citations, day))
    return (*linked, *_differences(top, citations))


def _amended_words(corpus: Corpus, source: int, target: int, day: date) -> str:
    """What a text puts into another one on a day, in words; empty where that is not certain."""
    found = amended(corpus, target, day)
    made = [one for by in (found.by if found else ()) if by.row == source for one in by.changes]
    told = [f"“{one.new}” for “{one.old}”" for one in made if one.old and len(one.new) <= LONGEST_TOLD]
    return f": {', '.join(told)}" if told else ""


def _linked(cited: Rows, top: Rows, corpus: Corpus, citations: Citations, day: date) -> Iterator[Conflict]:
    """Versions and exceptions of what is cited, and what it is an exception or subject to; of these only what
    ranks high or is cited itself."""
    known = {*cited.tolist(), *top.tolist()}
    counts: Counter[ConflictKind] = Counter()
    told: set[frozenset[int]] = set()
    for source, target, said, evidence in (
        *_links(corpus, cited, (*_REPLACING, *_LIMITING), Direction.IN),
        *_links(corpus, cited, (*_LIMITING,), Direction.OUT),
    ):
        pair, limits = frozenset((source, target)), said in _LIMITING
        if len(pair) < 2 or pair in told or (limits and not pair <= known):
            continue
        told.add(pair)
        kind = ConflictKind.EXCEPTION if limits else ConflictKind.REPLACED
        if counts[kind] >= MOST or (not limits and _is_incorporated_conflicts(source, target, citations)):
            continue
        counts[kind] += 1
        [reference] = corpus.references([evidence])
        one = _quoted(source, reference.span, corpus, citations)
        # What is named and not cited yet is quoted from its beginning.
        other = citations.rows().get(target) or _quoted(target, Span(0, 0), corpus, citations)
        words = _WORDS[said].format(source=_named(one), target=_named(other))
        [at, to] = citations.reading.passages(np.array([source, target], np.int32))
        if said is Relation.AMENDS:
            words += _amended_words(corpus, source, target, day)
        yield Conflict(kind, f"{words}.", (one.number, other.number), (at.id, to.id, said.value))


def _links(
    corpus: Corpus, cited: Rows, relations: Sequence[Relation], direction: Direction
) -> Iterator[tuple[int, int, Relation, int]]:
    """Source, target, relation and evidence of each link of what is cited."""
    links = corpus.neighbours(cited, relations, direction)
    for origin, row, relation, evidence in zip(
        links.origins.tolist(), links.rows.tolist(), links.relations.tolist(), links.evidence.tolist(),
        strict=True,
    ):  # fmt: skip
        ends = (int(cited[origin]), row)
        source, target = ends if direction is Direction.OUT else ends[::-1]
        yield source, target, tuple(Relation)[relation], evidence


def _is_incorporated_conflicts(row: int, target: int, citations: Citations) -> bool:
    """Whether a text is younger than what changes it: it is the changed text."""
    later, earlier = citations.reading.passages(np.array([row, target], np.int32))
    since = later.valid_from or citations.document(later).valid_from
    return earlier.valid_from is not None and since is not None and earlier.valid_from >= since


def _quoted(row: int, span: Span, corpus: Corpus, citations: Citations) -> Citation:
    """The sentence of a passage that makes a reference."""
    [passage] = citations.reading.passages(np.array([row], np.int32))
    starts = sentence_starts(passage.text, passage.language)
    first = max(start for start in starts if start <= max(span.start, 0))
    last = next((start for start in starts if start >= max(span.end, first + 1)), len(passage.text))
    said = passage.text[first:last]
    begin = first + len(said) - len(said.lstrip())
    whole = Span(begin, max(begin, first + len(said.rstrip())))
    return citations.of(Located(passage.text[whole.start : whole.end], ((passage.id, whole),)))


def _named(citation: Citation) -> str:
    """What a source is called, with what is known of its force: versions have the same name."""
    return f"{citation.short} ({citation.validity})" if citation.validity else citation.short


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence that measures something, with its passage."""

    statement: Statement
    passage: Passage
    span: Span


def _differences(top: Rows, citations: Citations) -> Iterator[Conflict]:
    """Where two documents give different durations, amounts or shares for the same thing."""
    cited_rows = np.array(sorted(citations.rows()), np.int32)
    cited = list(_measuring(citations.reading.passages(cited_rows)))
    own = {said.passage.id for said in cited}
    others = [said for said in _measuring(citations.reading.passages(top)) if said.passage.id not in own]
    told = 0
    for one, other in (*combinations(cited, 2), *product(cited, others)):
        if told >= MOST:
            return
        words = _difference(one, other)
        if words is None:
            continue
        told += 1
        first, second = (citations.of(_located(said)) for said in (one, other))
        named = f"{_named(first)} says {words[0]}, {_named(second)} says {words[1]}"
        yield Conflict(ConflictKind.DIFFERENCE, f"{named}.", (first.number, second.number))


def _measuring(passages: Sequence[Passage]) -> Iterator[_Said]:
    """The sentences of passages that measure something."""
    for passage in passages:
        starts = [*sentence_starts(passage.text, passage.language), len(passage.text)]
        for start, end in pairwise(starts):
            said = passage.text[start:end]
            begin = start + len(said) - len(said.lstrip())
            span = Span(begin, max(begin, start + len(said.rstrip())))
            words = passage.text[span.start : span.end]
            if len(words) > LONGEST_MEASURED:
                continue
            measures = [one for one in quantities_in(words, passage.language) if one.kind in _MEASURES]
            if measures:
                yield _Said(read(words, passage.language), passage, span)


def _difference(one: _Said, other: _Said) -> tuple[str, str] | None:
    """The two quantities that differ, where both sentences are about the same thing."""
    if one.passage.document_id == other.passage.document_id:
        return None
    if one.statement.language != other.statement.language:
        return None
    compared = compare(one.statement, other.statement)
    if min(compared.agreement, compared.coverage) < ALIKE or compared.equal:
        return None
    for pairing in compared.quantities:
        if pairing.match is Match.DIFFERENT and pairing.source and pairing.claim.kind in _MEASURES:
            return f"“{pairing.claim.text}”", f"“{pairing.source.text}”"
    return None


def _located(said: _Said) -> Located:
    words = said.passage.text[said.span.start : said.span.end]
    return Located(words, ((said.passage.id, said.span),))
