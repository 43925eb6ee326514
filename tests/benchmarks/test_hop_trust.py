"""What verdicts on hops teach the expansion, as the benchmark learns and applies it."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from benchmarks.hop_trust import SHIPPED_SCORES, Judged, ask, balanced, lead_scores, learned, said
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.evaluation import Question
from engine.investigation import turn
from engine.investigation.case import Case
from engine.settings import preset

QUESTION = "May an agent appoint sub-agents, and what must the agent tell the principal?"
SHIPPED = {"citations": 1.0, "entities": 0.4}
CITES, NAMES = ("citations", "cites"), ("entities", "mentions")


@pytest.fixture
def sample(sample_folder: Path) -> Corpus:
    return open_corpus(sample_folder)


def hops(right: int, wrong: int, cell: tuple[str, str] = CITES) -> list[Judged]:
    return [Judged(cell, True)] * right + [Judged(cell, False)] * wrong


def test_what_is_right_more_often_is_trusted_more_and_budgets_stay_together() -> None:
    factors = learned([[*hops(2, 1), *hops(0, 3, NAMES)]] * 50, SHIPPED)
    assert factors["citations", ""] > 1 > factors["entities", ""]
    assert factors[CITES] > 1 > factors[NAMES]
    spent = sum(trust * factors[name, ""] for name, trust in SHIPPED.items())
    assert spent == pytest.approx(sum(SHIPPED.values()))


def test_few_verdicts_and_one_question_swing_nothing() -> None:
    others = [[*hops(1, 1), *hops(1, 1, NAMES)]] * 20
    (before, after) = (learned([*others, *more], SHIPPED) for more in ([], [hops(0, 1_000)]))
    assert before["citations", ""] == pytest.approx(1.0)
    assert after["citations", ""] == pytest.approx(before["citations", ""], abs=0.05)
    assert learned([hops(0, 5)], SHIPPED) == {}
    assert learned([], SHIPPED) == {}


def test_reviewers_are_wrong_as_often_as_is_said(sample: Corpus) -> None:
    told = ask(sample, preset("balanced"), Question("q", QUESTION, {}), frozenset(), {})
    rng = np.random.default_rng(0)
    assert [one.right for one in said(told, 10_000, 0.0, rng)] == [False] * len(told.shown)
    assert all(one.right for one in said(told, 10_000, 1.0, rng))
    assert len(said(told, 2, 0.1, rng)) == 2


def test_with_the_shipped_trust_a_case_is_the_shipped_one_and_with_another_it_is_not(sample: Corpus) -> None:
    settings, question = preset("balanced").changed(pool_size=30), Question("q", QUESTION, {})
    case = Case(sample, QUESTION, settings)
    for _ in case.run():
        continue
    shipped = [one.source_id or one.id for one in sample.passages(case.pool.rows())]
    trust = dict.fromkeys(settings.strategies, 1.0)
    with patch.object(turn, "lead_scores", lead_scores):
        same = ask(sample, settings, question, frozenset(), {})
        less = {("citations", ""): 0.25, ("metadata", ""): 4.0}
        other = ask(sample, settings, question, frozenset(), balanced(less, trust))
    assert turn.lead_scores is SHIPPED_SCORES
    assert same.pool == tuple(dict.fromkeys(shipped))
    assert other.pool != same.pool
