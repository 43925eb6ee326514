"""Runs over gold questions, on a corpus small enough to know the answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation import Question, evaluate
from engine.evaluation.evaluate import judge_questions, score_ranking, summarise
from engine.evaluation.metrics import investigate_one, source_ids
from engine.investigation.strategies.contract import toy_corpus
from tests.engine.harbour import NOTHING
from tests.engine.investigation.story import SETTINGS, finished

INTEREST, DUTY = "dues-act/art-5", "harbour-act/art-6/para-1"
QUESTIONS = [
    Question("q1", "What interest do dues in arrears bear?", {INTEREST: 2.0}),
    Question("q2", NOTHING, {INTEREST: 1.0, DUTY: 1.0}),
]
METRICS = [f"{name}@{k}" for name in ("recall", "complete") for k in (5, 10, 20, 50, 100)] + ["ndcg@10"]


def test_means_over_the_questions(bare: Corpus) -> None:
    result = evaluate(bare, QUESTIONS, SETTINGS)
    assert result.queries == 2
    assert sorted(result.scan) == sorted(result.investigation) == sorted(METRICS)
    # The first question has its one answer on top, the second finds nothing at all.
    assert set(result.scan.values()) == set(result.investigation.values()) == {0.5}
    sizes = [len(finished(bare, question.text, SETTINGS, None).pool) for question in QUESTIONS]
    assert list(result.pool) == ["recall", "complete", "mean_size", "gold", "precision", "with_entities"]
    assert (result.pool["recall"], result.pool["complete"]) == (0.5, 0.5)
    assert result.pool["mean_size"] == sum(sizes) / 2
    assert 0 < result.milliseconds["p50"] <= result.milliseconds["p95"]


def test_the_same_run_twice_differs_in_time_only(bare: Corpus) -> None:
    first, second = evaluate(bare, QUESTIONS, SETTINGS), evaluate(bare, QUESTIONS, SETTINGS)
    assert (first.scan, first.investigation, first.pool) == (second.scan, second.investigation, second.pool)


def test_rankings_count_single_passages_without_the_limits_of_the_page(bare: Corpus) -> None:
    narrow = SETTINGS.changed(top_k=1)
    outcome = investigate_one(bare, "dues berth vessel harbour master", narrow)
    assert len(outcome.final) == len(outcome.rows) == outcome.sizes[-1] > 1
    assert set(outcome.final) == outcome.rounds.keys() == set(outcome.names)
    assert list(outcome.scores) == sorted(outcome.scores, reverse=True)


def test_a_cut_passage_counts_once_by_its_source(tmp_path: Path) -> None:
    toy = toy_corpus(tmp_path / "harbour")
    # Row 3 is the second part of the source's p2.
    ids, scores = source_ids(toy.passages(np.array([3, 0, 2], np.int32)), [0.9, 0.5, 0.4])
    assert (ids, scores) == (["p2", "p0"], [0.9, 0.5])


def test_runs_are_written_in_trecs_form(bare: Corpus, tmp_path: Path) -> None:
    evaluate(bare, QUESTIONS, SETTINGS, run=tmp_path / "run.txt")
    lines = [line.split(" ") for line in (tmp_path / "run.txt").read_text(encoding="utf-8").splitlines()]
    assert {line[0] for line in lines} == {"q1"}
    assert [int(line[3]) for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0][1:4] == ["Q0", INTEREST, "1"]
    assert [float(line[4]) for line in lines] == sorted((float(line[4]) for line in lines), reverse=True)


def test_where_the_gold_stood_is_kept(bare: Corpus) -> None:
    (_, found), (_, lost) = judge_questions(bare, QUESTIONS, SETTINGS)
    place = found.gold[INTEREST]
    assert (place.gain, place.scan, place.final, place.round) == (2.0, 1, 1, 0)
    assert {(gold.scan, gold.final, gold.round) for gold in lost.gold.values()} == {(None, None, None)}
    assert found.sizes[-1] == found.pool.size == found.ranked > 0
    assert (found.stop, lost.stop) == ("nothing_new", "nothing_new")
    assert found.measures()["pool recall"] == 1.0
    assert found.measures()["recall@10"] == found.investigation["recall@10"]


def test_no_questions_have_no_mean() -> None:
    with pytest.raises(InputError, match="no questions"):
        summarise([])


@pytest.mark.parametrize(
    "questions", [[Question("q", "dues", {"other-corpus/1": 1.0})], [Question("q", "dues", {})], []]
)
def test_gold_of_another_corpus_is_refused(bare: Corpus, questions: list[Question]) -> None:
    with pytest.raises(InputError, match=r"none of the \d gold passages is in the corpus 'bare'"):
        evaluate(bare, questions, SETTINGS)


def test_all_metrics_of_a_ranking() -> None:
    scores = score_ranking(["x", "a"], {"a": 1.0, "b": 1.0})
    assert list(scores) == METRICS
    assert (scores["recall@5"], scores["complete@100"]) == (0.5, 0.0)
