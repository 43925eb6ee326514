"""How long a verdict on a link takes to act, against writing the references of the corpus anew.

    python -m benchmarks.verdicts --corpus DIR [--count 20] [--json FILE]

Each verdict is given, put in force, and taken back; the corpus is a copy. "The plain way" is what a decision
on a reference takes that is written into the corpus (``apply_decisions``) and the opening of the corpus after
it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine.corpus import open_corpus
from engine.corpus.embedded.applying import apply_decisions
from engine.corpus.extracted.validations import Judgement
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.model import Status, TargetKind


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that something takes."""
    started = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - started)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", required=True, type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="verdicts to give")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "copy"
        shutil.copytree(options.corpus, folder)
        corpus = open_corpus(folder)
        numbers = corpus.reference_numbers(statuses=[Status.RESOLVED])
        drawn = corpus.references(numbers[:: max(1, len(numbers) // options.count)].tolist())
        chosen = [
            Ends(one.source_id, str(one.target_id), one.relation)
            for one in drawn
            if one.target_kind is TargetKind.PASSAGE and one.target_id != one.source_id
        ][: options.count]
        given, taken = [], []
        for ends in chosen:
            given.append(timed(partial(judge_link, corpus, ends, Judgement.REJECTED)))
        for ends in chosen:
            taken.append(timed(partial(unjudge_link, corpus, ends)))
        plain = timed(lambda: (apply_decisions(folder), open_corpus(folder)))
    told = {
        "passages": len(corpus),
        "references": len(numbers),
        "verdicts": len(chosen),
        "reject_ms_median": round(statistics.median(given), 1),
        "reject_ms_max": round(max(given), 1),
        "undo_ms_median": round(statistics.median(taken), 1),
        "plain_ms": round(plain, 1),
        "ratio": round(plain / statistics.median(given), 1),
    }
    print("\n".join(f"{name:18}{value:>12,}" for name, value in told.items()))
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
