"""What a checked text comes to: the verdicts with what people overruled, and the check's own count beside it.

The one place where this is counted and put into words, for the page, the exports, the terminal and JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.answers.audit.log import Log
from engine.answers.audit.record import CARRIED, Audit, Checked, Finding
from engine.answers.audit.wording import TOLD, key_of
from engine.corpus.confirmations import Review
from engine.records.wording import plural

_FINDINGS = {key_of(one): one for one in Finding}


@dataclass(frozen=True, slots=True)
class Count:
    """How many ``claims`` of how many (``of``), as the verdicts stand; how many of these people made so, and
    how many the check had by itself."""

    claims: int
    of: int
    by_people: int
    of_the_check: int

    @property
    def words(self) -> str:
        """The count, with whose it is where people changed anything of it."""
        told = [f"{self.by_people} by a person"] if self.by_people else []
        told += [f"the check by itself: {self.of_the_check}"] if self.of_the_check != self.claims else []
        return f"{self.claims} of {self.of}" + (f" ({'; '.join(told)})" if told else "")


@dataclass(frozen=True, slots=True)
class Tally:
    """The claims of a text as the check found them, and as they stand: with the verdicts that people gave
    instead."""

    found: tuple[Checked, ...]
    stand: tuple[Checked, ...]

    @property
    def overruled(self) -> tuple[Checked, ...]:
        """The claims whose verdict a person gave, as they stand."""
        return tuple(one for one, before in self._pairs() if one is not before)

    def finding(self, finding: Finding) -> Count:
        """How many claims have a finding."""
        return self._count(lambda one: one.finding is finding)

    @property
    def said(self) -> Count:
        """How many claims the sources bear out as the law is on the day."""
        return self._count(lambda one: one.correct is True)

    @property
    def unsaid(self) -> Count:
        """How many are neither right nor wrong: a person has to read."""
        return self._count(lambda one: one.correct is None)

    @property
    def grounded(self) -> Count:
        """How many are carried by a passage, the cited one where they cite."""
        return self._count(lambda one: one.grounded and one.graded)

    def _pairs(self) -> Iterator[tuple[Checked, Checked]]:
        return zip(self.stand, self.found, strict=True)

    def _count(self, holds: Callable[[Checked], bool]) -> Count:
        by_people = sum(holds(one) for one in self.overruled)
        return Count(_sum(holds, self.stand), len(self.stand), by_people, _sum(holds, self.found))


def _sum(holds: Callable[[Checked], bool], claims: Iterable[Checked]) -> int:
    return sum(map(holds, claims))


def tally(audit: Audit, log: Log | None = None) -> Tally:
    """Count an audit; what people said of it stands in its log."""
    instead = {} if log is None else _instead(log)
    return Tally(audit.checked, tuple(_standing(one, instead) for one in audit.checked))


def _instead(log: Log) -> Mapping[int, tuple[Finding, bool]]:
    """The verdicts that people gave instead, by claim, and whether there is a passage that they are on."""
    return {
        int(one.number): (_FINDINGS[one.review.instead], one.held is not None)
        for one in log.entries
        if one.review is not None
        and one.review.review is Review.OVERRULED
        and not one.is_citation
        and one.review.instead in _FINDINGS
    }


def _standing(one: Checked, instead: Mapping[int, tuple[Finding, bool]]) -> Checked:
    if one.claim.number not in instead:
        return one
    finding, held = instead[one.claim.number]
    return replace(one, finding=finding, grounded=held and finding in CARRIED)


def summary(counted: Tally) -> str:
    """The findings in one line, none left out that occurs; behind them the check's own where people overruled
    any."""
    whole = plural(len(counted.stand), "claim")
    told = f"{whole}: {', '.join(_each(counted))}"
    if not counted.overruled:
        return told
    own = [(finding, counted.finding(finding).of_the_check) for finding in Finding]
    alone = ", ".join(f"{count} {TOLD[finding].word.lower()}" for finding, count in own if count)
    return f"{told}; the check by itself: {alone}"


def _each(counted: Tally) -> Iterator[str]:
    for finding in Finding:
        count = counted.finding(finding)
        if count.claims:
            by = f" ({count.by_people} by a person)" if count.by_people else ""
            yield f"{count.claims} {TOLD[finding].word.lower()}{by}"


def axes(counted: Tally) -> tuple[str, str]:
    """The two axes in words: of how many claims the sources say so, and how many a passage carries."""
    unsaid = counted.unsaid.claims
    told = f"; {unsaid} neither right nor wrong: to be read" if unsaid else ""
    return (
        f"Said: the sources say so of {counted.said.words}{told}",
        f"Grounded: a passage, the cited one where one is cited, carries {counted.grounded.words}",
    )


def verdict_words(counted: Tally) -> Mapping[int, str]:
    """The verdict on each claim as it stands, by its number: its sign and word, and the check's own where a
    person overruled that."""
    pairs = zip(counted.stand, counted.found, strict=True)
    return {one.claim.number: _verdict(one, before) for one, before in pairs}


def _verdict(one: Checked, before: Checked) -> str:
    told = TOLD[one.finding]
    by = "" if one is before else f" (by a person; the check: {TOLD[before.finding].word.lower()})"
    return f"{told.sign} {told.word}{by}"


def tally_to_json(counted: Tally) -> dict[str, Any]:
    """The counts as plain values; those of the check by itself stand under ``of_the_check``."""
    findings = {key_of(finding): counted.finding(finding) for finding in Finding}
    said, grounded, whole = counted.said, counted.grounded, len(counted.stand)
    return {
        "counts": {key: count.claims for key, count in findings.items()},
        "correct": {"claims": said.claims, "of": whole, "by_people": said.by_people},
        "grounded": {"claims": grounded.claims, "of": whole, "by_people": grounded.by_people},
        "overruled": {str(one.claim.number): key_of(one.finding) for one in counted.overruled},
        "of_the_check": {
            "counts": {key: count.of_the_check for key, count in findings.items()},
            "correct": said.of_the_check,
            "grounded": grounded.of_the_check,
        },
    }
