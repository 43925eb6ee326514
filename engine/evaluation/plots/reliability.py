"""Does "90 % complete" mean 90 %: what the estimate said against what the pool held."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from engine.evaluation.calibration import EDGES
from engine.evaluation.calibration import reliability as bins_of
from engine.evaluation.plots.style import COLOURS, FINAL, GUIDE, SHARE, frame
from engine.evaluation.results import QuestionResult

SMALLEST, LARGEST = 8.0, 34.0


def reliability(results: Sequence[QuestionResult], edges: Sequence[float] = EDGES) -> go.Figure:
    """A dot for each bin of estimates, as large as the questions in it are many, labelled with their
    number; on the diagonal the estimate keeps its word, below it promises too much."""
    figure = frame("Is the estimate of completeness right?", "said: estimated completeness", "held: recall")
    figure.update_xaxes({**SHARE, "range": [-0.02, 1.05]})
    figure.update_yaxes({**SHARE, "range": [0, 1.12]})
    figure.add_trace(
        go.Scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="as said", meta=GUIDE, hoverinfo="skip",
            line={"color": COLOURS[GUIDE], "dash": "dash", "width": 1.5},
        )
    )  # fmt: skip
    bins = bins_of(results, edges)
    most = max((found.questions for found in bins), default=1)
    figure.add_trace(
        go.Scatter(
            x=[found.said for found in bins],
            y=[found.held for found in bins],
            text=[f"{found.questions:,}" for found in bins],
            customdata=[f"{found.low:.0%} to {found.high:.0%}" for found in bins],
            name="questions",
            mode="markers+text",
            textposition="top center",
            cliponaxis=False,
            meta=FINAL,
            marker={
                "color": COLOURS[FINAL],
                "size": [max(SMALLEST, LARGEST * (found.questions / most) ** 0.5) for found in bins],
                "opacity": 0.75,
            },
            hovertemplate="said %{customdata} (mean %{x:.1%}): held %{y:.1%}, %{text} questions",
        )
    )
    return figure
