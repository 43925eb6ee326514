"""Recall against the number of passages read, best first: what the next hundred passages would bring."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from engine.evaluation.curves import recall_by_size
from engine.evaluation.plots.style import RANKINGS, SHARE, frame, line
from engine.evaluation.results import QuestionResult


def recall_by_pool_size(results: Sequence[QuestionResult]) -> go.Figure:
    """Mean recall over the questions for the scan and for the pool in the order of the final ranking."""
    figure = frame("Recall by passages read", "passages, best first", "recall of gold")
    figure.update_xaxes(type="log", dtick=1, minor={"showgrid": False})
    figure.update_yaxes(SHARE)
    for name, ranking, token in RANKINGS:
        points = recall_by_size(results, ranking)
        sizes, shares = [size for size, _ in points], [share for _, share in points]
        figure.add_trace(line(name, sizes, shares, token, hovertemplate="%{y:.1%} in the best %{x}"))
    return figure
