"""Cross-encoders that run in this process: a tiny one for real, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.retrieval.rerank import spec
from engine.retrieval.rerank.base import Reranker, reads
from engine.retrieval.rerank.contract import QUESTION, TEXTS, RerankerContract
from engine.retrieval.rerank.spec import CrossEncoderReranker, load_cross_encoder
from tests.engine.cross_encoder import write_cross_encoder


@pytest.mark.slow
class TestTiny(RerankerContract):
    @pytest.fixture(scope="class")
    @staticmethod
    def model(model_folder: Path) -> Reranker:
        return CrossEncoderReranker(f"ce:{model_folder}", str(model_folder))


def test_scores_are_those_of_the_library(model_folder: Path) -> None:
    from sentence_transformers import CrossEncoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = CrossEncoder(str(model_folder), device="cpu")
    expected = plain.predict([(QUESTION, text) for text in TEXTS], show_progress_bar=False)
    found = CrossEncoderReranker("ce:x", str(model_folder)).scores(QUESTION, TEXTS)
    np.testing.assert_allclose(found, expected, atol=2e-2)
    assert np.ptp(found) > 0.05, "texts are told apart"


def test_nothing_is_loaded_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec, "load_cross_encoder", pytest.fail)
    model = CrossEncoderReranker("ce:x", "x", languages=frozenset({"en"}))
    assert (reads(model, "en"), reads(model, "de"), reads(model, "und")) == (True, False, True)


def test_a_length_cuts_question_and_text(model_folder: Path) -> None:
    long = "dues are paid in advance by the master of the vessel " * 4
    short = CrossEncoderReranker("ce:x", str(model_folder), tokens=16)
    assert short.scores(QUESTION, [long]).tolist() == short.scores(QUESTION, [long + " pilot"]).tolist()
    assert load_cross_encoder(str(model_folder), 100_000).max_seq_length == 128


def test_it_learns_how_fast_it_is(model_folder: Path) -> None:
    model = CrossEncoderReranker("ce:x", str(model_folder))
    expected = model.expected(QUESTION, ["a fee"])
    assert expected > 0
    assert model.expected(QUESTION, ["a fee"] * 4) == pytest.approx(4 * expected, rel=0.01)


@pytest.mark.parametrize(
    ("labels", "head", "message"),
    [
        (3, True, "gives 3 scores for a pair; it must give one"),
        (1, False, "is no cross-encoder: BertModel holds nothing that judges a pair"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, labels: int, head: bool, message: str) -> None:
    folder = write_cross_encoder(tmp_path / "model", labels=labels, head=head)
    with pytest.raises(ModelError, match=message):
        CrossEncoderReranker("ce:x", str(folder)).load()


def test_what_cannot_be_loaded_is_named_in_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(ModelError, match="cannot be loaded; ") as caught:
            load_cross_encoder(str(folder))
        assert "\n" not in str(caught.value)


def test_a_failure_is_remembered_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def absent(name: str, tokens: int | None) -> None:
        tried.append(name)
        raise ModelError("not there")

    monkeypatch.setattr(spec, "load_cross_encoder", absent)
    model = CrossEncoderReranker("ce:x", "x")
    for _ in range(3):
        with pytest.raises(ModelError, match="not there"):
            model.scores(QUESTION, TEXTS)
    assert tried == ["x"]
    monkeypatch.setattr(spec, "RETRY_AFTER", 0.0)
    with pytest.raises(ModelError, match="not there"):
        model.load()
    assert len(tried) == 2
