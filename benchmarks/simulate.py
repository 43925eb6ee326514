"""Play experts from gold judgements: what their verdicts would teach the ranking.

    python -m benchmarks.simulate --corpus DIR --queries FILE --qrels FILE [--second] [--curve FILE] [--json]

One half of the questions is judged, the other half measured, and the other way round.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import printed
from engine.cli.settings import add_settings, settings_from
from engine.errors import InputError

if TYPE_CHECKING:
    from benchmarks.simulated_experts import Asked, Point

# Judged passages after which a curve says what was learned.
BUDGETS = (50, 100, 200, 500, 1000, 2000, 4000)
# Of the lines of a curve, red, green and blue.
COLOURS = ("31, 90, 160", "190, 95, 20")


def main() -> None:
    """Read the options and simulate."""
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_settings(command)
    gold = command.add_argument_group("gold")
    gold.add_argument("--queries", type=Path, required=True, metavar="FILE", help="JSON lines, id and text")
    gold.add_argument(
        "--qrels", type=Path, required=True, metavar="FILE", help="judgements, BEIR's or TREC's"
    )
    gold.add_argument("--most", type=int, metavar="N", help="N questions at even distances")
    gold.add_argument(
        "--also", type=Path, nargs=2, action="append", default=[], metavar=("QUERIES", "QRELS"),
        help="other questions on which it is measured too",
    )  # fmt: skip
    experts = command.add_argument_group("experts")
    experts.add_argument("--experts", type=int, default=3, metavar="N", help="how many (default 3)")
    experts.add_argument(
        "--noise", type=float, default=0.1, metavar="P", help="share of wrong verdicts (0.1)"
    )
    experts.add_argument(
        "--fatigue", type=float, default=0.0, metavar="P", help="added to it with each hundred verdicts (0)"
    )
    experts.add_argument(
        "--second", action="store_true", help="what is called relevant is looked at by a second, or third"
    )
    experts.add_argument("--best", type=int, default=20, metavar="N", help="best passages judged (20)")
    experts.add_argument("--random", type=int, default=10, metavar="N", help="others judged (10)")
    experts.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, other mistakes")
    command.add_argument("--curve", type=Path, metavar="FILE", help="write learning curves as a page")
    command.add_argument("--json", action="store_true", help="print as JSON")
    try:
        simulate(command.parse_args())
    except InputError as error:
        raise SystemExit(f"simulate: {error}") from error


def simulate(options: argparse.Namespace) -> None:
    """Play experts on each half, and measure the other."""
    from benchmarks.simulated_experts import (
        METRICS,
        Drawing,
        Experts,
        asked,
        curve,
        difference,
        halves,
        judged,
        taught,
    )
    from engine.corpus import open_corpus
    from engine.evaluation.choosing import chosen
    from engine.evaluation.questions import read_questions

    experts = Experts(options.experts, options.noise, options.fatigue, options.second, options.seed)
    if options.best < 1 or options.random < 0:
        raise InputError("--best is 1 or more, --random 0 or more")
    if options.curve is not None and not options.curve.resolve().parent.is_dir():
        raise InputError(f"--curve {options.curve}: there is no folder {options.curve.parent}")
    drawing, settings = Drawing(options.best, options.random), settings_from(options)
    corpus = open_corpus(options.corpus)

    def read(queries: Path, qrels: Path) -> list[Asked]:
        questions = chosen(read_questions(queries, qrels), None, None, options.most)
        return list(asked(corpus, questions, settings))

    both = halves(read(options.queries, options.qrels))
    others = {str(queries.parent.name or queries): read(queries, qrels) for queries, qrels in options.also}
    found: list[dict[str, Any]] = []
    for judging, left in (both, both[::-1]):
        seen, counts = judged(judging, experts, drawing)
        what, learned = taught(corpus, seen, sum(counts), left)
        also = {
            name: {metric: asdict(difference(corpus, own, learned, metric)) for metric in METRICS}
            for name, own in others.items()
        }
        found.append({**asdict(what), "questions": len(judging), "measured": len(left), "also": also})
    if options.curve is None:
        printed(options, {"halves": found}, _lines(found))
        return
    curves = {
        name: list(curve(corpus, both, experts, drawing, BUDGETS, active=active))
        for name, active in (("the most telling first", True), ("at random", False))
    }
    plain = {name: [asdict(one) for one in points] for name, points in curves.items()}
    printed(options, {"halves": found, "curves": plain}, (*_lines(found), *_curve_lines(plain)))
    _draw(curves, sum(map(len, both)), options.curve)
    print(f"written: {options.curve}", file=sys.stderr)


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for number, one in enumerate(found, 1):
        yield (
            f"half {number}: {one['verdicts']:,} verdicts on {one['passages']:,} passages of "
            f"{one['questions']:,} questions; what counts: {one['kind']}, at {one['strength']:g}"
        )
        yield from _figures(f"the other {one['measured']:,} questions", one["figures"])
        for name, figures in one["also"].items():
            yield from _figures(name, figures)


def _curve_lines(curves: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    for name, points in curves.items():
        yield f"judged passages of each half, {name}:"
        for one in points:
            gain = one["figures"]["recall@10"]
            interval = f"({gain['low']:+.3f} to {gain['high']:+.3f})"
            yield f"  {one['passages']:6,}  {gain['difference']:+.3f} {interval}"


def _figures(of: str, figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for metric, one in figures.items():
        yield (
            f"  {metric:12}{one['theirs']:.3f} -> {one['ours']:.3f}, {one['difference']:+.3f} "
            f"({one['low']:+.3f} to {one['high']:+.3f})  {of}"
        )


def _draw(curves: Mapping[str, list[Point]], questions: int, path: Path) -> None:
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, points), colour in zip(curves.items(), COLOURS, strict=True):
        passages = [one.passages for one in points]
        gains = [one.figures["recall@10"] for one in points]
        figure.add_scatter(
            x=[*passages, *reversed(passages)],
            y=[*(100 * one.high for one in gains), *(100 * one.low for one in reversed(gains))],
            mode="lines", fill="toself", fillcolor=f"rgba({colour}, 0.15)", line={"width": 0},
            hoverinfo="skip", name=f"{name}, 95 % interval", legendgroup=name,
        )  # fmt: skip
        figure.add_scatter(
            x=passages, y=[100 * one.difference for one in gains],
            mode="lines+markers", line={"color": f"rgb({colour})", "width": 2.5}, marker={"size": 8},
            customdata=[(one.theirs, one.ours, 100 * one.low, 100 * one.high) for one in gains],
            hovertemplate="%{x:,} passages: recall@10 %{customdata[0]:.3f} to %{customdata[1]:.3f}, "
            "%{y:+.1f} points (%{customdata[2]:+.1f} to %{customdata[3]:+.1f})",
            name=name, legendgroup=name,
        )  # fmt: skip
    ticks = sorted({one.passages for points in curves.values() for one in points})
    figure.add_hline(y=0, line={"color": "#555", "width": 1, "dash": "dash"})
    figure.update_layout(
        template="plotly_white", font={"size": 15}, margin={"t": 110, "r": 40},
        title={
            "text": "What verdicts are worth<br><sup>recall@10 of questions of which nobody judged anything, "
            f"against the shipped weights; {questions:,} questions in two halves, each measured by the "
            "verdicts on the other</sup>",
        },
        xaxis={
            "title": "judged passages of each half", "type": "log",
            "tickvals": ticks, "ticktext": [f"{one:,}" for one in ticks],
        },
        yaxis={"title": "gain of recall@10, in points", "ticksuffix": " ", "zeroline": False},
        legend={"x": 0.02, "y": 0.98, "bgcolor": "rgba(255, 255, 255, 0.7)"},
    )  # fmt: skip
    try:
        figure.write_html(path, include_plotlyjs=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    main()
