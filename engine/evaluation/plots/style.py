"""What all plots share: colours, axes, the frame.

A trace's ``meta`` names its colour as a token of the page's style sheet, so that the page can put in
the values of the theme that is on; the colours here are those of the light theme (Okabe and Ito 2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from engine.evaluation.curves import Ranking

COLOURS: Mapping[str, str] = {
    "scan": "#7a7a7a",
    "accent": "#b3261e",
    "meta": "#0072b2",
    "cite": "#d55e00",
    "ent": "#009e73",
    "line": "#c9c5bb",
    "soft": "#6b6a66",
}
SCAN, FINAL, POOL, SECOND, GUIDE, BACK = "scan", "accent", "meta", "ent", "soft", "line"
# How the two rankings are called, which they are, their colours.
RANKINGS: tuple[tuple[str, Ranking, str], ...] = (("scan", "scan", SCAN), ("investigation", "final", FINAL))
SHARE = {"range": [0, 1.02], "tickformat": ".0%", "fixedrange": True}


def frame(title: str, x: str, y: str, **axes: Any) -> go.Figure:
    """An empty figure with its title and the names of its axes; ``axes`` go to the layout as they are."""
    figure = go.Figure()
    figure.update_layout(
        title={"text": title, "x": 0.02, "xanchor": "left", "font": {"size": 15}},
        template="plotly_white",
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#1d1d1f"},
        margin={"l": 56, "r": 20, "t": 48, "b": 52},
        height=380,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right"},
        hovermode="closest",
        xaxis={"title": {"text": x, "font": {"size": 12}}, "fixedrange": True},
        yaxis={"title": {"text": y, "font": {"size": 12}}},
        **axes,
    )
    return figure


def line(name: str, x: list[Any], y: list[float], token: str, **more: Any) -> go.Scatter:
    """A line with a dot at each point."""
    return go.Scatter(
        x=x,
        y=y,
        name=name,
        mode="lines+markers",
        meta=token,
        line={"color": COLOURS[token], "width": 2},
        marker={"color": COLOURS[token], "size": 6},
        **more,
    )
