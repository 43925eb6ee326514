"""Judgements of passages, and as others write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, SourceError
from engine.evaluation.questions import topic_of
from engine.review import exchange
from engine.review.model import Assessment, ItemKind, Verdict
from engine.review.quality import Outcome, outcome
from tests.engine.review.judged import QUESTION, N, P, R, passage, said, table

TOPIC = topic_of(QUESTION)


def votes(verdicts: list[Verdict]) -> list[Assessment]:
    return [said(passage("p1"), one, f"reviewer-{number}", number + 1) for number, one in enumerate(verdicts)]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    given = [said(passage(f"p{number}"), verdict, number=number) for number, verdict in enumerate((R, P, N))]
    path = tmp_path / "judgements.qrels"
    path.write_bytes(exchange.write_qrels(given))
    assert [(one.question_id, one.passage_id, one.verdict) for one in exchange.read_qrels(path)] == [
        (TOPIC, "p0", R),
        (TOPIC, "p1", P),
        (TOPIC, "p2", N),
    ]


@given(st.lists(st.sampled_from([R, P, N]), min_size=1, max_size=7))
def test_a_gain_is_above_0_only_where_most_approve(verdicts: list[Verdict]) -> None:
    gain = int(exchange.write_qrels(votes(verdicts)).split()[-1])
    assert (gain > 0) == (outcome(votes(verdicts)) is Outcome.APPROVED)


@pytest.mark.parametrize(
    ("verdicts", "gain"), [([R, N], 0), ([R, P], 1), ([R, R, N], 2), ([R, P, N], 1), ([R, R, N, N], 0)]
)
def test_of_several_gains_the_lower_median(verdicts: list[Verdict], gain: int) -> None:
    assert exchange.write_qrels(votes(verdicts)) == f"{TOPIC} 0 p1 {gain}\n".encode()


def test_who_judged_it_in_two_cases_of_a_question_is_one_voice() -> None:
    cases = [said(passage("p1", case_id=case), R, "anna", number) for number, case in enumerate("xy", 1)]
    against = said(passage("p1"), N, "ben", 3)
    assert exchange.write_qrels([*cases, against]) == f"{TOPIC} 0 p1 0\n".encode()


def test_where_no_passage_was_judged_there_is_nothing_to_write() -> None:
    with pytest.raises(InputError, match="no passage has been judged"):
        exchange.write_qrels(table([[Verdict.RIGHT]], ItemKind.HOP))


def test_an_id_with_a_space_is_refused() -> None:
    with pytest.raises(InputError, match="'p 1' is not possible in a TREC file"):
        exchange.write_qrels([said(passage("p 1"), R)])


def test_beirs_three_columns(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\ta b\t1\nq1\tc\t0\n", encoding="utf-8")
    found = [(one.question_id, one.passage_id, one.verdict) for one in exchange.read_binary_qrels(path)]
    assert found == [("q1", "a b", R), ("q1", "c", N)]
    assert [one.verdict for one in exchange.read_qrels(path)] == [P, N]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q1 0 a 3", r"unknown gain 3; known: 0 \(not relevant\), 1 \(partly\), 2 \(relevant\)"),
        ("q1 0 a -1", "unknown gain -1"),
        ("q1 0 a 0.5", "unknown gain 0.5"),
        ("q1 0 a nan", "not query-id.*no number at its end"),
        ("q1 0 a inf", "not query-id.*no number at its end"),
        ("q1 a", "not query-id"),
    ],
)
def test_a_line_that_says_nothing_known_is_named(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text(f"q1 0 b 2\n{line}\n", encoding="utf-8")
    with pytest.raises(SourceError, match=f"a.qrels, line 2: {reason}"):
        exchange.read_qrels(path)


def test_a_graded_file_is_not_read_as_one_of_two_grades(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 b 2\n", encoding="utf-8")
    with pytest.raises(
        SourceError, match=r"line 1: unknown gain 2; known: 0 \(not relevant\), 1 \(relevant\)"
    ):
        exchange.read_binary_qrels(path)
