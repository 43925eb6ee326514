"""Whether a comparison names what follows from one edited article, and nothing else.

    python -m benchmarks.edited_articles DATA_DIR HOME [--law bgb] [--preset detective] [--cases 10]

A German law is ingested into ``HOME``. Questions about one of its articles, about those beside it, and about
others are asked and kept in memory. Then the article is changed in one way at a time: other words, a
reference more or less, another day up to which it holds, gone. Each time the whole law is ingested, each case
is replayed on it and compared with what it was. Counted is what differs, what of it the comparison does not
name, and which causes are about something else than the article. ``near``: the kinds of causes that are told
where only the new corpus is at hand, as it is after an update.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson

from benchmarks.replaying import read_lines, record_of
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.records.comparing import compare, timeless
from engine.records.comparison import Comparison
from engine.records.replaying import gone_through
from engine.settings import preset

ARTICLE = "437"
Line = dict[str, Any]
WAYS = ("source", "target", "strategy", "relation", "direction")
COUNTED = ("came", "went", "moved", "other_words", "altered", "rescored", "links", "figures")


def main(arguments: Sequence[str] | None = None) -> int:
    """Edit, ingest, replay, compare; returns 1 where something is not named or has a strange cause."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--law", default="bgb")
    parser.add_argument("--article", default=ARTICLE)
    parser.add_argument("--preset", default="detective")
    parser.add_argument("--cases", type=int, default=10)
    options = parser.parse_args(arguments)
    law = [
        line
        for line in read_lines(options.data / "de_bundesrecht" / "corpus.jsonl.gz")
        if line["metadata"]["slug"] == options.law
    ]
    own = f"de-{options.law}-{options.article}"
    was = ingested(options.home / "was", law)
    settings = preset(options.preset)
    kept = []
    for question in questions(law, own, options.cases):
        case = Case(was, question, settings)
        for _ in case.run():
            pass
        kept.append(record_of(case))
    print(f"| edit | cases | same | {' | '.join(COUNTED)} | not named | strange causes | near: kinds |")
    print("| --- " * (6 + len(COUNTED)) + "|")
    wrong = 0
    for name, edit in EDITS.items():
        changed = ingested(options.home / name.replace(" ", "-"), edit(deepcopy(law), own))
        wrong += tell(name, was, changed, kept, own)
    return int(wrong > 0)


def tell(name: str, was: Corpus, now: Corpus, kept: Sequence[Line], own: str) -> int:
    """Print the row of an edit; returns how much of it is wrong."""
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    strange: set[str] = set()
    for record in kept:
        after = record_of(gone_through(record, now))
        found = compare(record, after, corpora=(was, now))
        counts["same"] += found.same
        counts.update({group: len(getattr(found, group)) for group in COUNTED})
        counts["unnamed"] += len(unnamed(record, after, found))
        strange |= {f"{one.kind} {one.about}" for one in found.causes if not is_about(one.about, own)}
        near = compare(record, after, corpora=(None, now), states=("was", "now"))
        kinds.update(cause.kind for cause in near.causes)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    values = [len(kept), counts["same"], *(counts[group] for group in COUNTED), counts["unnamed"]]
    print(f"| {name} | {' | '.join(map(str, values))} | {len(strange)} | {told} |", flush=True)
    for one in sorted(strange)[:5]:
        print(f"  strange: {one}", flush=True)
    return len(strange) + counts["unnamed"]


def is_about(about: str, own: str) -> bool:
    """Whether a cause is about an article, a part of it, or a link from or to it."""
    return any(part == own or part.startswith(f"{own}/") for part in about.split(" "))


def unnamed(before: Line, after: Line, found: Comparison) -> set[str]:
    """Passages, hops and other values that differ and that the comparison does not name."""
    left: set[str] = set()
    old, new = ({one["id"]: one for one in each["passages"]} for each in (before, after))
    groups = found.came, found.went, found.moved, found.other_words, found.altered, found.rescored
    named = {one.id for group in groups for one in group}
    left |= {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)} - named
    pools = [{node["id"] for node in each["pool"]["nodes"]} for each in (before, after)]
    left |= (pools[0] ^ pools[1]) - {one.id for one in (*found.pool_came, *found.pool_went)}
    left |= _differing_hops(before, after) - {
        str(tuple(getattr(one, way) for way in WAYS)) for one in found.links
    }
    told = {figure.name.split(".")[0] for figure in found.figures} | {one.name for one in found.settings}
    elsewhere = {"passages", "pool", "settings", "started", "milliseconds", "usage"}
    left |= {
        key
        for key in before
        if key not in elsewhere and timeless({key: before[key]}) != timeless({key: after.get(key)})
    } - told
    return left


def _differing_hops(before: Line, after: Line) -> set[str]:
    both = []
    for record in (before, after):
        hops: dict[str, list[Line]] = {}
        for hop in record["pool"]["edges"]:
            hops.setdefault(str(tuple(hop[way] for way in WAYS)), []).append(hop)
        both.append(hops)
    return {ends for ends in both[0].keys() | both[1].keys() if both[0].get(ends) != both[1].get(ends)}


def questions(law: Sequence[Line], own: str, wanted: int) -> list[str]:
    """About the article, about what stands around it, and about others all over the law."""
    place = next(number for number, line in enumerate(law) if line["id"] == own)
    near = [place, *(place + step for step in (-1, 1, -3, 4))][: max(1, wanted // 2)]
    far = range(0, len(law), max(1, len(law) // max(1, wanted - len(near))))
    chosen = list(dict.fromkeys([*near, *far]))[:wanted]
    return [f"{law[one]['metadata'].get('heading', '')}: {law[one]['text'][:100]}" for one in chosen]


def ingested(folder: Path, law: Sequence[Line]) -> Corpus:
    """The corpus of a law, made anew."""
    sources = folder.with_suffix(".sources")
    sources.mkdir(parents=True, exist_ok=True)
    (sources / "law.jsonl").write_bytes(b"\n".join(map(orjson.dumps, law)) + b"\n")
    build_corpus([sources], folder, embedding="none", name="law")
    return open_corpus(folder)


def _edited(change: Callable[[Line], None]) -> Callable[[list[Line], str], list[Line]]:
    def edit(law: list[Line], own: str) -> list[Line]:
        change(next(line for line in law if line["id"] == own))
        return law

    return edit


def _without(law: list[Line], own: str) -> list[Line]:
    return [line for line in law if line["id"] != own]


def _other_words(line: Line) -> None:
    line["text"] = line["text"].replace("Käufer", "Erwerber")


def _reference(line: Line) -> None:
    line["text"] += "\n\nDie Vorschriften des § 823 gelten entsprechend."


def _no_reference(line: Line) -> None:
    line["text"] = line["text"].replace("§ 439", "der vorstehenden Vorschrift")


def _dates(line: Line) -> None:
    line["metadata"]["valid_to"] = "2020-12-31"


EDITS: dict[str, Callable[[list[Line], str], list[Line]]] = {
    "nothing": lambda law, own: law,
    "other words": _edited(_other_words),
    "a reference more": _edited(_reference),
    "a reference less": _edited(_no_reference),
    "another date": _edited(_dates),
    "gone": _without,
}


if __name__ == "__main__":
    raise SystemExit(main())
