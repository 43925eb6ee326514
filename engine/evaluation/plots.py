"""Plots of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go

from engine.errors import InputError
from engine.evaluation.ablation import Ablation, Variant
from engine.evaluation.metrics import EDGES, Ranking, recall_by_size
from engine.evaluation.metrics import precision_recall as points_of
from engine.evaluation.metrics import recall_by_round as by_round
from engine.evaluation.metrics import reliability as bins_of
from engine.evaluation.results import QuestionResult

# What all plots share: colours, axes, the frame.
#
# A trace's ``meta`` names its colour as a token of the page's style sheet, so that the page can
# put in the values of the theme that is on; the colours here are those of the light theme (Okabe
# and Ito 2008).

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


# What each part adds: bars with the interval of the paired bootstrap.

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


# Precision at each level of recall, interpolated at eleven points.


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


# Recall against the number of passages read, best first: what the next hundred passages would
# bring.


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


# Recall of the pool after the scan and after each round, beside how many passages it took.


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


# Does "90 % complete" mean 90 %: what the estimate said against what the pool held.

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


# All plots of a run, and the files they are written to.

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


# Plots of an evaluation, one a file, and all of them as files that need nothing else.

__all__ = ["all_plots", "write_plots"]
