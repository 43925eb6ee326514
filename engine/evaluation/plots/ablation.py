"""What each part adds: bars with the interval of the paired bootstrap."""

from __future__ import annotations

import plotly.graph_objects as go

from engine.evaluation.ablation import Ablation, Variant
from engine.evaluation.plots.style import COLOURS, FINAL, SECOND, frame

ROW_HEIGHT, AROUND = 30, 120


def ablation_bars(ablation: Ablation, measures: tuple[str, str] = ("recall@10", "pool recall")) -> go.Figure:
    """A pair of bars for each strategy, retriever and round, in points of 100; to the right of 0 it
    earns its place. What was run alone is not drawn."""
    rows = [row for row in ablation.rows if row.variant.role != "alone"][::-1]
    figure = frame("What each part adds", "points of 100, with 95 % interval", "")
    for measure, token in zip(measures, (FINAL, SECOND), strict=True):
        found = [row.differences[measure] for row in rows]
        figure.add_trace(
            go.Bar(
                y=[_part(row.variant) for row in rows],
                x=[100 * value.difference for value in found],
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [100 * (value.high - value.difference) for value in found],
                    "arrayminus": [100 * (value.difference - value.low) for value in found],
                    "thickness": 1,
                    "width": 3,
                },
                customdata=[f"p {value.p:.3f}" for value in found],
                name=measure,
                orientation="h",
                meta=token,
                marker={"color": COLOURS[token]},
                hovertemplate="%{y}: %{x:+.1f}, %{customdata}",
            )
        )
    figure.update_layout(
        height=AROUND + ROW_HEIGHT * max(len(rows), 3),
        barmode="group",
        yaxis={"automargin": True, "fixedrange": True, "type": "category"},
    )
    return figure


def _part(variant: Variant) -> str:
    if variant.kind == "round":
        return "all rounds" if variant.role == "without" else variant.label
    return f"{variant.name} (off)" if variant.role == "with" else variant.name
