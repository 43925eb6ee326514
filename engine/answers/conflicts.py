"""Find sources of an answer that disagree: amendments, versions, exceptions, different quantities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise, product

import numpy as np

from engine.answers.record import Citation, Citations, Conflict, ConflictKind, Located
from engine.corpus.protocol import Corpus, Rows
from engine.ingestion.readers.fields import day_of
from engine.ingestion.structure.segmentation import sentence_starts
from engine.ingestion.versions.intervals import SURE
from engine.investigation.filters import first_passages
from engine.investigation.record import Investigation
from engine.language.amendments import Amendment, AmendmentKind, find_changes, is_insertion_point, names_part
from engine.language.dates import dates_in, takes_the_place
from engine.language.references import find_mentions
from engine.language.statements import Kind, Match, Statement, pair_quantities, quantities_in, read
from engine.model import FAMILY, Direction, Document, Passage, Reference, Relation, Span, TargetKind
from engine.records.phrases import short_citation

# An amendment is applied if it is certain: its day is known and has come, and its old words occur in the
# passage. Otherwise it is a doubt, and a reviewer has to read both texts.

CHANGING = (Relation.AMENDS, Relation.REPEALS, Relation.SUPERSEDES)
# References below this confidence may point to a provision that encloses the amended one.
_EXACT = 0.99


@dataclass(frozen=True, slots=True)
class Amending:
    """A text that amends or repeals a passage, with its changes of words.

    ``since`` is the day from which it applies, None if unknown. ``whole``: it names exactly the passage."""

    row: int
    passage: Passage
    document: Document
    reference: Reference
    changes: tuple[Amendment, ...]
    since: date | None
    whole: bool

    @property
    def words(self) -> str:
        """The citation of the amending text, with the day from which it applies."""
        since = f" (since {self.since.isoformat()})" if self.since else ""
        return f"{short_citation(self.passage, self.document)}{since}"

    def apply(self, text: str) -> str | None:
        """Return a text with the changes made; None if that is uncertain or the text is repealed."""
        changed: str | None = text if self.reference.relation is Relation.AMENDS else None
        for change in self.changes:
            if change.kind is AmendmentKind.REWRITTEN and not self.whole:
                return None
            changed = change.apply(changed) if changed is not None else None
        return changed if self.changes else None


@dataclass(frozen=True, slots=True)
class Amended:
    """A passage with its amendments. ``text`` has the certain ones applied (``by``); ``doubts`` are the
    uncertain ones, and ``otherwise`` is the text with these too, None if it cannot be known."""

    text: str
    by: tuple[Amending, ...] = ()
    doubts: tuple[Amending, ...] = ()
    otherwise: str | None = None


def apply_amendments(corpus: Corpus, row: int, day: date) -> Amended | None:
    """Return a passage's text on a day with its known amendments; None if it has none."""
    (passage,) = corpus.passages(np.array([row], np.int32))
    text = passage.text
    by: list[Amending] = []
    doubts: list[Amending] = []
    amendments = sorted(
        _amending(corpus, row, passage), key=lambda one: (one.since is None, one.since or day)
    )
    for one in amendments:
        if one.since is not None and one.since > day:
            continue
        new_text = one.apply(text)
        if new_text == text:
            continue
        if new_text is None or one.since is None or doubts:
            doubts.append(one)
        else:
            text = new_text
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
    rows = {row, int(first_passages(corpus, own)[0])}
    if section >= 0:
        (first, stop), start = _extent(corpus, section), int(corpus.by_document([document.id])[0][0])
        rows.add(start + first)
        members = stop - first
    targets = np.array(sorted(rows), np.int32)
    links = corpus.neighbours(targets, CHANGING, Direction.IN)
    seen: set[int] = set()
    for origin, source, evidence in zip(
        links.origins.tolist(), links.rows.tolist(), links.evidence.tolist(), strict=True
    ):
        (reference,) = corpus.references([evidence])
        if evidence in seen or not _covers(reference, passage, int(targets[origin]) == row):
            continue
        seen.add(evidence)
        (amending,) = corpus.passages(np.array([source], np.int32))
        maker = corpus.documents()[int(corpus.document_numbers(np.array([source], np.int32))[0])]
        if maker.id == document.id or is_one_text(maker, document) or reference.confidence < SURE:
            continue
        if reference.relation is not Relation.AMENDS and document.status is not None:
            # The source itself states the document's status.
            continue
        if only_inserts_next_to(reference, amending):
            continue
        replaces = takes_the_place(amending.text, reference.span, amending.language)
        if reference.relation is Relation.SUPERSEDES and not replaces:
            continue
        alone = reference.target_kind is TargetKind.PASSAGE or members == 1
        amending_text = _read(corpus, source, amending, maker, reference, alone)
        if amending_text.since is None or not _is_incorporated(passage, document, amending_text.since):
            yield amending_text


