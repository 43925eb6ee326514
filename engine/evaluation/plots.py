"""Plots of an evaluation.

A trace's ``meta`` names its colour as a token of the page's style sheet, so that the page can apply its
theme; the colours here are those of the light theme (Okabe and Ito 2008).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go

from engine.errors import InputError
from engine.evaluation.ablation import Ablation, Variant
from engine.evaluation.metrics import EDGES, QuestionResult, Ranking, recall_by_size
from engine.evaluation.metrics import precision_recall as points_of
from engine.evaluation.metrics import recall_by_round as by_round
from engine.evaluation.metrics import reliability as bins_of

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
# The two rankings: name, kind, colour.
RANKINGS: tuple[tuple[str, Ranking, str], ...] = (("scan", "scan", SCAN), ("investigation", "final", FINAL))
SHARE = {"range": [0, 1.02], "tickformat": ".0%", "fixedrange": True}


def frame(title: str, x: str, y: str, **axes: Any) -> go.Figure:
    """Return an empty figure with a title and axis names; ``axes`` are passed to the layout."""
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
    """Return a line with a dot at each point."""
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


ROW_HEIGHT, AROUND = 30, 120


def ablation_bars(ablation: Ablation, measures: tuple[str, str] = ("recall@10", "pool recall")) -> go.Figure:
    """Plot pairs of bars, with the interval of the paired bootstrap, for each strategy, retriever and round,
    in points of 100; bars to the right of 0 are gains. Variants run alone are not plotted."""
    rows = [row for row in ablation.rows if row.variant.role != "alone"][::-1]
    figure = frame("What each part adds", "points of 100, with 95% interval", "")
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


def precision_recall(results: Sequence[QuestionResult]) -> go.Figure:
    """Plot interpolated precision at eleven levels of recall, for the scan and the investigation."""
    figure = frame("Precision and recall", "recall", "precision")
    figure.update_xaxes({**SHARE, "range": [-0.02, 1.02]})
    figure.update_yaxes(SHARE)
    for name, ranking, token in RANKINGS:
        points = points_of(results, ranking)
        levels, precisions = [level for level, _ in points], [precision for _, precision in points]
        template = "%{y:.1%} precise at a recall of %{x:.0%}"
        figure.add_trace(line(name, levels, precisions, token, hovertemplate=template))
    return figure


def recall_by_pool_size(results: Sequence[QuestionResult]) -> go.Figure:
    """Plot mean recall by number of passages read, for the scan and for the final ranking of the pool."""
    figure = frame("Recall by passages read", "passages, best first", "recall of gold")
    figure.update_xaxes(type="log", dtick=1, minor={"showgrid": False})
    figure.update_yaxes(SHARE)
    for name, ranking, token in RANKINGS:
        points = recall_by_size(results, ranking)
        sizes, shares = [size for size, _ in points], [share for _, share in points]
        figure.add_trace(line(name, sizes, shares, token, hovertemplate="%{y:.1%} in the best %{x}"))
    return figure


def recall_by_round(results: Sequence[QuestionResult]) -> go.Figure:
    """Plot mean recall and share of complete pools by round as lines, mean pool size as bars on the right."""
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
    template = "%{y:.1%} after %{x}"
    figure.add_trace(line("recall", list(names), recall, FINAL, hovertemplate=template))
    figure.add_trace(line("complete", list(names), complete, POOL, hovertemplate=template))
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


SMALLEST, LARGEST = 8.0, 34.0


def reliability(results: Sequence[QuestionResult], edges: Sequence[float] = EDGES) -> go.Figure:
    """Plot a dot for each bin of estimates, sized by its number of questions and labelled with it; dots below
    the diagonal are overestimates."""
    figure = frame("Is the estimate of completeness right?", "estimated completeness", "actual recall")
    figure.update_xaxes({**SHARE, "range": [-0.02, 1.05]})
    figure.update_yaxes({**SHARE, "range": [0, 1.12]})
    figure.add_trace(
        go.Scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="calibrated", meta=GUIDE, hoverinfo="skip",
            line={"color": COLOURS[GUIDE], "dash": "dash", "width": 1.5},
        )
    )  # fmt: skip
    bins = bins_of(results, edges)
    most = max((found.questions for found in bins), default=1)
    figure.add_trace(
        go.Scatter(
            x=[found.estimate for found in bins],
            y=[found.recall for found in bins],
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
            hovertemplate="estimated %{customdata} (mean %{x:.1%}): actual %{y:.1%}, %{text} questions",
        )
    )
    return figure


SCRIPT = "plotly.min.js"


def all_plots(results: Sequence[QuestionResult], ablation: Ablation | None = None) -> dict[str, go.Figure]:
    """Return every plot by file name; the reliability plot only if there are estimates."""
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
    """Write each figure as a page and as plotly's JSON; the shared script is next to the pages, so that they
    open without a network. Raises InputError if the folder cannot be written."""
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


__all__ = ["all_plots", "write_plots"]
