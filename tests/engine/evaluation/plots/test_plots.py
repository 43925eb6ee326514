"""Plots: every one draws what the curves say, in colours the page knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.evaluation.ablation import Ablation, AblationRow, Variant
from engine.evaluation.compare import paired
from engine.evaluation.plots import COLOURS, all_plots, write_plots
from engine.settings import InvestigationSettings
from tests.engine.evaluation.values import result

RESULTS = [result("q1", [1, 4], rounds=[0, 1], scan=[2, None]), result("q2", [None], said=0.5)]


def ablation() -> Ablation:
    differences = {"recall@10": paired([1.0, 0.5], [0.5, 0.5]), "pool recall": paired([1.0], [1.0])}
    rows = [
        AblationRow(Variant(kind, name, role, InvestigationSettings()), {}, differences, 10.0, 5.0)
        for kind, name, role in (
            ("strategy", "citations", "without"),
            ("strategy", "citations", "alone"),
            ("round", "rounds", "without"),
            ("round", "1", "up to"),
        )
    ]
    return Ablation(2, {}, rows)


def test_all_plots_in_known_colours() -> None:
    figures = all_plots(RESULTS, ablation())
    names = ["recall_by_pool_size", "recall_by_round", "precision_recall", "reliability", "ablation"]
    assert list(figures) == names
    for figure in figures.values():
        assert figure.data
        assert {trace.meta for trace in figure.data} <= COLOURS.keys()
        assert figure.layout.title.text


def test_recall_by_round_has_its_sizes_beside_it() -> None:
    size, recall, complete = all_plots(RESULTS)["recall_by_round"].data
    assert list(size.y) == [10.0, 20.0]
    assert (list(recall.y), list(complete.y)) == ([0.25, 0.5], [0.0, 0.5])
    assert list(recall.x) == ["scan", "1"]


def test_reliability_counts_its_questions_and_is_left_out_without_estimates() -> None:
    diagonal, dots = all_plots(RESULTS)["reliability"].data
    assert list(diagonal.x) == [0, 1]
    assert list(dots.text) == ["1", "1"]
    assert list(dots.y) == [0.0, 1.0]
    assert "reliability" not in all_plots([result("q", [1], said=None)])


def test_ablation_draws_what_was_left_out_and_the_rounds() -> None:
    bars = all_plots(RESULTS, ablation())["ablation"].data[0]
    assert list(bars.y) == ["round 1", "all rounds", "citations"]
    assert list(bars.x) == [25.0, 25.0, 25.0]
    assert bars.error_x.array[0] == 25.0


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write plots"):
        write_plots({}, tmp_path / "file" / "plots")
