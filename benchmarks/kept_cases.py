"""What it costs to keep cases and to find them again.

    python -m benchmarks.kept_cases [--url sqlite:///FILE ...] [--cases 10000]

A real case on the sample corpus, kept so many times with other questions, times and figures; then lists and
filters as people ask for them. Saving is measured with the whole pool of a detective case. Without --url in a
new SQLite file. A database that is named should be empty.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from benchmarks import new_parser
from engine.corpus import open_corpus
from engine.investigation import run_case
from engine.records.conversion import investigation_to_json
from engine.records.store.database import CaseFilter
from engine.records.store.store import CaseStore
from engine.settings import preset
from ui.sample import sample_folder
from ui.server.warming import COLLECTED

QUESTION = "Can a manager with limited authority grant an agent broader powers than those in the register?"
SAVED, ASKED = 40, 60
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = new_parser(__doc__)
    parser.add_argument("--url", action="append", default=[])
    parser.add_argument("--cases", type=int, default=10_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        record = record_of(Path(folder))
        # As a page that has warmed up.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECTED)
        for url in options.url or [f"sqlite:///{folder}/cases.sqlite"]:
            store = CaseStore(url)
            measured(store, record, options.cases, url.partition(":")[0])
            store.close()
    return 0


def record_of(home: Path) -> dict[str, Any]:
    """The record of a case that went as deep as the settings allow."""
    case = run_case(open_corpus(sample_folder(home)), QUESTION, preset("detective"))
    record: dict[str, Any] = orjson.loads(orjson.dumps(investigation_to_json(case.investigation())))
    return record


def measured(store: CaseStore, record: dict[str, Any], cases: int, name: str) -> None:
    """Print the figures of one database."""
    pool = record["pool"]
    size = f"{len(pool['nodes'])} passages, {len(pool['edges'])} hops"
    matter = store.matter("Measured")
    small = {**record, "pool": {**pool, "nodes": pool["nodes"][:60], "edges": []}}
    few = {node["id"] for node in small["pool"]["nodes"]}
    small["passages"] = [one for one in record["passages"] if one["id"] in few]
    saved = [_seconds(partial(_keep, store, matter, record, number)) for number in range(SAVED)]
    print(f"{name}: saving a case of {size}: {_told(saved)}", flush=True)
    for number in range(SAVED, cases):
        _keep(store, matter, small, number)
    asked: dict[str, Callable[[int], Any]] = {
        "the newest 50": lambda n: store.listed(CaseFilter(), matter),
        "a page in the middle": lambda n: store.listed(CaseFilter(offset=97 * n % cases), matter),
        "by words": lambda n: store.listed(CaseFilter(words=f"manager powers {n}"), matter),
        "by words that nobody used": lambda n: store.listed(CaseFilter(words=f"submarine {n}"), matter),
        "of a week": lambda n: store.listed(CaseFilter(since="2026-01-05", until="2026-01-11"), matter),
        "low coverage": lambda n: store.listed(CaseFilter(coverage_below=0.1), matter),
        "means by verdict": lambda n: store.by_verdict(matter),
        "means by day": lambda n: store.over_time(matter),
    }
    for what, ask in asked.items():
        print(f"{name}: {cases:,} cases, {what}: {_told([_seconds(partial(ask, n)) for n in range(ASKED)])}")


def _keep(store: CaseStore, matter: Any, record: dict[str, Any], number: int) -> None:
    started = (BEGINNING + timedelta(minutes=number)).isoformat()
    metrics = {**record["metrics"], "coverage": number % 100 / 100}
    said = {**record, "question": f"{record['question']} {number}", "started": started, "metrics": metrics}
    store.keep(said, matter, application="batch", who="benchmark")


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _told(seconds: Sequence[float]) -> str:
    middle, most = np.percentile(seconds, [50, 95]) * 1000
    return f"p50 {middle:.1f} ms, p95 {most:.1f} ms"


if __name__ == "__main__":
    raise SystemExit(main())
