"""From compared sources to a finding, in rules that a person can follow.

A source stands *for* a claim where it says all of it and nothing of it differs, *against* it where a
difference has a name, and for a *part* of it in between. Only sources whose subject is about as near to the
claim's as the nearest count; of those the ones for a claim decide first, text out of force last of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from engine.answers.audit.independence import families
from engine.answers.audit.record import Checked, Claim, Finding, Source
from engine.corpus.protocol import Corpus, Mask
from engine.investigation.versions import newest
from engine.language.statements import Agreement, Match
from engine.model import SectionKind
from engine.records.citation import short_citation

# From which probability on a source is about the claim's subject, and says all of it (0..1).
RELATED, SAYS = 0.45, 0.5
# Sources whose subject is nearer by more than this (probability) outvote others.
NEARER = 0.15
# By how much a source against a claim must be nearer to its subject than one for it, to decide; a source that
# has the claim's quantities has that advantage besides.
AGAINST_LEAD, EQUAL_BONUS, BORNE, COVERED = 0.03, 0.05, 0.1, 0.08
# A part of the claim that a source lacks, against the part it has best (share of content).
LARGEST_GAP = 0.6
# How much less a text in force may say than one out of force, to say the same (probability).
SAME = 0.03
MOST_SOURCES = 5
_NO_PROVISION = (SectionKind.RECITAL, SectionKind.PREAMBLE)


class Stance(StrEnum):
    """How a source stands to a claim."""

    FOR = "for"
    AGAINST = "against"
    PART = "part"
    SILENT = "silent"


def stance(source: Source) -> Stance:
    """How a source stands to the claim it was compared with."""
    compared = source.comparison
    if source.related < RELATED:
        return Stance.SILENT
    if compared.differs:
        return Stance.AGAINST
    weaker = compared.modality is Agreement.WEAKER
    if source.says >= SAYS and not compared.absent and not weaker and source.values["gap"] < LARGEST_GAP:
        return Stance.FOR
    return Stance.PART


class Judge:
    """Gives findings over one corpus on one day; ``minimum`` is the lowest grade that sources may have."""

    def __init__(self, corpus: Corpus, in_force: Mask, minimum: float | None = None) -> None:
        self._corpus, self._in_force, self._minimum = corpus, in_force, minimum
        self._families = families(corpus)
        self._documents = corpus.documents()

    def finding(self, claim: Claim, sources: Sequence[Source]) -> Checked:
        """What the sources say of a claim."""
        near = _nearest(sources)
        stood = {kind: [one for one in near if stance(one) is kind] for kind in Stance}
        present = [one for one in stood[Stance.FOR] if one.in_force]
        past = [one for one in stood[Stance.FOR] if not one.in_force]
        against = max((_weight(one) for one in stood[Stance.AGAINST] if one.in_force), default=0.0)
        if past and not any(_as_good(one, past[0]) for one in present):
            return self._outdated(claim, past[0], near)
        present = [one for one in present if _weight(one) >= against - AGAINST_LEAD]
        if present:
            return self._supported(claim, present)
        doubtful = [*stood[Stance.AGAINST], *stood[Stance.PART]]
        if not doubtful:
            reason = "no passage of the corpus speaks of this"
            return Checked(claim, Finding.NOT_IN_CORPUS, reason, tuple(sources[:MOST_SOURCES]))
        current = [one for one in doubtful if one.in_force] or doubtful
        decisive = max(current, key=lambda one: (one.cited, _weight(one) + _borne(one)))
        if stance(decisive) is Stance.AGAINST:
            return self._made(
                claim, Finding.CONTRADICTED, "; ".join(decisive.comparison.differences), decisive, near
            )
        return self._made(claim, Finding.PARTLY, _lacking(decisive), decisive, near)

    def borne_out(self, claim: Claim, quoted: Source, others: Sequence[Source]) -> Checked:
        """The finding for a claim that a source bears out, whatever was estimated of it before."""
        if not quoted.in_force:
            return self._outdated(claim, quoted, [quoted, *others])
        return self._supported(claim, [quoted, *(one for one in others if one.in_force)])

    def contradicted(self, claim: Claim, quoted: Source, others: Sequence[Source]) -> Checked:
        """The finding for a claim that a source differs from."""
        reason = "; ".join(quoted.comparison.differences)
        return self._made(claim, Finding.CONTRADICTED, reason, quoted, others)

    def _supported(self, claim: Claim, present: list[Source]) -> Checked:
        cited = {row for citation in claim.citations for row in citation.rows}
        lost = [one for one in claim.citations if not one.rows and one.known]
        carried = [one for one in present if one.row in cited or self._same_provision(one, cited)]
        best = carried[0] if carried else present[0]
        if not claim.citations or carried:
            return self._made(claim, Finding.SUPPORTED, "the source says so", best, present)
        right = short_citation(best.passage, best.document)
        if cited or lost:
            named = claim.citations[0].text.strip(" ()")
            reason = (
                f"{right} says so, not {named}" if cited else f"{right} says so; {named} is not in the corpus"
            )
            return self._made(claim, Finding.WRONG_PINPOINT, reason, best, present, right=best)
        named = claim.citations[0].text.strip(" ()")
        reason = f"the source says so; what “{named}” means is not clear in this corpus"
        return self._made(claim, Finding.SUPPORTED, reason, best, present)

    def _same_provision(self, source: Source, cited: set[int]) -> bool:
        """Whether a source is a cited provision in another language or a repetition of it."""
        others = self._corpus.passages(np.array(sorted(cited), np.int32)) if cited else []
        numbers = self._corpus.document_numbers(np.array([source.row, *sorted(cited)], np.int32)).tolist()
        own = self._families[numbers[0]]
        return any(
            self._families[number] == own
            and other.number == source.passage.number
            and other.paragraph == source.passage.paragraph
            and number != numbers[0]
            for other, number in zip(others, numbers[1:], strict=True)
        )

    def _outdated(self, claim: Claim, past: Source, near: Sequence[Source]) -> Checked:
        row = int(newest(self._corpus, np.array([past.row], np.int32), self._in_force)[0])
        successor = next((one for one in near if one.row == row), None)
        if successor is None and row != past.row:
            (passage,) = self._corpus.passages(np.array([row], np.int32))
            number = int(self._corpus.document_numbers(np.array([row], np.int32))[0])
            successor = past.moved(row, passage, self._documents[number])
        told = short_citation(past.passage, past.document)
        until = past.passage.valid_to or past.document.valid_to
        reason = f"{told} said so{f' until {until.isoformat()}' if until else ''} and is no longer in force"
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
        best: Source,
        near: Sequence[Source],
        right: Source | None = None,
        successor: Source | None = None,
    ) -> Checked:
        told = [best, *(one for one in near if one.row != best.row)][:MOST_SOURCES]
        bearing = [one for one in near if stance(one) is Stance.FOR and one.in_force]
        grades = [one.document.quality for one in bearing or [best]]
        known = [grade for grade in grades if grade is not None]
        # One good source is enough: the grade is that of the best of those which bear the claim out.
        grade = max(known, default=None)
        low = self._minimum is not None and grade is not None and grade < self._minimum
        numbers = self._corpus.document_numbers(np.array([one.row for one in bearing], np.int32))
        unclear = bool(claim.citations) and not any(citation.rows for citation in claim.citations)
        return Checked(
            claim,
            finding,
            reason,
            tuple(told),
            best.comparison.differences,
            right,
            successor,
            grounded=finding is Finding.OUTDATED or (finding is Finding.SUPPORTED and not unclear),
            independent=len({self._families[number] for number in numbers.tolist()}),
            grade=grade,
            graded=not low,
        )


def _nearest(sources: Sequence[Source]) -> list[Source]:
    """Sources about the claim's subject that no other is much nearer to; those cited stay whatever others
    are."""
    related = [one for one in sources if one.related >= RELATED]
    best = max((one.subject for one in related), default=0.0)
    return [one for one in related if one.cited or max(one.subject, one.related) >= best - NEARER]


def _weight(source: Source) -> float:
    """How near a source's subject is; nearer are those that have all quantities of the claim, and those that
    speak of little else."""
    pairs = source.comparison.quantities
    whole = EQUAL_BONUS if pairs and source.comparison.equal == len(pairs) else 0.0
    return source.subject + whole + COVERED * source.comparison.coverage


def _borne(source: Source) -> float:
    """The advantage of a source that has a quantity of the claim and none otherwise."""
    compared = source.comparison
    return BORNE if compared.equal and not compared.different else 0.0


def _as_good(present: Source, past: Source) -> bool:
    """Whether a provision in force says what one out of force says; a recital only tells of it."""
    return present.passage.kind not in _NO_PROVISION and present.says >= past.says - SAME


def _lacking(source: Source) -> str:
    """What of the claim a source does not say."""
    absent = [pair.claim.text for pair in source.comparison.quantities if pair.match is Match.ABSENT]
    words = [*absent, *source.comparison.missing][:6]
    if source.comparison.modality is Agreement.WEAKER and source.comparison.differences:
        return source.comparison.differences[0]
    return f"the source does not say: {', '.join(words)}" if words else "the source says only a part of it"
