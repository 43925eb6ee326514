"""Two runs side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import InputError
from engine.evaluation.compare import compare, measure_run
from tests.engine.evaluation.values import result


def test_differences_are_ours_less_theirs() -> None:
    ours = measure_run([result("q1", [1, 2]), result("q2", [3])])
    theirs = measure_run([result("q2", [None]), result("q1", [1, 15])], "theirs")
    found = compare(ours, theirs)
    assert (found.questions, found.warnings) == (2, ())
    assert found.differences["recall@10"].difference == 0.75
    assert found.differences["pool recall"].difference == 0.5
    assert found.to_json()["differences"]["recall@10"]["ours"] == 1.0


def test_what_does_not_match_is_told() -> None:
    ours = replace(measure_run([result("q1"), result("q2")]), header={"corpus": "a", "embedding": "minilm"})
    theirs = replace(measure_run([result("q1")], "b.jsonl"), header={"corpus": "b", "embedding": "minilm"})
    found = compare(ours, theirs)
    assert found.warnings == (
        "the question sets differ: 1 questions of this run are left out, 1 are compared",
        "the runs differ in their corpus: a against b",
    )


def test_runs_without_a_common_question_are_refused() -> None:
    with pytest.raises(InputError, match="no question in common"):
        compare(measure_run([result("q1")]), measure_run([result("q2")], "other"))
