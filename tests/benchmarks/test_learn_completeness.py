"""The script that learns the estimate of completeness: what it observes and what it says of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.learn_completeness import Observed, ask, figures, report
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.evaluation import Question
from engine.evaluation.learning_completeness import Observation
from engine.ingestion.build import build_corpus
from engine.investigation.completeness.evidence import SIGNS
from engine.settings import InvestigationSettings
from tests.engine.harbour import write_harbour


def observed(count: int = 120) -> list[Observed]:
    """Questions that the more ways found, the more of their gold was held."""
    made = np.random.default_rng(5)
    return [
        Observed(
            Observation("a", f"question {number}", {"ways": ways}, float(made.random() < ways)),
            True,
            1.0,
            True,
        )
        for number, ways in enumerate(made.random(count).tolist())
    ]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The harbour's law, with vectors of the packaged model."""
    root = tmp_path_factory.mktemp("harbour")
    build_corpus([write_harbour(root / "sources", ontology=False)], root / "harbour", embedding="minilm")
    return open_corpus(root / "harbour")


def test_each_round_of_a_case_is_observed(harbour: Corpus) -> None:
    passages = harbour.passages(np.arange(len(harbour), dtype=np.int32))
    names = [passage.source_id for passage in passages]
    question = Question("q", "What interest do dues in arrears bear?", {names[0]: 1.0, "nowhere": 1.0})
    settings = InvestigationSettings(rounds=1, pool_size=10)
    states = ask(harbour, names, question, settings, "set")
    assert len(states) >= 2
    assert [state.last for state in states] == [False] * (len(states) - 1) + [True]
    for state in states:
        assert state.dense
        assert state.seen.held in (0.0, 0.5)
        assert state.seen.values.keys() <= SIGNS.keys()


def test_what_cannot_be_told_is_not_observed(harbour: Corpus) -> None:
    names = [passage.source_id for passage in harbour.passages(np.arange(len(harbour), dtype=np.int32))]
    question = Question("q", "What interest do dues in arrears bear?", {names[0]: 1.0})
    assert ask(harbour, names, question, InvestigationSettings(retrievers=("bm25",)), "set") == []


def test_the_line_of_figures() -> None:
    some = observed(4)
    said = np.array([0.95, 0.95, 0.7, 0.5])
    line = figures(some, said, np.zeros(4), np.ones(4))
    assert line.startswith("n 4 held ")
    assert ">=.9: 2 hold" in line
    assert "<.6: 1 hold" in line
    assert "in interval 1.000 width 1.00" in line


def test_the_report_estimates_each_half_by_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    report(observed())
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["end", "Chao1", "every", "Chao1", "a", "Chao1"]
    assert float(lines[0].split("corr ")[1].split()[0]) > 0.3
