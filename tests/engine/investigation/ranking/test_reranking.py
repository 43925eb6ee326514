"""A reranker in a case: the head in a new order, its budget, its notes; a tiny real model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.errors import SettingsError
from engine.investigation import Case
from engine.investigation.pool import Reading
from engine.investigation.ranking import Ranking, reranking
from engine.investigation.ranking.reranking import RERANKER, Reranking, Texts, mixed
from engine.investigation.round import LINKED
from engine.llm import Meter
from engine.llm.base import Asking
from engine.model import RankedPassage
from engine.records.conversion import investigation_to_json
from engine.retrieval.rerank.spec import reranker
from engine.settings import InvestigationSettings
from tests.engine.cross_encoder import write_cross_encoder
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, case_of, finished, ran


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"ce:{write_cross_encoder(tmp_path_factory.mktemp('reranking') / 'tiny')}"


def with_model(spec: str, **changes: object) -> InvestigationSettings:
    return SETTINGS.changed(reranker=spec, **changes)


def ids(case: Case) -> list[str]:
    assert case.order is not None
    return [passage.id for passage in case.corpus.passages(case.order.rows)]


def judgement(ranked: RankedPassage) -> float | None:
    """What the model said of a passage, as its breakdown tells it."""
    for part in ranked.breakdown:
        if part.name == RERANKER:
            return float(part.detail.removeprefix("judged "))
    return None


def test_the_head_is_in_the_order_of_the_model(
    harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "WEIGHT", 1.0)
    plain, model = finished(harbour, QUESTION).order, reranker(spec)
    assert plain is not None
    assert model is not None
    judging = Reranking(QUESTION, spec, Asking(None, Meter()), depth=12)
    order = judging.applied(plain, harbour, Reading(harbour), "en", lambda: False)
    head = plain.rows[:12]
    scores = model.scores(QUESTION, Texts(harbour, Reading(harbour))(head.tolist()))
    best_first = head[np.argsort(-scores, kind="stable")]
    assert order.rows[:12].tolist() == best_first.tolist()
    assert order.rows[12:].tolist() == plain.rows[12:].tolist()
    (note,) = judging.notes
    assert "reranked the best 12 passages in " in note
    np.testing.assert_allclose(order.parts.sum(axis=0), order.scores, atol=1e-5)


def test_the_cards_tell_the_judgement_that_ordered_them(
    harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "WEIGHT", 1.0)
    case = finished(harbour, QUESTION, with_model(spec))
    assert case.notes[-1:] != case.investigation().notes[-1:]
    judged = min(reranking.DEPTH, len(case.pool))
    assert f"reranked the best {judged} passages in " in case.investigation().notes[-1]
    # What the first passage cites comes behind it, whatever its judgement is.
    by_judgement = [
        ranked for ranked in case.ranking if LINKED not in {part.name for part in ranked.breakdown}
    ]
    told = [said for ranked in by_judgement if (said := judgement(ranked)) is not None]
    assert len(told) > 2
    assert told == sorted(told, reverse=True)


def test_no_weight_changes_no_order(harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = finished(harbour, QUESTION)
    assert ids(finished(harbour, QUESTION, with_model(spec))) != ids(plain)
    monkeypatch.setattr(reranking, "WEIGHT", 0.0)
    assert ids(finished(harbour, QUESTION, with_model(spec))) == ids(plain)


def test_a_budget_too_small_for_a_call_reranks_nothing_and_says_so(
    harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = reranker(spec)
    monkeypatch.setattr(model, "expected", lambda question, texts: 11.0)
    monkeypatch.setattr(reranking, "QUICK", 10)
    case = finished(harbour, QUESTION, with_model(spec))
    assert ids(case) == ids(finished(harbour, QUESTION, SETTINGS))
    assert "the budget of 10 ms does not hold one text for ce:" in case.investigation().notes[-1]


def test_a_budget_that_runs_out_keeps_the_judged_above_the_rest(
    harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = reranker(spec)
    asked: list[int] = []

    def expected(question: str, texts: list[str]) -> float:
        asked.append(len(texts))
        return 0.0 if len(asked) <= 2 else 1e9

    monkeypatch.setattr(model, "expected", expected)
    plain = finished(harbour, QUESTION, SETTINGS)
    monkeypatch.setattr(reranking, "QUICK", 5_000)
    case = finished(harbour, QUESTION, with_model(spec))
    assert set(ids(case)[:8]) == set(ids(plain)[:8])
    assert ids(case)[8:] == ids(plain)[8:]
    (note,) = [note for note in case.investigation().notes if "reranked" in note]
    assert note.startswith("reranked the best 8 of ")
    assert note.endswith("; the budget of 5000 ms was used up")


@pytest.mark.parametrize(
    ("spec_of", "words"),
    [("ce:{}/absent", "reranking is off: reranker "), ("ce:{}?languages=de", "does not read 'en'")],
)
def test_a_model_that_cannot_serve_is_off_with_a_note(
    harbour: Corpus, tmp_path: Path, spec_of: str, words: str
) -> None:
    case = finished(harbour, QUESTION, with_model(spec_of.format(tmp_path)))
    assert ids(case) == ids(finished(harbour, QUESTION, SETTINGS))
    assert any(words in note for note in case.investigation().notes)
    assert any(words in note for note in investigation_to_json(case.investigation())["notes"])


def test_a_spec_that_cannot_be_read_opens_no_case(harbour: Corpus) -> None:
    with pytest.raises(SettingsError, match="unknown reranker 'magic'"):
        case_of(harbour, QUESTION, SETTINGS.changed(reranker="magic"))


def test_a_cancelled_case_is_not_reranked(harbour: Corpus, spec: str) -> None:
    case = case_of(harbour, QUESTION, with_model(spec))
    case.cancel()
    ran(case)
    assert case.ranking
    assert all(judgement(ranked) is None for ranked in case.ranking)
    assert "stopped" in case.investigation().notes[-1]


def test_a_pin_asks_the_model_nothing_and_stays_first(
    harbour: Corpus, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = finished(harbour, QUESTION, with_model(spec))
    before, last = case.investigation().notes, case.ranking[-1].passage.id
    monkeypatch.setattr(reranker(spec), "scores", pytest.fail)
    case.pin(last)
    assert ids(case)[0] == last
    assert judgement(case.ranking[0]) is None
    assert case.investigation().notes == before
    case.dismiss(ids(case)[1])
    assert case.investigation().notes == before


def test_a_model_reads_what_stands_around_a_passage(harbour: Corpus) -> None:
    (text,) = Texts(harbour, Reading(harbour))(harbour.rows(["dues-act/art-5"]).tolist())
    around, words = text.split("\n", 1)
    assert words == harbour.passages(harbour.rows(["dues-act/art-5"]))[0].text
    assert "Dues" in around
    assert " > " in around


def toy(scores: list[float]) -> Ranking:
    own = np.sort(np.array(scores, np.float32))[::-1]
    return Ranking(np.arange(len(own), dtype=np.int32), own, ("question",), own[None, :].copy(), {})


@given(
    scores=st.lists(st.floats(0.0, 1.0, width=32), min_size=3, max_size=12),
    judged=st.lists(st.floats(-12.0, 12.0, width=32), min_size=2, max_size=3),
    weight=st.floats(0.0, 1.0),
)
def test_what_was_judged_stays_within_its_own_scores(
    scores: list[float], judged: list[float], weight: float
) -> None:
    ranking, count = toy(scores), len(judged)
    found = mixed(ranking, range(count), np.array(judged, np.float32), weight)
    assert set(found.rows[:count].tolist()) == set(range(count))
    assert found.rows[count:].tolist() == list(range(count, len(scores)))
    assert (np.diff(found.scores) <= 1e-6).all()
    np.testing.assert_allclose(found.parts.sum(axis=0), found.scores, atol=1e-5)


def test_equal_judgements_change_nothing() -> None:
    ranking = toy([0.9, 0.5, 0.1])
    assert mixed(ranking, [0, 1], np.array([3.0, 3.0], np.float32), 1.0) is ranking