def only_inserts_next_to(reference: Reference, amending: Passage) -> bool:
    """True if a provision is only inserted next to the one that a reference cites as a whole."""
    (mention, *_) = find_mentions(reference.text, amending.language) or (None,)
    in_part = mention is not None and any(one.address.paragraph for one in mention.targets)
    return not in_part and is_insertion_point(amending.text, reference.span, amending.language)


def _extent(corpus: Corpus, section: int) -> tuple[int, int]:
    (found,) = corpus.sections([section])
    return found.first, found.stop


def _covers(reference: Reference, passage: Passage, direct: bool) -> bool:
    """True if a reference's target includes the passage. Repealing a document repeals all its provisions;
    amending it proves nothing about any one of them."""
    if reference.target_kind is TargetKind.DOCUMENT:
        return reference.relation is not Relation.AMENDS
    return direct or (
        reference.target_kind is TargetKind.SECTION and reference.target_id == passage.section_id
    )


def is_one_text(one: Document, other: Document) -> bool:
    """True if two documents are versions of one text."""
    family = one.metadata.get(FAMILY)
    return family is not None and family == other.metadata.get(FAMILY)


def _is_incorporated(passage: Passage, document: Document, since: date) -> bool:
    """True if a text is no older than its amendment: then it is the amended text."""
    stated = (document.version, document.metadata.get("last_updated"))
    days = [passage.valid_from, document.valid_from, *map(day_of, stated)]
    return any(day is not None and day >= since for day in days)


def _read(
    corpus: Corpus, row: int, passage: Passage, document: Document, reference: Reference, alone: bool
) -> Amending:
    """Read an amending text and its changes to the target of one of its references."""
    text, language = passage.text, passage.language
    every = corpus.references(corpus.references_from(np.array([row], np.int32)).numbers.tolist())
    spans = sorted({one.span for one in every if one.relation in CHANGING}, key=lambda span: span.start)
    changes, named = find_changes(text, reference.span, spans, language), reference.text
    whole = alone and reference.confidence >= _EXACT and not names_part(named, 0, len(named), language)
    since = passage.valid_from or document.valid_from
    starts = [*sentence_starts(text, language), len(text)]
    for one in changes:
        first = max(start for start in starts if start <= min(reference.span.start, one.span.start))
        last = min((start for start in starts if start >= one.span.end), default=len(text))
        # "The second sentence of section 5 is replaced": not the whole section.
        if one.kind is AmendmentKind.REWRITTEN and names_part(text, first, one.span.start, language):
            whole = False
        # "With effect from 1 January 2030, in rule 4 ...": later than the text itself.
        around = f"{text[first : one.span.start]} {text[one.span.end : last]}"
        since = since and max([since, *(found.day for found in dates_in(around, language))])
    return Amending(row, passage, document, reference, tuple(changes), since, whole)


# Versions and exceptions come from the corpus's links, so they are as exact as its references; different
# quantities from statements about the same subject.

