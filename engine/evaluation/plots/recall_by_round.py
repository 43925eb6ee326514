"""Recall of the pool after the scan and after each round, beside how many passages it took."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from engine.evaluation.curves import recall_by_round as by_round
from engine.evaluation.plots.style import BACK, COLOURS, FINAL, POOL, SHARE, frame, line
from engine.evaluation.results import QuestionResult


def recall_by_round(results: Sequence[QuestionResult]) -> go.Figure:
    """Lines: mean recall and share of complete pools. Bars, on the right: mean size of the pool."""
    figure = frame("Recall by round", "round", "share of the gold, of the pools")
    rounds = by_round(results)
    names = ["scan" if found.number == 0 else str(found.number) for found in rounds]
    figure.add_trace(
        go.Bar(
            x=names,
            y=[round(found.size, 1) for found in rounds],
            name="passages",
            yaxis="y2",
            meta=BACK,
            marker={"color": COLOURS[BACK]},
            opacity=0.55,
            width=0.5,
            hovertemplate="%{y:.0f} passages",
        )
    )
    recall, complete = [found.recall for found in rounds], [found.complete for found in rounds]
    told = "%{y:.1%} after %{x}"
    figure.add_trace(line("recall", list(names), recall, FINAL, hovertemplate=told))
    figure.add_trace(line("complete", list(names), complete, POOL, hovertemplate=told))
    figure.update_layout(
        yaxis={**SHARE, "dtick": 0.2, "overlaying": "y2", "side": "left"},
        yaxis2={
            "side": "right",
            "showgrid": False,
            "title": {"text": "passages", "font": {"size": 12}},
            "fixedrange": True,
        },
        xaxis={"type": "category"},
        margin={"r": 56},
    )
    return figure
