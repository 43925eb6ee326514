"""Verdicts on claims from the compared sources, by rules that a reviewer can follow.

A source supports a claim if it states all of it, in the same parts and under the same conditions. It
contradicts a claim if it states otherwise on the same subject and act. Everything else is only related, to be
read by a reviewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from engine.answers.audit.citation_forms import is_in_paragraph
from engine.answers.audit.record import (
    GROUNDED,
    Checked,
    Citation,
    Claim,
    Finding,
    Source,
    as_amended,
    difference,
    doubt_words,
    why_unsupported,
)
from engine.corpus.grades import Grades
from engine.corpus.protocol import Corpus, Mask
from engine.investigation.filters import newest
from engine.language.aliases import name_key
from engine.language.statements import quantities_in
from engine.model import Grade, Relation, SectionKind, TargetKind
from engine.records.phrases import short_citation

# Translations and versions of each other are one text. A document and what amends, repeals or supersedes it
# are one source, because neither confirms the other, but two texts: their provisions of one number differ.
_TIES = (Relation.AMENDS, Relation.SUPERSEDES, Relation.REPEALS)
_SAME_TEXT = ("translation_of", "version_of")
_STATED = (*_SAME_TEXT, "amends", "supersedes", "repeals")
_MADE: WeakKeyDictionary[Corpus, Families] = WeakKeyDictionary()


class Families(NamedTuple):
    """For each document, by number, the first document of the same ``text``, and of the same ``source``."""

    text: tuple[int, ...]
    source: tuple[int, ...]


def families(corpus: Corpus) -> Families:
    """Return the families of a corpus's documents."""
    known = _MADE.get(corpus)
    if known is None:
        known = _MADE[corpus] = Families(_tied(corpus, _SAME_TEXT, ()), _tied(corpus, _STATED, _TIES))
    return known


def _tied(corpus: Corpus, fields: Sequence[str], relations: Sequence[Relation]) -> tuple[int, ...]:
    documents = corpus.documents()
    parent = list(range(len(documents)))
    numbers = {document.id: number for number, document in enumerate(documents)}

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def tie(one: int, other: int) -> None:
        first, second = sorted((root(one), root(other)))
        parent[second] = first

    titles: dict[object, int] = {}
    for number, document in enumerate(documents):
        tie(titles.setdefault((name_key(document.title), document.language), number), number)
        for key in fields:
            stated = document.metadata.get(key) or ()
            for name in (stated,) if isinstance(stated, str) else stated:
                if str(name) in numbers:
                    tie(number, numbers[str(name)])
    for number, other in _by_reference(corpus, numbers, relations) if relations else ():
        tie(number, other)
    return tuple(root(number) for number in range(len(documents)))


def _by_reference(
    corpus: Corpus, numbers: dict[str, int], relations: Sequence[Relation]
) -> list[tuple[int, int]]:
    found = []
    for reference in corpus.references(corpus.reference_numbers(relations=relations).tolist()):
        if reference.target_id is None or reference.target_kind is None:
            continue
        whole = reference.target_kind is TargetKind.DOCUMENT
        target = numbers.get(reference.target_id) if whole else _document_of(corpus, reference.target_id)
        source = _document_of(corpus, reference.source_id)
        if source is not None and target is not None:
            found.append((source, target))
    return found


def _document_of(corpus: Corpus, passage_id: str) -> int | None:
    rows = corpus.rows([passage_id])
    if rows[0] < 0:
        return None
    return int(corpus.document_numbers(np.asarray(rows, np.int32))[0])


# A passage is related if it has this share of a claim's words, weighted by their rarity (0..1).
RELATED = 0.5
MOST_SOURCES = 5
_NO_PROVISION = (SectionKind.RECITAL, SectionKind.PREAMBLE)


