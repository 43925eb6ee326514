"""What people overruled changes the counts; the check's own stays told, everywhere in the same words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.audit import Audit, Finding
from engine.answers.audit.export import annotated, audit_to_json, markdown
from engine.answers.audit.log import (
    ComparedPassage,
    Entry,
    Log,
    Tally,
    axes,
    summary,
    tally,
    tally_to_json,
    verdict_words,
)
from engine.answers.audit.page import html_page
from engine.answers.audit.record import Checked, Claim, key_of
from engine.corpus.judgements import Confirmation, make_confirmation
from engine.model import Span
from engine.verbs.answers import audit_lines

HELD = ComparedPassage("p", "0" * 64, "words", "Article 1", None)
CARRYING = (Finding.SUPPORTED, Finding.OUTDATED)
RIGHT = (Finding.SUPPORTED, Finding.WRONG_PINPOINT)
WRONG = (Finding.CONTRADICTED, Finding.OUTDATED)


def audit_of(*findings: Finding, low: frozenset[int] = frozenset()) -> Audit:
    """A text whose claims have these findings; the sources of the ``low`` ones are of too low a grade."""
    checked = tuple(
        Checked(
            Claim(number, Span(number - 1, number), "x", "en"), finding, "why",
            grounded=finding in CARRYING, graded=number not in low,
        )
        for number, finding in enumerate(findings, start=1)
    )  # fmt: skip
    return Audit("x" * len(findings), "harbour", date(2026, 1, 1), checked)


def log_of(audit: Audit, instead: dict[int, Finding | str], held: ComparedPassage | None = HELD) -> Log:
    """Its log, with what a person says instead of some verdicts: a finding, or "" to confirm it."""

    def entry(one: Checked) -> Entry:
        number, finding = one.claim.number, key_of(one.finding)
        said: Confirmation | None = None
        if number in instead:
            told = instead[number]
            key = key_of(told) if isinstance(told, Finding) else told
            said = make_confirmation("x", ("p", "0" * 64), finding, instead=key, reviewer="Ada")
        return Entry(str(number), "x", finding, "why", held, (), review=said)

    return Log("harbour", "2026-01-01", tuple(map(entry, audit.checked)))


THREE = audit_of(Finding.SUPPORTED, Finding.CONTRADICTED, Finding.RELATED)


@pytest.mark.parametrize(
    ("instead", "line", "said", "grounded"),
    [
        ({}, "3 claims: 1 supported, 1 contradicted, 1 related: read it", "1 of 3", "1 of 3"),
        ({1: ""}, "3 claims: 1 supported, 1 contradicted, 1 related: read it", "1 of 3", "1 of 3"),
        (
            {2: Finding.SUPPORTED},
            "3 claims: 2 supported (1 by a person), 1 related: read it; "
            "the check alone: 1 supported, 1 contradicted, 1 related: read it",
            "2 of 3 (1 by a person; the check alone: 1)",
            "2 of 3 (1 by a person; the check alone: 1)",
        ),
        (
            {1: Finding.RELATED},
            "3 claims: 1 contradicted, 2 related: read it (1 by a person); "
            "the check alone: 1 supported, 1 contradicted, 1 related: read it",
            "0 of 3 (the check alone: 1)",
            "0 of 3 (the check alone: 1)",
        ),
        (
            {1: Finding.CONTRADICTED, 3: Finding.WRONG_PINPOINT},
            "3 claims: 2 contradicted (1 by a person), 1 wrong pinpoint (1 by a person); "
            "the check alone: 1 supported, 1 contradicted, 1 related: read it",
            "1 of 3 (1 by a person)",
            "0 of 3 (the check alone: 1)",
        ),
    ],
)
def test_the_counts_in_words(instead: dict[int, Finding | str], line: str, said: str, grounded: str) -> None:
    counted = tally(THREE, log_of(THREE, instead))
    assert summary(counted) == line
    assert (counted.correct.words, counted.grounded.words) == (said, grounded)
    assert axes(counted)[0].startswith(f"Correct: the sources support {said}")
    assert axes(counted)[1].endswith(f"supports {grounded}")


def test_the_same_words_stand_in_every_form() -> None:
    log = log_of(THREE, {2: Finding.SUPPORTED})
    counted = tally(THREE, log)
    lines = "\n".join(audit_lines(THREE, log))
    for form in (markdown(THREE, log), html_page(THREE, log), lines):
        assert summary(counted) in form
        assert all(axis in form for axis in axes(counted))
    told = verdict_words(counted)[2]
    assert told == "✓ Supported (by a person; the check: contradicted)"
    assert f"## 2. {told}" in markdown(THREE, log)
    assert f"2. {told}" in html_page(THREE, log)
    assert f"[^2]: {told}: why" in annotated(THREE, log)
    assert f"2. {told.upper()}: x" in lines
    plain = orjson.loads(orjson.dumps(audit_to_json(THREE, log)))
    assert plain["counts"]["supported"] == 2
    assert plain["correct"] == {"claims": 2, "of": 3, "by_people": 1}
    assert plain["overruled"] == {"2": "supported"}
    assert plain["of_the_check"]["counts"]["contradicted"] == 1
    assert plain["of_the_check"]["correct"] == 1


def test_nothing_is_told_of_people_where_their_word_is_not_to_be_told() -> None:
    """Without a log, or with one that leaves out what people said, the counts are the check's own."""
    for log in (None, log_of(THREE, {})):
        assert tally_to_json(tally(THREE, log))["overruled"] == {}
        assert "person" not in markdown(THREE, log).partition("## Verification log")[0]


