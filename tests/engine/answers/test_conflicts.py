"""Different numbers for the same thing in two acts are named, the same number and other things are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.answer import answer
from engine.answers.record import Conflict, ConflictKind
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from tests.engine.answers.conftest import investigated
from tests.tables import table

ACT: str = table(__file__, "ACT")


def conflicts(root: Path, first: str, second: str) -> list[Conflict]:
    for name, title, period in (("old", "Old Berth Act", first), ("new", "Berth Act", second)):
        text = ACT.format(id=name, title=title, period=period)
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus([root / "old.md", root / "new.md"], root / "berths", embedding="none")
    corpus = open_corpus(root / "berths")
    question = "Within what time must an objection to a berth decision be lodged?"
    brief = answer(investigated(corpus, question), corpus)
    assert brief.sentences
    return [one for one in brief.conflicts if one.kind is ConflictKind.DIFFERENCE]


def test_two_periods_for_the_same_thing_are_named(tmp_path: Path) -> None:
    [found] = conflicts(tmp_path, "30 days", "fourteen days")
    assert "“30 days”" in found.words
    assert "“fourteen days”" in found.words
    assert len(set(found.citations)) == 2


@pytest.mark.parametrize("other", ["30 days", "thirty (30) days"])
def test_the_same_period_in_other_words_is_none(tmp_path: Path, other: str) -> None:
    assert conflicts(tmp_path, "30 days", other) == []


LIMITED: str = table(__file__, "LIMITED")


@pytest.mark.parametrize(
    ("lead", "other", "words"),
    [
        ("Subject to Article 2, ", "", "is subject to"),
        ("", "Notwithstanding Article 1, ", "makes an exception to"),
        ("Without prejudice to Article 2, ", "", None),
    ],
)
def test_what_prevails_over_a_cited_rule_is_named(
    tmp_path: Path, lead: str, other: str, words: str | None
) -> None:
    (tmp_path / "act.md").write_text(LIMITED.format(lead=lead, other=other), encoding="utf-8")
    build_corpus([tmp_path / "act.md"], tmp_path / "berths", embedding="none")
    corpus = open_corpus(tmp_path / "berths")
    question = "Within what time must an objection to a berth decision be lodged?"
    brief = answer(investigated(corpus, question), corpus)
    told = [one.words for one in brief.conflicts if one.kind is ConflictKind.EXCEPTION]
    assert len(told) == (words is not None)
    if words is not None:
        assert words in told[0]
        first, second = told[0].index("Article 1"), told[0].index("Article 2")
        assert (first < second) == (words == "is subject to")