class Judge:
    """Gives findings over one corpus on one day; ``minimum`` is the lowest grade that sources may have, from
    ``grades``."""

    def __init__(
        self, corpus: Corpus, in_force: Mask, minimum: Grade | None = None, grades: Grades | None = None
    ) -> None:
        self._corpus, self._in_force, self._minimum = corpus, in_force, minimum
        self._grades = grades or Grades()
        self._families = families(corpus)
        self._documents = corpus.documents()

    def finding(self, claim: Claim, sources: Sequence[Source]) -> Checked:
        """Return the finding of a claim from its sources."""
        supporting = [one for one in sources if one.supports]
        present, doubtful = _certain(sources)
        past = [one for one in supporting if not one.in_force]
        near = [one for one in sources if one.supports or one.differs or one.near >= RELATED]
        if doubtful and (not present or any(one.cited for one in doubtful)):
            best = max(doubtful, key=lambda one: (one.cited, one.supports, one.near))
            return self._read_both(claim, best, near)
        if past and not any(one.passage.kind not in _NO_PROVISION for one in present):
            return self._outdated(claim, past[0], near)
        if present:
            return self._supported(claim, present)
        against = [one for one in near if one.differs and one.in_force] or _other_numbers(near)
        wrong = _wrong(claim.citations)
        if against and not wrong:
            decisive = max(against, key=lambda one: (one.cited, one.near))
            reason = "; ".join(difference(decisive)) + as_amended(decisive)
            return self._made(claim, Finding.CONTRADICTED, reason, decisive, near)
        if wrong:
            finding, reason = wrong
            return self._made(claim, finding, reason, near[0] if near else None, near)
        if not near:
            reason = "no passage of the corpus is about this"
            return Checked(
                claim, Finding.NOT_IN_CORPUS, reason, tuple(sources[:MOST_SOURCES]), citations=claim.citations
            )
        decisive = max(near, key=lambda one: (one.cited, one.in_force, *_found(one), one.near))
        return self._made(claim, Finding.RELATED, why_unsupported(decisive.alignment), decisive, near)

    def supported(self, claim: Claim, quoted: Source, others: Sequence[Source]) -> Checked:
        """Return the finding for a claim that a source states, whatever the finding was before."""
        if quoted.doubtful:
            return self._read_both(claim, quoted, [quoted, *others])
        if not quoted.in_force:
            return self._outdated(claim, quoted, [quoted, *others])
        return self._supported(claim, [quoted, *(one for one in others if one.in_force)])

    def contradicted(self, claim: Claim, quoted: Source, others: Sequence[Source]) -> Checked:
        """Return the finding for a claim that a source contradicts."""
        if quoted.doubtful:
            return self._read_both(claim, quoted, others)
        return self._made(claim, Finding.CONTRADICTED, "; ".join(difference(quoted)), quoted, others)

    def _supported(self, claim: Claim, present: list[Source]) -> Checked:
        """Return the finding for a supported claim: also whether the cited provision states it."""
        cited = {row for citation in claim.citations for row in citation.rows}
        # A source explains references that are among its own words.
        present = sorted(present, key=lambda one: len(_own(claim, one)))
        carried = [
            one
            for one in present
            if (one.row in cited or self._same_provision(one, cited))
            and is_in_paragraph(one, _own(claim, one))
        ]
        best = carried[0] if carried else present[0]
        own = _own(claim, best)
        right = short_citation(best.passage, best.document)
        wrong = _wrong(own)
        if wrong:
            finding, reason = wrong
            return self._made(
                claim, finding, f"{reason}; {right} states it", best, present, right=best, own=own
            )
        if not own or carried:
            reason = f"the source states it{as_amended(best)}"
            return self._made(claim, Finding.SUPPORTED, reason, best, present, own=own)
        named = own[0].text.strip(" ()")
        reason = f"{right} states it, not {named}"
        return self._made(claim, Finding.WRONG_PINPOINT, reason, best, present, right=best, own=own)

    def _same_provision(self, source: Source, cited: set[int]) -> bool:
        """True if a source is part of a cited provision, or the same in another language, or repeats it."""
        others = self._corpus.passages(np.array(sorted(cited), np.int32)) if cited else []
        numbers = self._corpus.document_numbers(np.array([source.row, *sorted(cited)], np.int32)).tolist()
        same = self._families.text
        passage = source.passage
        return any(
            same[number] == same[numbers[0]]
            and other.number == passage.number
            and (other.paragraph == passage.paragraph or other.label == passage.label)
            and (number != numbers[0] or (passage.number is not None and other.headings == passage.headings))
            for other, number in zip(others, numbers[1:], strict=True)
        )

    def _read_both(self, claim: Claim, source: Source, near: Sequence[Source]) -> Checked:
        """Return the finding for a claim whose source has uncertain amendments."""
        by = () if source.amended is None else source.amended.doubts or source.amended.by
        reason = "; ".join(dict.fromkeys(doubt_words(one) for one in by))
        return self._made(claim, Finding.AMENDED, reason, source, near)

    def _outdated(self, claim: Claim, past: Source, near: Sequence[Source]) -> Checked:
        if past.amended is not None and past.amended.by:
            last = past.amended.by[-1]
            name = short_citation(past.passage, past.document)
            reason = f"{name} stated it until it was amended; now it states otherwise{as_amended(past)}"
            by = past.moved(last.row, last.passage, last.document)
            return self._made(claim, Finding.OUTDATED, reason, past, near, successor=by)
        row = int(newest(self._corpus, np.array([past.row], np.int32), self._in_force)[0])
        successor = next((one for one in near if one.row == row and one.in_force), None)
        if successor is None and row != past.row and self._in_force[row]:
            (passage,) = self._corpus.passages(np.array([row], np.int32))
            number = int(self._corpus.document_numbers(np.array([row], np.int32))[0])
            successor = past.moved(row, passage, self._documents[number])
        name = short_citation(past.passage, past.document)
        until = past.passage.valid_to or past.document.valid_to
        reason = f"{name} stated it{f' until {until.isoformat()}' if until else ''} and is no longer in force"
        if successor is not None:
            since = successor.passage.valid_from or successor.document.valid_from
            name = short_citation(successor.passage, successor.document)
            reason += f"; now {name}{f' (since {since.isoformat()})' if since else ''} applies"
        return self._made(claim, Finding.OUTDATED, reason, past, near, successor=successor)

    def _made(
        self,
        claim: Claim,
        finding: Finding,
        reason: str,
        best: Source | None,
        near: Sequence[Source],
        right: Source | None = None,
        successor: Source | None = None,
        own: tuple[Citation, ...] | None = None,
    ) -> Checked:
        near = near if best is None else _with_amending(best, near)
        shown = [] if best is None else [best, *(one for one in near if one.row != best.row)][:MOST_SOURCES]
        supporting = [one for one in near if one.supports and one.in_force]
        grades = [self._grades.of(one.document) for one in supporting or shown[:1]]
        known = [grade for grade in grades if grade is not None]
        # One good source is enough: the grade is the best of the supporting sources'.
        grade = min(known, default=None)
        low = self._minimum is not None and (grade is None or not grade.reaches(self._minimum))
        numbers = self._corpus.document_numbers(np.array([one.row for one in supporting], np.int32))
        return Checked(
            claim,
            finding,
            reason,
            tuple(shown),
            () if best is None else tuple(difference(best)),
            claim.citations if own is None else own,
            right,
            successor,
            grounded=finding in GROUNDED,
            independent=len({self._families.source[number] for number in numbers.tolist()}),
            grade=grade,
            graded=not low,
        )


