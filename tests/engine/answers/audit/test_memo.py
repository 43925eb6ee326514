"""A memo as a person writes one: forty claims on the sample, twelve wrong in ways that people get wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchmarks
from engine.answers.audit import Audit, Auditor, Finding, audit
from engine.answers.audit.log import tally

MEMO = Path(benchmarks.__file__).parent / "claims" / "memo.md"
# How each wrong claim begins.
WRONG = (
    "A later widening of the grantor's authority automatically",
    "The special resolution may authorise sub-delegation",
    "The special resolution shall state a duration not exceeding three years",
    "The principal is liable to a third party",
    "If no ratification is declared within fourteen days",
    "The principal shall inform the agent",
    "An agent must carry insurance",
    "An objection must be lodged within six weeks",
    "For any taxpayer without residence or seat",
    "Where the earlier assessment had become final, the amended assessment may be contested to any extent",
    "An objection suspends the duty to pay",
    "To the extent that it is not contested in time, the decision becomes final (Article 31(2)",
)


@pytest.fixture(scope="module")
def found(auditor: Auditor) -> Audit:
    return audit(MEMO.read_text(encoding="utf-8"), auditor)


def test_each_wrong_claim_is_told_and_no_right_one_is_called_wrong(found: Audit) -> None:
    assert len(found.checked) == 40
    wrong = [one for one in found.checked if one.claim.text.startswith(WRONG)]
    assert len(wrong) == len(WRONG)
    for one in wrong:
        assert one.finding is not Finding.SUPPORTED, one.claim.text
    right = [one for one in found.checked if one not in wrong]
    flagged = (Finding.CONTRADICTED, Finding.NO_PROVISION, Finding.WRONG_PINPOINT, Finding.OUTDATED)
    assert not [one.claim.text for one in right if one.finding in flagged]
    assert sum(one.finding is Finding.SUPPORTED for one in right) >= 26


def test_what_is_to_be_read_is_neither_right_nor_wrong(found: Audit) -> None:
    related = [one for one in found.checked if one.finding is Finding.RELATED]
    assert related
    assert all(one.correct is None and one.reason for one in related)
    assert tally(found).correct.claims + len([one for one in found.checked if one.correct is not True]) == 40


def test_the_citation_that_is_nowhere_is_told_with_its_neighbours(found: Audit) -> None:
    (dead,) = found.dead
    assert "Article 99" in dead.problem
    assert "next to it are 37 and 38" in dead.problem
