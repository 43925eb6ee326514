"""What a model read is followed by its confidence, and never where a person rejected it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.extracted import Judgement, Validation, add_validation
from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Strategy
from engine.investigation.strategies.citations import Citations, Extracted
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of, toy_corpus
from engine.settings import presets
from tests.engine.corpus.extracted.values import EXCEPTION, read_toy


class TestExtracted(StrategyContract):
    @pytest.fixture(scope="class")
    @staticmethod
    def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
        return read_toy(tmp_path_factory.mktemp("toy") / "harbour")

    @pytest.fixture
    @staticmethod
    def strategy() -> Strategy:
        return Extracted()


def test_it_is_off_unless_asked_for() -> None:
    assert all("extracted" not in settings.strategies for settings in presets().values())
    assert Extracted.trust < Citations.trust


def test_it_finds_nothing_where_no_model_has_read(tmp_path: Path) -> None:
    corpus = toy_corpus(tmp_path / "toy")
    assert len(Extracted().expand(seeds_of(*range(len(corpus))), context_of(corpus))) == 0


def test_a_rejected_link_is_not_followed_and_an_accepted_one_is_stronger(tmp_path: Path) -> None:
    corpus = read_toy(tmp_path / "toy")
    assert corpus.folder is not None
    context, strategy = context_of(corpus), Extracted()
    (unreviewed,) = strategy.expand(seeds_of(3), context).strengths.tolist()
    verdict = Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.ACCEPTED)
    add_validation(corpus.folder, verdict)
    leads = strategy.expand(seeds_of(3), context)
    assert leads.strengths.tolist()[0] > unreviewed
    (evidence,) = strategy.explain(leads, context)
    assert evidence.quote == "Fees are paid in advance"
    assert evidence.detail == "read by a model, confidence 0.80, accepted"
    add_validation(corpus.folder, verdict.model_copy(update={"judgement": Judgement.REJECTED}))
    # What was proposed before the verdict can still be explained.
    assert strategy.explain(leads, context) == [evidence]
    assert len(strategy.expand(seeds_of(3), context)) == 0