def _certain(sources: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Return the sources in force that certainly state a claim, and those that amendments make doubtful.

    A text that amends a cited passage in an uncertain way does not support a claim alone."""
    present = [one for one in sources if one.supports and one.in_force and not one.doubtful]
    doubtful = [one for one in sources if one.doubtful and (one.supports or one.differs)]
    unresolved = [
        one for one in sources if one.amended and one.amended.doubts and (one.cited or one.doubtful)
    ]
    amending = {other.row for one in unresolved if one.amended for other in one.amended.doubts}
    if present and all(one.row in amending for one in present):
        return [], doubtful or unresolved
    if any(
        one.cited and one.in_force and (one.supports or one.differs) and not one.doubtful for one in sources
    ):
        doubtful = [one for one in doubtful if one.cited]
    return present, doubtful


def _other_numbers(near: Sequence[Source]) -> list[Source]:
    """Return the cited sources that have another period or amount of the same thing; none if one of them also
    has the claim's number."""
    cited = [one for one in near if one.cited and one.in_force]
    found = [one for one in cited if one.alignment is not None and one.alignment.other_number]
    stated = [
        change.claim.quantity
        for one in found
        if one.alignment is not None
        for change in one.alignment.changed
        if change.claim is not None and change.claim.quantity is not None
    ]
    known = [one for source in cited for one in quantities_in(source.words, source.passage.language)]
    return [] if any(own.same_as(one) or own.nearly(one) for own in stated for one in known) else found


def _with_amending(source: Source, near: Sequence[Source]) -> list[Source]:
    """Put the amendments of the first source right after it."""
    if source.amended is None:
        return list(near)
    amending = [
        source.moved(one.row, one.passage, one.document)
        for one in (*source.amended.by, *source.amended.doubts)
    ]
    return [*amending, *near]


def _found(source: Source) -> tuple[float, int]:
    """Return the share of a claim's words aligned in the source, and the negative number of contradicting
    words."""
    found = source.alignment
    if found is None:
        return 0.0, 0
    return found.share - len(found.exchanged) / max(1, found.content), -found.defects


def _own(claim: Claim, source: Source) -> tuple[Citation, ...]:
    """Return the citations of a claim, without references that are words of the source itself."""
    if source.alignment is None:
        return claim.citations
    first = claim.span.start
    source_words = {(first + token.span.start, first + token.span.end) for token in source.alignment.own}
    return tuple(one for one in claim.citations if (one.span.start, one.span.end) not in source_words)


def _wrong(citations: Sequence[Citation]) -> tuple[Finding, str] | None:
    """Return the finding and reason of the first wrong citation of a claim; None if all are right."""
    for one in citations:
        if one.problem:
            return (Finding.NO_PROVISION if one.known else Finding.UNCLEAR_CITATION), one.problem
    return None
