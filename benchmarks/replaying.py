"""Whether a kept case, gone through once more by another process, is the same to the last bit.

    python -m benchmarks.replaying DATA_DIR HOME [--cases 100] [--preset detective] [--only NAME,...]

``DATA_DIR`` is as ``benchmarks.gold_sets`` reads it. ``HOME`` is a folder for the corpora and the cases: what
is ingested there already is only read. Each collection is asked its share of the questions with all threads;
every third case is steered besides (a pin, a dismissal, a lead, a link that is rejected). All are kept in one
database. Then another process replays each from there and compares: the records as they are kept, and the
scores of the ranking bit for bit.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from engine.corpus import open_corpus
from engine.corpus.extracted.validations import Judgement
from engine.corpus.protocol import Corpus
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.model import Relation
from engine.records.comparing import compare, comparison_lines, timeless
from engine.records.export import investigation_to_json
from engine.records.replaying import gone_through
from engine.records.steps import Dismiss, Follow, Pin, Reject, Step, Unreject
from engine.records.store.fingerprint import fingerprint_of
from engine.records.store.listing import Wanted
from engine.records.store.store import CaseStore
from engine.settings import InvestigationSettings, preset

WHO = "benchmark"
STEERED = 3
PARTS = ("ranking", "scores", "hops", "quotes", "record", "bits")


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus and what it is asked. ``source`` names the folder of the data and what of it is taken, by a
    field of the metadata; ``questions`` a folder with queries, empty: titles and beginnings of its texts.
    ``share`` is its part of all cases."""

    name: str
    source: str
    share: float
    questions: str = ""
    field: str = ""
    values: tuple[str, ...] = ()
    embedding: str = "none"


