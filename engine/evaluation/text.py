"""An evaluation in words and columns, for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.evaluation.ablation import ABLATED_MEASURES

_STAR = "* 95 % interval of the paired bootstrap leaves out 0, and p is below .05 by randomisation"


def evaluation_text(told: Mapping[str, Any]) -> Iterator[str]:
    """Lines for an evaluation's JSON: the means, then the comparison, then the ablation."""
    for name, figures in told.items():
        if name == "comparison":
            yield from _comparison(figures)
        elif name == "ablation":
            yield from _ablation(figures)
        elif isinstance(figures, Mapping):
            yield f"{name:14}" + "  ".join(f"{key} {value:g}" for key, value in figures.items())
        else:
            yield f"{name:14}{figures}"


def _comparison(told: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"against the other run, {told['questions']:,} questions"
    yield f"{'':16}{'this':>8}{'other':>8}{'less':>9}   {'95 % interval':20}p"
    for name, found in told["differences"].items():
        interval = f"[{found['low']:+.4f}, {found['high']:+.4f}]"
        means = f"{found['ours']:8.4f}{found['theirs']:8.4f}{found['difference']:+9.4f}"
        yield f"{name:16}{means}   {interval:20}{found['p']:.4f}"


def _ablation(told: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"what each part adds, {told['questions']:,} questions, in points of 100"
    yield f"{'':24}" + "".join(f"{name:>13}" for name in ABLATED_MEASURES) + f"{'pool':>8}{'ms':>7}"
    full = "".join(f"{100 * told['full'][name]:>12.1f} " for name in ABLATED_MEASURES)
    yield f"{'full settings':24}{full}"
    for row in told["rows"]:
        cells = "".join(_points(row["differences"][name]) for name in ABLATED_MEASURES)
        yield f"{row['label']:24}{cells}{row['mean_size']:>8.0f}{row['milliseconds']:>7.0f}"
    yield "without a part: the full settings less that run; a round: the run with it less the one before;"
    yield "only a part, or with one that is off: that run less the full settings"
    yield _STAR


def _points(found: Mapping[str, float]) -> str:
    sure = found["p"] < 0.05 and not found["low"] <= 0.0 <= found["high"]
    return f"{100 * found['difference']:>+12.1f}{'*' if sure else ' '}"