# Maximum conflicts of a kind.
MOST = 3
# Passages of the ranking that are examined in addition to the cited ones.
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
# Two sentences have the same subject if each shares this part of the other's content.
ALIKE = 0.5
# Maximum characters of a sentence; longer ones are lists with many quantities.
LONGEST_MEASURED = 600
# Maximum letters of new words that a conflict repeats.
LONGEST_QUOTED = 80
_MEASURES = (Kind.DURATION, Kind.AMOUNT, Kind.SHARE)


def find_conflicts(
    investigation: Investigation, corpus: Corpus, citations: Citations
) -> tuple[Conflict, ...]:
    """Return the conflicts among the cited and best passages, and with provisions that limit them."""
    if not citations.made:
        return ()
    top = corpus.rows([found.passage.id for found in investigation.passages[:TOP]])
    cited = np.array(sorted(citations.rows()), np.int32)
    day = investigation.day or date.today()
    linked = tuple(_linked(cited, top, corpus, citations, day))
    return (*linked, *_differences(top, citations))


def _amended_words(corpus: Corpus, source: int, target: int, day: date) -> str:
    """Return the words that an amending text replaces on a day; empty if uncertain."""
    found = apply_amendments(corpus, target, day)
    changes = [one for by in (found.by if found else ()) if by.row == source for one in by.changes]
    replaced = [
        f"“{one.new}” for “{one.old}”" for one in changes if one.old and len(one.new) <= LONGEST_QUOTED
    ]
    return f": {', '.join(replaced)}" if replaced else ""


def _linked(cited: Rows, top: Rows, corpus: Corpus, citations: Citations, day: date) -> Iterator[Conflict]:
    """Yield versions, exceptions and prevailing provisions of the cited passages; of the latter two only
    those that rank high or are cited."""
    known = {*cited.tolist(), *top.tolist()}
    counts: Counter[ConflictKind] = Counter()
    reported: set[frozenset[int]] = set()
    for source, target, relation, evidence in (
        *_links(corpus, cited, (*_REPLACING, *_LIMITING), Direction.IN),
        *_links(corpus, cited, (*_LIMITING,), Direction.OUT),
    ):
        pair, limits = frozenset((source, target)), relation in _LIMITING
        if len(pair) < 2 or pair in reported or (limits and not pair <= known):
            continue
        reported.add(pair)
        kind = ConflictKind.EXCEPTION if limits else ConflictKind.REPLACED
        if counts[kind] >= MOST or (not limits and _has_change(source, target, citations)):
            continue
        counts[kind] += 1
        [reference] = corpus.references([evidence])
        one = quote_sentence(source, reference.span, corpus, citations)
        # An uncited target is quoted from its beginning.
        other = citations.rows().get(target) or quote_sentence(target, Span(0, 0), corpus, citations)
        words = _WORDS[relation].format(source=_named(one), target=_named(other))
        [source_passage, target_passage] = citations.reading.passages(np.array([source, target], np.int32))
        if relation is Relation.AMENDS:
            (reference,) = corpus.references([evidence])
            if only_inserts_next_to(reference, source_passage):
                words = f"{_named(one)} inserts text next to {_named(other)}"
            words += _amended_words(corpus, source, target, day)
        yield Conflict(
            kind,
            f"{words}.",
            (one.number, other.number),
            (source_passage.id, target_passage.id, relation.value),
        )


def _links(
    corpus: Corpus, cited: Rows, relations: Sequence[Relation], direction: Direction
) -> Iterator[tuple[int, int, Relation, int]]:
    """Yield source, target, relation and evidence of each link of the cited passages."""
    links = corpus.neighbours(cited, relations, direction)
    for origin, row, relation, evidence in zip(
        links.origins.tolist(), links.rows.tolist(), links.relations.tolist(), links.evidence.tolist(),
        strict=True,
    ):  # fmt: skip
        ends = (int(cited[origin]), row)
        source, target = ends if direction is Direction.OUT else ends[::-1]
        yield source, target, tuple(Relation)[relation], evidence


