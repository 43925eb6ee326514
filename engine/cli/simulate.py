"""The command ``simulate``: what verdicts of experts would teach a ranking, played from gold judgements."""

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
    from engine.review.simulation import Asked, Taught

# Judged passages after which a curve says what was learned.
BUDGETS = (50, 100, 200, 500, 1000, 2000, 4000)


def add_simulate_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "simulate", help="play experts from gold judgements: what their verdicts would teach the ranking"
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
    command.set_defaults(command=simulate)


def simulate(options: argparse.Namespace) -> None:
    """Play experts on each half, and measure the other."""
    from engine.corpus import open_corpus
    from engine.evaluation.choosing import chosen
    from engine.evaluation.questions import read_questions
    from engine.review.simulation import (
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

    experts = Experts(options.experts, options.noise, options.fatigue, options.second, options.seed)
    if options.best < 1 or options.random < 0:
        raise InputError("--best is 1 or more, --random 0 or more")
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
    if options.curve is not None:
        curves = {
            name: list(curve(corpus, both[0], both[1], experts, drawing, BUDGETS, active=active))
            for name, active in (("chosen by their effect", True), ("chosen at random", False))
        }
        _draw(curves, options.curve)
        print(f"written: {options.curve}", file=sys.stderr)
    printed(options, {"halves": found}, _lines(found))


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for number, one in enumerate(found, 1):
        yield (
            f"half {number}: {one['verdicts']:,} verdicts on {one['passages']:,} passages of "
            f"{one['questions']:,} questions; what counts: {one['kind']}, at {one['strength']:g}"
        )
        yield from _figures(f"the other {one['measured']:,} questions", one["figures"])
        for name, figures in one["also"].items():
            yield from _figures(name, figures)


def _figures(of: str, figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for metric, one in figures.items():
        yield (
            f"  {metric:12}{one['theirs']:.3f} -> {one['ours']:.3f}, {one['difference']:+.3f} "
            f"({one['low']:+.3f} to {one['high']:+.3f})  {of}"
        )


def _draw(curves: Mapping[str, list[Taught]], path: Path) -> None:
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, points in curves.items():
        gains = [one.figures["recall@10"] for one in points]
        figure.add_scatter(
            x=[one.passages for one in points],
            y=[one.difference for one in gains],
            error_y={
                "array": [one.high - one.difference for one in gains],
                "arrayminus": [one.difference - one.low for one in gains],
                "thickness": 1,
            },
            name=name,
        )
    figure.update_layout(
        template="plotly_white",
        xaxis={"title": "judged passages", "type": "log"},
        yaxis={"title": "gain of recall@10 on questions that nobody judged"},
        legend={"orientation": "h", "y": 1.08},
    )
    try:
        figure.write_html(path, include_plotlyjs=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
