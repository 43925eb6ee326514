"""What is learned from, and what of it is kept to be shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import InputError
from engine.evaluation.compare import paired
from engine.review.model import Assessment
from engine.review.training import Choice, Moved, TrainingLabels, choice_to_json, labels_from, train
from engine.settings import preset
from tests.engine.review.judged import N, R, passage, said


def asked(question: str, case: str, *verdicts: tuple[str, object]) -> list[Assessment]:
    return [
        replace(said(passage(f"passage:{key}", case_id=case), verdict), question=question)  # type: ignore[arg-type]
        for key, verdict in verdicts
    ]


EVERY = (
    *asked("One?", "old", ("a", R), ("b", N)),
    *asked("Two?", "second", ("a", R), ("b", R)),
    *asked("One?", "new", ("c", N)),
)


def test_questions_that_tell_something_are_counted() -> None:
    found = labels_from(EVERY)
    assert (found.verdicts, len(found.labels), found.telling) == (5, 2, 1)
    assert found.cases == {"One?": "new", "Two?": "second"}
    assert labels_from(()) == TrainingLabels((), {})


@pytest.mark.parametrize(
    ("questions", "passages", "left"),
    [(9, 9, ["One?", "Two?"]), (1, 9, ["Two?"]), (9, 4, ["Two?"]), (9, 1, [])],
)
def test_the_newest_are_kept_whole(questions: int, passages: int, left: list[str]) -> None:
    assert [one.question for one in labels_from(EVERY).newest(questions, passages).labels] == left


def test_the_words_of_questions_are_not_kept(bare: object) -> None:
    moved = [Moved(f"Question {place}?", 1.0, 1.0, 0.5, 0.5 + place / 100) for place in (-2, -1, 0, 1, 2, 3)]
    same = paired([0.5], [0.5])
    choice = Choice("passages", 1.0, 6, 12, same, same, tuple(moved))
    plain = choice_to_json(choice)
    assert (plain["better"], plain["worse"]) == (3, 2)
    assert "up" not in plain
    found = choice_to_json(choice, {"Question 3?": "c3", "Question -2?": "c-2"})
    assert [one["case"] for one in found["up"]] == ["c3", "", ""]
    assert [one["case"] for one in found["down"]] == ["c-2", ""]
    assert "Question" not in repr(found)


def test_nothing_said_teaches_nothing(bare: object) -> None:
    with pytest.raises(InputError, match="no passage has been judged"):
        train(bare, labels_from(()), preset("quick"))  # type: ignore[arg-type]