COLLECTIONS = (
    Collection("ADGM rulebook", "obliqa_adgm", 0.40, "obliqa_xref"),
    Collection("BGB, HGB, ZPO", "de_bundesrecht", 0.20, field="slug", values=("bgb", "hgb", "zpo")),
    Collection("Indonesian Civil Code", "id_kuhperdata", 0.15, "id_kuhperdata"),
    Collection("Saudi laws", "sa_laws_ar", 0.10),
    Collection(
        "GDPR, with vectors", "eu_gdpr_24lang", 0.15, field="language", values=("en",),
        embedding="minilm",
    ),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, keep, replay; returns 1 where something is not the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--preset", default="detective")
    parser.add_argument("--only", default="")
    parser.add_argument("--replay", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.replay:
        return replay_all(options.home)
    settings = preset(options.preset)
    with closing(CaseStore(store_address(options.home))) as store:
        for one in COLLECTIONS:
            if options.only and one.name not in options.only.split(","):
                continue
            ask_all(one, options, settings, store)
    again = [sys.executable, "-m", "benchmarks.replaying", str(options.data), str(options.home), "--replay"]
    return subprocess.run(again, check=False).returncode


def store_address(home: Path) -> str:
    """Where the cases are."""
    return f"sqlite:///{home / 'cases.sqlite'}"


def ask_all(
    one: Collection, options: argparse.Namespace, settings: InvestigationSettings, store: CaseStore
) -> None:
    """Ask a collection its share of the questions and keep each case."""
    folder = options.home / one.name.replace(",", "").replace(" ", "-").lower()
    ingest(one, options.data, folder)
    corpus, matter = open_corpus(folder), store.matter(one.name)
    wanted = round(one.share * options.cases)
    seconds = 0.0
    for number, question in enumerate(questions(one, options.data, wanted)):
        started = time.perf_counter()
        case = Case(corpus, question, settings)
        for _ in case.run():
            pass
        seconds += time.perf_counter() - started
        case_id = store.keep(
            record_of(case), matter, application="batch", who=WHO, fingerprint=fingerprint_of(corpus), name=""
        )
        if number % STEERED == 0:
            for step in steer(case, corpus):
                judged = isinstance(step, Reject | Unreject)
                record = None if judged else record_of(case)
                store.step(case_id, step.kind, who=WHO, data=step.data(), record=record)
        store.describe(case_id, who=WHO, notes=f"{folder}\n{bits_of(case)}")
        print(f"{one.name}: {number + 1} of {wanted}, {seconds:.0f} s", file=sys.stderr, flush=True)


def ingest(one: Collection, data: Path, folder: Path) -> None:
    """Make the corpus where it is missing."""
    if folder.exists():
        return
    lines = list(documents(one, data))
    sources = folder.with_suffix(".sources")
    sources.mkdir(parents=True, exist_ok=True)
    (sources / "corpus.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    build_corpus([sources], folder, embedding=one.embedding, name=one.name)


def documents(one: Collection, data: Path) -> Iterator[dict[str, Any]]:
    """The lines of a collection."""
    for line in read_lines(data / one.source / "corpus.jsonl.gz"):
        if not one.field or line["metadata"].get(one.field) in one.values:
            yield line


def questions(one: Collection, data: Path, wanted: int) -> list[str]:
    """So many questions, spread over all there are."""
    if one.questions:
        every = [line["text"] for line in read_lines(data / one.questions / "queries.jsonl.gz")]
    else:
        every = [f"{line['title']}: {line['text'][:120]}" for line in documents(one, data)]
    distinct = list(dict.fromkeys(every))
    step = max(1, len(distinct) // wanted)
    return distinct[::step][:wanted]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a packed file of JSON lines."""
    with gzip.open(path, "rb") as lines:
        yield from map(orjson.loads, lines)


def steer(case: Case, corpus: Corpus) -> Iterator[Step]:
    """Steps as somebody takes them: each is taken before it is given."""
    ids = [one.passage.id for one in case.ranking]
    if len(ids) < 2:
        return
    case.pin(ids[-1])
    yield Pin(passage=ids[-1])
    case.dismiss(ids[0])
    yield Dismiss(passage=ids[0], reason="measured")
    cited = next((hop for hop in case.pool.hops() if hop.strategy == "citations" and hop.source_id), None)
    ends = None
    if cited is not None and cited.relation is Relation.CITES and cited.direction.value == "out":
        source, target = str(cited.source_id), cited.target_id
        ends = Ends(source, target, Relation.CITES)
        judge_link(corpus, ends, Judgement.REJECTED)
        yield Reject(source=source, target=target, relation=Relation.CITES)
    followed = ids[1] if cited is None else str(cited.source_id)
    for _ in case.follow(followed, ["citations", "metadata"]):
        pass
    yield Follow(passage=followed, strategies=("citations", "metadata"))
    if ends is not None:
        unjudge_link(corpus, ends)
        yield Unreject(source=ends.source_id, target=ends.target_id, relation=Relation.CITES)


def record_of(case: Case) -> dict[str, Any]:
    """The record as it is kept."""
    record: dict[str, Any] = orjson.loads(orjson.dumps(investigation_to_json(case.investigation())))
    return record


def bits_of(case: Case) -> str:
    """A digest of the ranking's rows and scores, bit for bit, and of the pool's."""
    found = hashlib.sha256()
    if case.order is not None:
        found.update(case.order.rows.tobytes() + case.order.scores.tobytes())
    found.update(case.pool.rows().tobytes() + case.pool.scores().tobytes())
    return found.hexdigest()


def replay_all(home: Path) -> int:
    """Replay every case that is kept, in this process; print the table."""
    different = 0
    print(
        "| collection | cases | steered | " + " | ".join(f"{part} equal" for part in PARTS) + " | hops | s |"
    )
    print("| --- " * (5 + len(PARTS)) + "|")
    with closing(CaseStore(store_address(home))) as store:
        for matter in store.matters():
            counts: Counter[str] = Counter()
            corpus: Corpus | None = None
            seconds = 0.0
            for case_id in ids_of(store, matter):
                folder, bits = store.notes(case_id).split("\n")
                corpus = corpus or open_corpus(Path(folder))
                record, events = store.record(case_id), store.events(case_id)
                started = time.perf_counter()
                case = gone_through(record, corpus, events=events)
                seconds += time.perf_counter() - started
                equal = equal_parts(record, record_of(case)) | {"bits": bits == bits_of(case)}
                counts.update([name for name, same in equal.items() if same])
                counts["cases"] += 1
                counts["steered"] += any(event.kind == "pin" for event in events)
                counts["all hops"] += len(record["pool"]["edges"])
                if not all(equal.values()):
                    different += 1
                    tell(case_id, record, record_of(case))
            row = [matter.name, *(counts[name] for name in ("cases", "steered", *PARTS, "all hops"))]
            print("| " + " | ".join(map(str, row)) + f" | {seconds:.0f} |", flush=True)
    print(f"{different} not the same")
    return int(different > 0)


def ids_of(store: CaseStore, matter: Any) -> list[str]:
    """The cases of a matter, the newest first: not in the order in which they were asked."""
    return [one.id for one in store.listed(Wanted(limit=10_000), matter).cases]


def equal_parts(before: dict[str, Any], after: dict[str, Any]) -> dict[str, bool]:
    """Which parts of two records are the same."""

    def both(view: Any) -> bool:
        return bool(view(before) == view(after))

    return {
        "ranking": both(lambda one: [passage["id"] for passage in one["passages"]]),
        "scores": both(lambda one: [(passage["score"], passage["breakdown"]) for passage in one["passages"]]),
        "hops": both(lambda one: one["pool"]["edges"]),
        "quotes": both(lambda one: [(hop["quote"], hop["quoted_from"]) for hop in one["pool"]["edges"]]),
        "record": both(timeless),
    }


def tell(case_id: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Say what differs."""
    print(f"case {case_id}: {before['question']}", file=sys.stderr)
    for line in list(comparison_lines(compare(before, after)))[:20]:
        print(f"  {line}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
