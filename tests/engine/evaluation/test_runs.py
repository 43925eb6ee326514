"""TREC's run form, out and in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, SourceError
from engine.evaluation.questions import Run, pair_with_gold, read_run, run_lines, write_run

WORDS = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6)
RANKINGS = st.dictionaries(
    WORDS, st.lists(WORDS, min_size=1, max_size=8, unique=True), min_size=1, max_size=4
)


def of(rankings: dict[str, list[str]]) -> Run:
    run = Run()
    for question, passages in rankings.items():
        run.add(question, passages, [1 / place for place in range(1, len(passages) + 1)])
    return run


@given(RANKINGS)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rankings: dict[str, list[str]]
) -> None:
    path = tmp_path_factory.mktemp("run") / "run.txt"
    write_run(of(rankings), path)
    assert read_run(path).rankings == {question: tuple(found) for question, found in rankings.items()}


def test_the_form() -> None:
    assert run_lines(of({"q": ["a", "b"]})) == [
        "q Q0 a 1 1.000000 redstring\n",
        "q Q0 b 2 0.500000 redstring\n",
    ]


def test_the_score_decides_and_not_the_place(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("q Q0 a 1 0.1 t\nq Q0 b 2 0.9 t\n\nq Q0 c 3 0.9 t\n", encoding="utf-8")
    assert read_run(tmp_path / "r").rankings == {"q": ("b", "c", "a")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 a 1 0.5 t\nq Q0 a 2 0.4 t\n", "line 2: a is listed twice"),
        ("q Q0 a 1 best t\n", "line 1: the score 'best'"),
        ("q Q0 a 1 nan t\n", "line 1: the score 'nan'"),
        ("q a 1\n", "line 1: not question, Q0"),
        ("\n", "no lines"),
    ],
)
def test_what_is_no_run_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_run(tmp_path / "r")


def test_comments_are_passed_over_as_by_trec_eval(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("# ir_metadata.start\n# tag: x\n#\nq Q0 a 1 2 t\n# q Q0 b 2 1 t\n", encoding="utf-8")
    assert read_run(path).rankings == {"q": ("a",)}


def test_an_id_with_a_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a b' is not possible in a TREC file"):
        write_run(of({"q": ["a b"]}), tmp_path / "r")


def test_a_judged_question_without_a_ranking_found_nothing() -> None:
    gold = {"q": {"a": 1.0}, "r": {"b": 1.0}}
    assert pair_with_gold(of({"q": ["a"]}), gold) == {"q": (("a",), gold["q"]), "r": ((), gold["r"])}
