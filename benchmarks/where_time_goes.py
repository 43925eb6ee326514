"""Where the time of an investigation goes, on a corpus and its questions.

    python -m benchmarks.where_time_goes --corpus DIR --queries FILE --qrels FILE [--limit N] [--again]

Prints the median and the 95th percentile of each step in milliseconds, and the ratio of a whole
investigation to the broad scan alone, both measured in this one run.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.served import embedded_once
from engine.corpus import open_corpus
from engine.evaluation import read_questions
from engine.investigation import Case, case_cache, make_case
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
    parser.add_argument("--limit", type=int, default=200, help="questions, at even distances")
    parser.add_argument(
        "--again",
        action="store_true",
        help="ask each question once before; its embedding is then at hand, a finished case is not told anew",
    )
    parser.add_argument("--preset", default="balanced")
    options = parser.parse_args()
    corpus, settings = open_corpus(options.corpus), preset(options.preset)
    questions = read_questions(options.queries, options.qrels)
    questions = questions[:: max(len(questions) // options.limit, 1)][: options.limit]
    # The first question warms the model and the memory maps up and is not counted.
    before = questions if options.again else questions[:1]
    steps: dict[str, list[float]] = defaultdict(list)
    # As `python -m engine` has it; the page collects more seldom still.
    gc.set_threshold(50_000, 20, 50)
    with ExitStack() as stack:
        if options.again:
            stack.enter_context(embedded_once())
            stack.enter_context(patch.object(case_cache, "lookup", lambda *_: None))
        for number, question in enumerate([*before, *questions]):
            measured = one(make_case(corpus, question.text, settings), corpus.embedding)
            for name, milliseconds in measured.items() if number >= len(before) else ():
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
    worked = time.process_time()
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
    measured["whole, processor"] = 1000 * (time.process_time() - worked)
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