def test_what_no_longer_holds_changes_no_count() -> None:
    log = log_of(THREE, {2: Finding.SUPPORTED})
    moved = [replace(one, review=None, before=one.review, changed="so") for one in log.entries]
    assert summary(tally(THREE, replace(log, entries=tuple(moved)))) == summary(tally(THREE))


def test_a_claim_that_was_held_against_nothing_is_said_but_not_carried() -> None:
    one = audit_of(Finding.NOT_IN_CORPUS)
    counted = tally(one, log_of(one, {1: Finding.SUPPORTED}, held=None))
    assert (counted.correct.claims, counted.grounded.claims) == (1, 0)


def test_a_grade_that_is_too_low_stays_too_low_whoever_says_so() -> None:
    one = audit_of(Finding.RELATED, low=frozenset([1]))
    counted = tally(one, log_of(one, {1: Finding.SUPPORTED}))
    assert (counted.correct.claims, counted.grounded.claims, counted.undecided.claims) == (0, 0, 1)
    assert counted.finding(Finding.SUPPORTED).claims == 1


FINDINGS = st.sampled_from(list(Finding))


@given(findings=st.lists(FINDINGS, min_size=1, max_size=8), data=st.data())
def test_counts_hold_together(findings: list[Finding], data: st.DataObject) -> None:
    audit = audit_of(*findings)
    instead: dict[int, Finding | str] = {}
    for number, finding in enumerate(findings, start=1):
        said = data.draw(st.none() | st.just("") | FINDINGS)
        if said is not None and said is not finding:
            instead[number] = said
    final = [
        told if isinstance(told := instead.get(number), Finding) else own
        for number, own in enumerate(findings, start=1)
    ]
    overruled = {number for number, told in instead.items() if isinstance(told, Finding)}
    counted = tally(audit, log_of(audit, instead))
    assert {one.claim.number for one in counted.overruled} == overruled
    for finding in Finding:
        count = counted.finding(finding)
        assert (count.claims, count.of_the_check) == (final.count(finding), findings.count(finding))
        assert count.by_people == sum(final[number - 1] is finding for number in overruled)
    assert counted.correct.claims == sum(one in RIGHT for one in final)
    assert counted.undecided.claims == sum(one not in (*RIGHT, *WRONG) for one in final)
    assert counted.grounded.claims == sum(one in CARRYING for one in final)
    assert_alone(counted, tally(audit))


def assert_alone(counted: Tally, alone: Tally) -> None:
    """The check's own count is that of a check of which nobody has said anything."""
    for of, own in (
        (counted.correct, alone.correct),
        (counted.undecided, alone.undecided),
        (counted.grounded, alone.grounded),
    ):
        assert of.of_the_check == own.claims == own.of_the_check
        assert own.by_people == 0
        assert 0 <= of.by_people <= of.claims <= of.of