def _has_change(row: int, target: int, citations: Citations) -> bool:
    """True if a text is no older than the text that changes it."""
    later, earlier = citations.reading.passages(np.array([row, target], np.int32))
    since = later.valid_from or citations.document(later).valid_from
    return earlier.valid_from is not None and since is not None and earlier.valid_from >= since


def quote_sentence(row: int, span: Span, corpus: Corpus, citations: Citations) -> Citation:
    """Cite the sentence of a passage that contains a span."""
    [passage] = citations.reading.passages(np.array([row], np.int32))
    starts = sentence_starts(passage.text, passage.language)
    first = max(start for start in starts if start <= max(span.start, 0))
    last = next((start for start in starts if start >= max(span.end, first + 1)), len(passage.text))
    sentence = passage.text[first:last]
    begin = first + len(sentence) - len(sentence.lstrip())
    whole = Span(begin, max(begin, first + len(sentence.rstrip())))
    return citations.of(Located(passage.text[whole.start : whole.end], ((passage.id, whole),)))


def _named(citation: Citation) -> str:
    """Return a source's short name with its validity: versions share a name."""
    return f"{citation.short} ({citation.validity})" if citation.validity else citation.short


@dataclass(frozen=True, slots=True)
class _Measured:
    """A sentence with a quantity, and its passage."""

    statement: Statement
    passage: Passage
    span: Span


def _differences(top: Rows, citations: Citations) -> Iterator[Conflict]:
    """Yield differing durations, amounts or shares that two documents give for the same subject."""
    cited_rows = np.array(sorted(citations.rows()), np.int32)
    cited = list(_measuring(citations.reading.passages(cited_rows)))
    own = {measured.passage.id for measured in cited}
    others = [
        measured for measured in _measuring(citations.reading.passages(top)) if measured.passage.id not in own
    ]
    count = 0
    for one, other in (*combinations(cited, 2), *product(cited, others)):
        if count >= MOST:
            return
        words = _difference(one, other)
        if words is None:
            continue
        count += 1
        first, second = (citations.of(_located(measured)) for measured in (one, other))
        words_of_both = f"{_named(first)} gives {words[0]}, {_named(second)} gives {words[1]}"
        yield Conflict(ConflictKind.DIFFERENCE, f"{words_of_both}.", (first.number, second.number))


def _measuring(passages: Sequence[Passage]) -> Iterator[_Measured]:
    """Yield the sentences of passages that contain a quantity."""
    for passage in passages:
        starts = [*sentence_starts(passage.text, passage.language), len(passage.text)]
        for start, end in pairwise(starts):
            part = passage.text[start:end]
            begin = start + len(part) - len(part.lstrip())
            span = Span(begin, max(begin, start + len(part.rstrip())))
            words = passage.text[span.start : span.end]
            if len(words) > LONGEST_MEASURED:
                continue
            measures = [one for one in quantities_in(words, passage.language) if one.kind in _MEASURES]
            if measures:
                yield _Measured(read(words, passage.language), passage, span)


def _difference(one: _Measured, other: _Measured) -> tuple[str, str] | None:
    """Return the two different quantities if both sentences have the same subject."""
    if one.passage.document_id == other.passage.document_id:
        return None
    if one.statement.language != other.statement.language:
        return None
    stems, theirs = one.statement.stems, other.statement.stems
    if len(stems & theirs) < ALIKE * max(len(stems), len(theirs), 1):
        return None
    pairings = pair_quantities(one.statement, other.statement)
    if any(pairing.match is Match.EQUAL for pairing in pairings):
        return None
    for pairing in pairings:
        if pairing.match is Match.DIFFERENT and pairing.source and pairing.claim.kind in _MEASURES:
            return f"“{pairing.claim.text}”", f"“{pairing.source.text}”"
    return None


def _located(measured: _Measured) -> Located:
    words = measured.passage.text[measured.span.start : measured.span.end]
    return Located(words, ((measured.passage.id, measured.span),))
