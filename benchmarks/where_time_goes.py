"""Where the time of an investigation goes, on a corpus and its questions.

    python -m benchmarks.where_time_goes --corpus DIR --queries FILE --qrels FILE [--limit N] [--preset P]

Prints the median and the 95th percentile of each step in milliseconds, and the ratio of a whole
investigation to the broad scan alone, both measured in this one run.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from engine.corpus import open_corpus
from engine.evaluation import read_questions
from engine.investigation import Case
from engine.investigation.events import PlanMade, Ranked, ScanFinished, Stopped
from engine.language.embedders import embedder
from engine.settings import preset


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--qrels", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--preset", default="balanced")
    options = parser.parse_args()
    corpus, settings = open_corpus(options.corpus), preset(options.preset)
    questions = read_questions(options.queries, options.qrels)[: options.limit]
    steps: dict[str, list[float]] = defaultdict(list)
    for number, question in enumerate([questions[0], *questions]):
        measured = one(Case(corpus, question.text, settings), corpus.embedding)
        # The first question warms the model and the memory maps up and is not counted.
        for name, milliseconds in measured.items() if number else ():
            steps[name].append(milliseconds)
    print(f"{len(questions)} questions, {len(corpus):,} passages, preset {options.preset}, milliseconds")
    for name, values in steps.items():
        print(f"{name:24}{np.percentile(values, 50):9.1f}{np.percentile(values, 95):9.1f}")
    ratio = np.array(steps["whole investigation"]) / np.array(steps["scan"])
    print(f"whole investigation / scan: {np.median(ratio):.1f} times")


def one(case: Case, embedding: str) -> dict[str, float]:
    """Milliseconds of each step of one investigation; the embedding of the question on its own too."""
    measured: dict[str, float] = defaultdict(float)
    begun = last = time.perf_counter()
    for event in case.run():
        now = time.perf_counter()
        match event:
            case PlanMade():
                name = "plan"
            case ScanFinished():
                name = "scan"
            case Stopped():
                name = "stop"
            case Ranked():
                name = "ranking"
            case _:
                name = "rounds and coverage"
        measured[name] += 1000 * (now - last)
        last = now
    measured["whole investigation"] = 1000 * (last - begun)
    for report in case.rounds[1:]:
        for count in report.strategies:
            measured[f"  strategy {count.strategy}"] += count.milliseconds
    model = embedder(embedding)
    if model is not None and case.plan is not None:
        started = time.perf_counter()
        model.encode([view.text for view in case.plan.views], "query")
        measured["  embedding (in the scan)"] = 1000 * (time.perf_counter() - started)
    return measured


if __name__ == "__main__":
    main()
