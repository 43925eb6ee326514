"""The audit of texts against the sample corpus, without any model."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.audit import Audit, Auditor, Finding, Step, audit
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import annotated, markdown
from engine.answers.audit.log import tally, verification_log
from engine.answers.audit.page import html_page
from engine.corpus.protocol import Corpus
from engine.errors import CancelledError, InputError
from engine.llm import Meter
from engine.model import Document, Grade
from engine.verbs.answers import audit_lines

SUPPORTED, CONTRADICTED, RELATED = Finding.SUPPORTED, Finding.CONTRADICTED, Finding.RELATED
OUTDATED, PINPOINT, ABSENT = Finding.OUTDATED, Finding.WRONG_PINPOINT, Finding.NOT_IN_CORPUS

TPA, AGENCY = "tax-procedure-act", "commercial-agency-code"
CLAIMS = [
    (
        "en",
        "An objection must be lodged within 30 days of delivery of the decision.",
        SUPPORTED,
        f"{TPA}/art-26/para-1",
    ),
    (
        "en",
        "An objection must be lodged within 14 days of delivery of the decision.",
        CONTRADICTED,
        f"{TPA}/art-26/para-1",
    ),
    ("en", "A sub-agent may sub-delegate further.", CONTRADICTED, None),
    (
        "en",
        "The agent shall inform the principal of the sub-delegation within 30 days.",
        OUTDATED,
        f"{AGENCY}/art-22/para-2",
    ),
    (
        "en",
        "Under Article 28 of the Tax Procedure Act an objection shall be lodged within thirty "
        "days of delivery.",
        PINPOINT,
        f"{TPA}/art-26/para-1",
    ),
    (
        "en",
        "An objection shall be lodged within thirty days of delivery and a deposit of 40 crowns is due.",
        RELATED,
        f"{TPA}/art-26/para-1",
    ),
    ("en", "Employees are entitled to paid parental holidays.", ABSENT, None),
    (
        "de",
        "Der Einspruch ist innerhalb von 30 Tagen nach Bekanntgabe der Entscheidung einzulegen.",
        SUPPORTED,
        f"{TPA}-de/sec-26/para-1",
    ),
    (
        "id",
        "Keberatan diajukan dalam waktu 14 hari sejak penyampaian keputusan.",
        CONTRADICTED,
        f"{TPA}-id/art-26/para-1",
    ),
    ("ar", "يقدم الاعتراض خلال 30 يوما من تبليغ القرار.", SUPPORTED, f"{TPA}-ar/art-26/para-1"),
]


@pytest.mark.parametrize(
    ("language", "text", "finding", "passage"), CLAIMS, ids=[row[1][:50] for row in CLAIMS]
)
def test_findings(auditor: Auditor, language: str, text: str, finding: Finding, passage: str | None) -> None:
    found = auditor.claim(text, language)
    assert found.finding is finding, found.reason
    if passage is not None:
        assert found.sources[0].passage.id == passage


PERMISSIONS = [
    "Where the objection period for the earlier assessment is still running, an objection to the amended "
    "assessment {} extend to the whole of the tax, provided that it is "
    "lodged before the later of the two periods ends.",
    "A manager whose own appointment, removal or limitation of authority is to be entered {} apply alone.",
]


@pytest.mark.parametrize("claim", PERMISSIONS)
def test_a_permission_does_not_support_a_claim_of_a_duty(auditor: Auditor, claim: str) -> None:
    assert auditor.claim(claim.format("may"), "en").finding is SUPPORTED
    for duty in ("shall", "must", "is obliged to"):
        found = auditor.claim(claim.format(duty), "en")
        assert found.finding is RELATED, (duty, found.reason)
        assert f"the source has “may”, the claim has “{duty}”" in found.reason
        assert not found.grounded


def test_what_differs_is_named(auditor: Auditor) -> None:
    found = auditor.claim("An objection must be lodged within 14 days of delivery of the decision.", "en")
    assert found.reason == "the source has “thirty days”, the claim has “14 days”"
    assert found.correct is False


def test_what_is_outdated_names_its_successor(auditor: Auditor) -> None:
    found = auditor.claim(
        "The agent shall inform the principal of the sub-delegation within thirty days.", "en"
    )
    assert found.successor is not None
    assert "2023-12-31" in found.reason
    assert found.successor.in_force
    assert "@2024-01-01" in found.successor.passage.id


def test_the_day_decides(meridia: Corpus) -> None:
    before = Auditor(meridia, day=date(2020, 1, 1))
    found = before.claim(
        "The agent shall inform the principal of the sub-delegation within thirty days.", "en"
    )
    assert found.finding is SUPPORTED


def test_the_right_provision_is_named(auditor: Auditor) -> None:
    found = auditor.claim(
        "Under Article 28 of the Tax Procedure Act an objection shall be lodged within thirty days of "
        "delivery.",
        "en",
    )
    assert found.right is not None
    assert "Article 26(1)" in found.reason
    assert found.correct is True
    assert not found.grounded


def test_a_bare_article_is_that_of_the_act_named_before(auditor: Auditor) -> None:
    text = (
        "Article 26(1) of the Tax Procedure Act gives thirty days for an objection. "
        "Under Article 26(2) the period is sixty days for a taxpayer without residence or seat in Meridia "
        "who has no representative there."
    )
    found = audit(text, auditor)
    (cited,) = found.checked[1].claim.citations
    assert cited.rows
    assert found.checked[1].finding is SUPPORTED


def test_translations_are_one_source(auditor: Auditor) -> None:
    found = auditor.claim(
        "An objection shall be lodged within thirty days of delivery of the decision.", "en"
    )
    assert found.independent == 1


def test_quotes_are_verbatim(auditor: Auditor) -> None:
    for language, text, *_ in CLAIMS:
        for source in auditor.claim(str(text), str(language)).sources:
            assert source.passage.text[source.span.start : source.span.end] == source.quote


def test_a_text_is_audited_step_by_step(auditor: Auditor) -> None:
    text = (
        "# Memo\n\nAn objection shall be lodged within thirty days of delivery. Is that long? "
        "Seamen need a permit for whales."
    )
    *steps, found = auditor.steps(text)
    assert isinstance(found, Audit)
    assert [step.done for step in steps if isinstance(step, Step)] == [0, 1, 2]
    assert [one.finding for one in found.checked] == [SUPPORTED, ABSENT]
    counted = tally(found)
    assert (counted.correct.claims, counted.grounded.claims) == (1, 1)
    for one in found.checked:
        assert found.text[one.claim.span.start : one.claim.span.end] == one.claim.text


def test_no_claim_no_audit(auditor: Auditor) -> None:
    for text in ("", "   ", "# A heading\n\nWhat may the agent do?"):
        with pytest.raises(InputError):
            audit(text, auditor)
    with pytest.raises(InputError, match="claim"):
        auditor.claim(" ", "en")


def test_a_long_text_is_cut_and_told(auditor: Auditor) -> None:
    text = "An objection shall be lodged within thirty days.\n" + "# x\n" * LONGEST_TEXT
    assert any("cut" in note for note in audit(text, auditor).notes)


def test_it_can_be_stopped(meridia: Corpus) -> None:
    stopped = Auditor(meridia, meter=Meter(cancelled=lambda: True))
    with pytest.raises(CancelledError):
        audit("An objection shall be lodged within thirty days.", stopped)


def test_a_grade_below_the_minimum_is_told(meridia: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    graded: list[Document] = [replace(one, quality=0.4) for one in meridia.documents()]
    monkeypatch.setattr(meridia, "documents", lambda: graded)
    claim = "An objection shall be lodged within thirty days of delivery of the decision."
    low = Auditor(meridia, minimum=Grade.B).claim(claim, "en")
    assert (low.grade, low.graded, low.correct) == (Grade.C, False, None)
    assert Auditor(meridia, minimum=Grade.C).claim(claim, "en").correct is True
    found = audit(claim, Auditor(meridia, minimum=Grade.B))
    log = verification_log(found, meridia, reviews=False)
    for shown in (
        markdown(found, log),
        html_page(found, log),
        annotated(found, log),
        *audit_lines(found, log),
    ):
        assert "✓" not in shown
        assert "Supported" not in shown
    assert log.heading(log.entries[0]) == "Stated below the required grade"


@given(st.integers(2, 900).filter(lambda days: days not in (30, 60)))
def test_another_number_never_stays_supported(auditor: Auditor, days: int) -> None:
    found = auditor.claim(
        f"An objection shall be lodged within {days} days of delivery of the decision.", "en"
    )
    assert found.finding is not SUPPORTED


# What patterns expect blanks behind, and blanks of several kinds.
BEFORE_BLANKS = ("Figure", "Article 1", "§ 1", "Within 30", "EUR", "(a)", "Law No. 5", "Of")
BLANKS = (" ", "\t", "\u2003", " \t")


def test_no_run_of_blanks_makes_a_check_take_longer_than_the_length_of_its_text(auditor: Auditor) -> None:
    assert len(BEFORE_BLANKS) * len(BLANKS) >= 30
    claim = "An objection must be lodged within 30 days."
    lines = [f"{word}{blank * 900}x" for word, blank in product(BEFORE_BLANKS, BLANKS)]
    found = next(step for step in auditor.steps("\n".join([claim, *lines])) if isinstance(step, Audit))
    assert len(found.text) < sum(map(len, lines)) / 5
    assert found.text.startswith(f"{claim}\nFigure{' ' * 100}x\n")
    # A table in plain text stays as it is.
    table = f"{claim}{' ' * 60}30 days\n"
    assert next(step for step in auditor.steps(table) if isinstance(step, Audit)).text == table
