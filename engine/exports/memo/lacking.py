"""What a case did not find, in lists: the points of the retrieval audit, as far as they can be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answers.case_audit import CaseAudit
from engine.exports.memo.content import Area, Listed
from engine.model import AreaCoverage, AreaState, EvidenceStatus, counted
from engine.records.converting import convert
from engine.records.record import CaseRecord
from engine.records.wording import PART_WORDS, plural

# Lines of a list that are shown.
MOST_LISTED = 12


def lacking_of(case: CaseRecord, audit: CaseAudit | None) -> tuple[Listed, ...]:
    """What nothing bears, which areas lack evidence and, with an ``audit``, what the corpus tells besides."""
    evidence = case.evidence
    missing = [f"“{word}”" for word in evidence.missing]
    missing += [
        f"{part.text}: {PART_WORDS[part.status]}"
        for part in evidence.parts
        if part.status is not EvidenceStatus.FOUND
    ]
    lacking = [area for area in _needed(case) if area.state is not AreaState.COVERED]
    lists = [
        listed("Terms and parts of the question without evidence", missing),
        listed("Areas with weak or no evidence", [_lacks(area) for area in lacking]),
    ]
    if audit is not None:
        lists += _of_audit(audit)
    lists.append(listed("What was off, cut or left out", case.notes))
    return tuple(one for one in lists if one.lines)


def areas_of(case: CaseRecord) -> Iterator[Area]:
    """The coverage of each area that the case needs, in words."""
    for area in _needed(case):
        yield Area(area.name, area.state.value, _covered(area))


def _needed(case: CaseRecord) -> list[AreaCoverage]:
    return counted([convert(AreaCoverage, area) for area in case.coverage])


def listed(title: str, lines: Sequence[str], most: int = MOST_LISTED) -> Listed:
    """Some of the lines under a title, and how many more there are."""
    return Listed(title, tuple(lines[:most]), max(0, len(lines) - most))


def _of_audit(audit: CaseAudit) -> list[Listed]:
    queries = [
        f"{one.purpose}: “{one.text}”, "
        + ("no passage has its words" if one.hits == 0 else "nothing that was not found before")
        for one in audit.zero_hits
    ]
    beyond = [f"{plural(audit.outside, 'passage')} that the ranked ones refer to"] if audit.outside else []
    return [
        listed("Queries without a hit", queries),
        listed("References that lead nowhere", [f"“{text}”, in {by}" for text, by in audit.dead]),
        listed("Referred to and not in the pool", beyond),
        listed("Documents that nothing was found of", audit.unreached),
    ]


def _lacks(area: AreaCoverage) -> str:
    asked = f", asked for as “{area.query}”" if area.query else ""
    return f"{area.name}: {area.state.value}{asked}"


def _covered(area: AreaCoverage) -> str:
    told = plural(len(area.evidence), "passage") if area.evidence else "no passage"
    if area.state is AreaState.COVERED and area.closed_in is not None:
        told += ", from the scan" if area.closed_in == 0 else f", since round {area.closed_in}"
    elif area.minimum:
        told += f" of at least {area.minimum}"
    return told
