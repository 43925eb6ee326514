"""Precision at each level of recall, interpolated at eleven points."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from engine.evaluation.curves import precision_recall as points_of
from engine.evaluation.plots.style import RANKINGS, SHARE, frame, line
from engine.evaluation.results import QuestionResult


def precision_recall(results: Sequence[QuestionResult]) -> go.Figure:
    """One line for the scan, one for the investigation."""
    figure = frame("Precision and recall", "recall", "precision")
    figure.update_xaxes({**SHARE, "range": [-0.02, 1.02]})
    figure.update_yaxes(SHARE)
    for name, ranking, token in RANKINGS:
        points = points_of(results, ranking)
        levels, precisions = [level for level, _ in points], [precision for _, precision in points]
        told = "%{y:.1%} precise at a recall of %{x:.0%}"
        figure.add_trace(line(name, levels, precisions, token, hovertemplate=told))
    return figure
