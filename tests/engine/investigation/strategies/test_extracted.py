"""What a model read is followed by its confidence, and never where a person rejected it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.breadth import breadth_of
from engine.corpus.extracted import Judgement, Proposal, Validation, add_reading, add_validation
from engine.corpus.opening import open_corpus
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.strategies.base import Strategy
from engine.investigation.strategies.citations import Citations
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of, toy_corpus
from engine.investigation.strategies.extracted import Extracted
from engine.model import Relation
from engine.settings import InvestigationSettings, presets
from tests.engine.corpus.extracted.values import EXCEPTION, read_toy, window


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


def test_an_investigation_quotes_the_words(tmp_path: Path, harbour_folder: Path) -> None:
    folder = tmp_path / "harbour"
    shutil.copytree(harbour_folder, folder)
    corpus = open_corpus(folder)
    everything = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    source = next(passage for passage in everything if "pilot" in passage.text.lower())
    target = next(passage for passage in everything if "pilot" not in passage.text.lower())
    said = Proposal(
        source_id=source.id,
        quote=" ".join(source.text.split()[:4]),
        relation=Relation.EXCEPTION_TO,
        target_id=target.id,
        confidence=0.9,
    )
    add_reading(folder, window(said, document=source.document_id))
    settings = InvestigationSettings(strategies=("extracted",), close_gaps=False)
    breadth = replace(breadth_of(settings), scan=10)
    case = Case(corpus, "Who pays the pilot?", settings, breadth=breadth)
    assert list(case.run())
    hops = [
        hop
        for one in case.ranking
        for trail in one.trails
        for hop in trail
        if hop.strategy == "extracted" and hop.source_id == source.id
    ]
    assert hops
    assert {(hop.relation, hop.quote, hop.detail) for hop in hops} == {
        (Relation.EXCEPTION_TO, said.quote, "read by a model, confidence 0.90, not reviewed")
    }
