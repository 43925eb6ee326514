"""All plots of a run, and the files they are written to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import plotly
import plotly.graph_objects as go

from engine.errors import InputError
from engine.evaluation.ablation import Ablation
from engine.evaluation.plots.ablation import ablation_bars
from engine.evaluation.plots.precision_recall import precision_recall
from engine.evaluation.plots.recall_by_pool_size import recall_by_pool_size
from engine.evaluation.plots.recall_by_round import recall_by_round
from engine.evaluation.plots.reliability import reliability
from engine.evaluation.results import QuestionResult

SCRIPT = "plotly.min.js"


def all_plots(results: Sequence[QuestionResult], ablation: Ablation | None = None) -> dict[str, go.Figure]:
    """Every plot by the name of its file; the reliability plot only where estimates were made."""
    found = {
        "recall_by_pool_size": recall_by_pool_size(results),
        "recall_by_round": recall_by_round(results),
        "precision_recall": precision_recall(results),
    }
    if any(result.completeness is not None for result in results):
        found["reliability"] = reliability(results)
    if ablation is not None:
        found["ablation"] = ablation_bars(ablation)
    return found


def write_plots(figures: Mapping[str, go.Figure], folder: Path) -> None:
    """Write each figure as a page and as plotly's JSON; the script they share lies beside the pages,
    so that they open without a network. Raises InputError where the folder cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        script = Path(plotly.__file__).resolve().parent / "package_data" / SCRIPT
        (folder / SCRIPT).write_bytes(script.read_bytes())
        for name, figure in figures.items():
            page = figure.to_html(
                include_plotlyjs=SCRIPT,
                full_html=True,
                div_id=name,
                config={"displayModeBar": False, "responsive": True},
            )
            (folder / f"{name}.html").write_text(page, encoding="utf-8")
            (folder / f"{name}.json").write_text(figure.to_json(), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write plots to {folder}: {error}") from error
