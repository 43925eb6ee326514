"""Leaving out and leaving alone: which variants there are, and what their rows say."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.evaluation import Question
from engine.evaluation.ablation import ABLATED_MEASURES, ablate, variants
from engine.settings import InvestigationSettings
from tests.engine.investigation.story import SETTINGS

QUESTIONS = [
    Question("q1", "What interest do dues in arrears bear?", {"dues-act/art-5": 1.0}),
    Question("q2", "Who takes a pilot?", {"harbour-act/art-6/para-1": 1.0}),
]


def test_every_part_is_left_out_and_every_round_counted() -> None:
    settings = InvestigationSettings(strategies=("citations", "entities"), rounds=2)
    found = {variant.label: variant.settings for variant in variants(settings)}
    assert found["without citations"].strategies == ("entities",)
    assert found["only citations"].strategies == ("citations",)
    assert not found["only citations"].close_gaps
    assert not found["without gaps"].close_gaps
    assert (found["only gaps"].strategies, found["only gaps"].close_gaps) == ((), True)
    # What is off by default has to show what it would bring.
    assert found["with semantic"].strategies == ("citations", "entities", "semantic")
    assert found["without rounds"].rounds == 0
    assert [found[f"round {number}"].rounds for number in (1, 2)] == [1, 2]
    assert found["without views"].query_strategy == "precision"


def test_only_retrievers_that_search_are_left_out() -> None:
    settings = InvestigationSettings(retrievers=("bm25", "dense", "sparse"))
    labels = [v.label for v in variants(settings) if v.kind == "retriever"]
    assert len(labels) == 6
    assert "only sparse" in labels
    both = {v.label: v.settings for v in variants(settings, {"bm25", "dense"}) if v.kind == "retriever"}
    assert {label: found.retrievers for label, found in both.items()} == {
        "without bm25": ("dense",),
        "without dense": ("bm25",),
    }
    assert not [v for v in variants(settings, {"bm25"}) if v.kind == "retriever"]


def test_what_is_off_is_not_left_out() -> None:
    settings = InvestigationSettings(strategies=(), rounds=0, close_gaps=False, query_strategy="precision")
    assert {variant.role for variant in variants(settings, {"bm25"})} == {"with"}


def test_rows_of_a_run(bare: Corpus) -> None:
    told: list[tuple[str, int, int]] = []
    settings = SETTINGS.changed(strategies=("citations",), rounds=2, close_gaps=False)
    found = ablate(bare, QUESTIONS, settings, progress=lambda *step: told.append(step))
    rows = {row.variant.label: row for row in found.rows}
    assert found.questions == 2
    assert found.full.keys() == set(ABLATED_MEASURES)
    # All rounds together bring what each one brings.
    for measure in ABLATED_MEASURES:
        together = rows["without rounds"].differences[measure].difference
        one_by_one = [rows[f"round {n}"].differences[measure].difference for n in (1, 2)]
        assert abs(together - sum(one_by_one)) < 1e-9
    assert rows["round 2"].means == found.full
    # The only strategy there is, alone, is all there is.
    assert rows["only citations"].differences["recall@10"].difference == 0.0
    assert rows["without citations"].mean_size <= rows["only citations"].mean_size
    assert told[:2] == [("full", 1, 2), ("full", 2, 2)]
    # The full number of rounds is not run a second time.
    assert "round 2" not in {label for label, _, _ in told}
    assert found.to_json()["rows"][0]["differences"]["recall@10"].keys() >= {"difference", "low", "high", "p"}
