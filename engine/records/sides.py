"""Two cases side by side: their settings, figures, and the changes of their corpora."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.investigation.presentation import text_of
from engine.model import Direction, Relation

# What differs between two states of a corpus: passages, their words and their dates, and links.

# So many passages are read at once.
BATCH = 2_000


class Link(NamedTuple):
    """Which passage says it, what it leads to, and as what."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """Ids of passages that are in the first alone (``gone``), in the second alone (``new``), in both with
    other words or with other dates or another status; links between passages of either."""

    gone: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    reworded: frozenset[str] = frozenset()
    redated: frozenset[str] = frozenset()
    links_gone: frozenset[Link] = frozenset()
    links_new: frozenset[Link] = frozenset()

    def __bool__(self) -> bool:
        passages = self.gone or self.new or self.reworded or self.redated
        return bool(passages or self.links_gone or self.links_new)


@dataclass(slots=True)
class _State:
    words: dict[str, str] = field(default_factory=dict)
    dates: dict[str, tuple[object, ...]] = field(default_factory=dict)


def changes_between(first: Corpus, second: Corpus) -> CorpusChanges:
    """Read both from beginning to end and compare; passages are the same where their ids are."""
    old, new = _state(first), _state(second)
    both = old.words.keys() & new.words.keys()
    before, after = set(links_of(first)), set(links_of(second))
    return CorpusChanges(
        gone=frozenset(old.words.keys() - both),
        new=frozenset(new.words.keys() - both),
        reworded=frozenset(one for one in both if old.words[one] != new.words[one]),
        redated=frozenset(one for one in both if old.dates[one] != new.dates[one]),
        links_gone=frozenset(before - after),
        links_new=frozenset(after - before),
    )


def links_of(corpus: Corpus, rows: Rows | None = None) -> Iterator[Link]:
    """The links that passages make, of all passages or of some."""
    relations = tuple(Relation)
    for some in _batches(np.arange(len(corpus), dtype=np.int32) if rows is None else rows):
        found = corpus.neighbours(some, None, Direction.OUT)
        sources, targets = corpus.ids(some[found.origins]), corpus.ids(found.rows)
        for source, target, relation in zip(sources, targets, found.relations.tolist(), strict=True):
            yield Link(source, target, relations[relation])


def _state(corpus: Corpus) -> _State:
    state, documents = _State(), corpus.documents()
    for some in _batches(np.arange(len(corpus), dtype=np.int32)):
        numbers = corpus.document_numbers(some).tolist()
        for passage, number in zip(corpus.passages(some), numbers, strict=True):
            document = documents[number]
            state.words[passage.id] = passage.text
            state.dates[passage.id] = (
                passage.valid_from or document.valid_from,
                passage.valid_to or document.valid_to,
                passage.status or document.status,
            )
    return state


def _batches(rows: Rows) -> Iterator[Rows]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


# What two cases were given that differs: question, corpus, day, model, plan and settings.

_GIVEN = ("question", "corpus", "day", "model")


@dataclass(frozen=True, slots=True)
class Given:
    """A setting, by its name, in both cases."""

    name: str
    before: Any
    after: Any

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"{self.name}: {_said(self.before)} before, {_said(self.after)} now"


def given_otherwise(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Given, ...]:
    """What two records were given that differs. A plan that the engine made is nothing that was given: it
    follows from the rest."""
    old, new = before["settings"], after["settings"]
    # The day that a case looked at follows from a day that was set.
    names = [name for name in _GIVEN if name != "day" or old.get("as_of") == new.get("as_of")]
    found = [Given(name, before[name], after[name]) for name in names if before[name] != after[name]]
    ranked_by = before.get("weights", ""), after.get("weights", "")
    if ranked_by[0] != ranked_by[1]:
        found.append(Given("weights", *ranked_by))
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            found.append(Given(name, old.get(name), new.get(name)))
    if before["plan"] != after["plan"] and (before["plan"]["edited"] or after["plan"]["edited"]):
        found.append(Given("plan", *_plans(before["plan"], after["plan"])))
    return tuple(found)


def _plans(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Any]:
    """Two plans as they are told: the views that are on, else the fields that differ."""
    views = [[view["text"] for view in plan["views"] if view["enabled"]] for plan in (before, after)]
    names = [name for name in before if before[name] != after.get(name)]
    if views[0] != views[1]:
        yield from views
    else:
        yield from ({name: plan.get(name) for name in names} for plan in (before, after))


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items()) or "none"
    return "none" if value in (None, "") else str(value)


# All of two records beside passages, hops and what was given: each value that differs, by its
# name.

# Given, compared passage by passage and hop by hop, or nothing of what was found.
ELSEWHERE = frozenset(
    {"question", "corpus", "day", "model", "settings", "passages", "started", "milliseconds", "usage"}
)
# Parts of a record that are lists of the same things.
_LISTED = ("passages", "rounds", "retrievers", "coverage", "threads")
# As a reranker tells it: "reranked the best 28 passages in 102 ms by ce:NAME".
_TOOK = re.compile(r" in [\d,.]+ m?s\b")
# By which of its fields something in a list is called.
_CALLED_BY = ("id", "name", "strategy", "retriever", "number", "text")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value by where it stands ("coverage.dues.state"); None where one record has it not."""

    name: str
    before: Any
    after: Any


def figures_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Figure]:
    """The values that differ. Of the pool's passages: round, strategy and score of those that are in both."""
    old, new = (
        {**one, "pool": _pool(one, other), "notes": timeless_notes(one["notes"])}
        for one, other in ((before, after), (after, before))
    )
    for name in dict.fromkeys([*old, *new]):
        if name not in ELSEWHERE:
            yield from _differing(name, old.get(name), new.get(name))


def timeless_notes(notes: Sequence[str]) -> list[str]:
    """Notes without how long something took."""
    return [_TOOK.sub("", note) for note in notes]


def _pool(record: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    there = {node["id"] for node in other["pool"]["nodes"]}
    own = {name: value for name, value in record["pool"].items() if name != "edges"}
    return {**own, "nodes": [node for node in own["nodes"] if node["id"] in there]}


def _differing(name: str, old: Any, new: Any) -> Iterator[Figure]:
    if old == new or name.rpartition(".")[2] == "milliseconds":
        return
    parts = _named(old), _named(new)
    if parts[0] is None or parts[1] is None:
        yield Figure(name, old, new)
        return
    for key in dict.fromkeys([*parts[0], *parts[1]]):
        yield from _differing(f"{name}.{key}", parts[0].get(key), parts[1].get(key))
    if parts[0] == parts[1] or (list(parts[0]) != list(parts[1]) and not isinstance(old, Mapping)):
        yield Figure(f"{name}.order", list(parts[0]), list(parts[1]))


def _named(value: Any) -> Mapping[str, Any] | None:
    """The parts of a value by their names; None for what has none."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    if not all(isinstance(one, Mapping) for one in value):
        return None
    called = next((key for key in _CALLED_BY if all(one.get(key) is not None for one in value)), None)
    if called is None:
        return None
    found = {str(one[called]): one for one in value}
    return found if len(found) == len(value) else None


def alike(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Two records of different formats with the fields alone that both formats have; those of one format as
    they are."""
    if before["format"] == after["format"]:
        return before, after
    names = (before.keys() & after.keys()) - {"format"}
    pool = before["pool"].keys() & after["pool"].keys()
    both = [
        {**{name: one[name] for name in names}, "pool": {name: one["pool"][name] for name in pool}}
        for one in (before, after)
    ]
    for place, name in (*((None, one) for one in _LISTED), ("pool", "nodes"), ("pool", "edges")):
        rows = [one[name] if place is None else one[place][name] for one in both]
        known = set.intersection(*(set(row) for some in rows for row in some[:1])) if all(rows) else set()
        for one, some in zip(both, rows, strict=True):
            trimmed = [{key: row[key] for key in row if key in known or not all(rows)} for row in some]
            (one if place is None else one[place])[name] = trimmed
    return both[0], both[1]


# One of two cases that are compared: what its record shows, and what its corpus says, where that
# is open.

Record = Mapping[str, Any]
Hop = Mapping[str, Any]


class Side:
    """A record with its corpus, None where that is not at hand."""

    def __init__(self, record: Record, corpus: Corpus | None = None) -> None:
        self.record, self.corpus = record, corpus
        self.ranked: dict[str, Record] = {passage["id"]: passage for passage in record["passages"]}
        self.nodes: dict[str, Record] = {node["id"]: node for node in record["pool"]["nodes"]}
        self.strategies = frozenset(record["settings"]["strategies"])
        self.dismissed = frozenset(record["pool"]["dismissed"])
        self.asked_model = bool(record["usage"])
        self.pinned = frozenset(record["pool"]["pinned"])
        self.explored = frozenset(record["pool"]["explored"])
        self._links: dict[str, frozenset[Link]] = {}
        self.last_round = max((report["number"] for report in record["rounds"]), default=0)

    @cached_property
    def into(self) -> Mapping[str, Sequence[Hop]]:
        """The hops that lead to each passage of the pool."""
        found: defaultdict[str, list[Hop]] = defaultdict(list)
        for hop in self.record["pool"]["edges"]:
            found[hop["target"]].append(hop)
        return found

    def bringing(self, name: str) -> Sequence[Hop]:
        """The hops by which a passage came into the pool: those of the round and the strategy that admitted
        it, all that there are where none is."""
        node, hops = self.nodes[name], self.into.get(name, ())
        own = [hop for hop in hops if (hop["round"], hop["strategy"]) == (node["round"], node["strategy"])]
        return own or hops

    def has(self, name: str) -> bool | None:
        """Whether the corpus has a passage; None where that is not known."""
        if name in self.nodes or name in self.ranked:
            return True
        return None if self.corpus is None else bool(self.corpus.rows([name])[0] >= 0)

    def has_document(self, name: str) -> bool | None:
        """Whether the corpus has a document; None where that is not known."""
        return None if self.corpus is None else name in self._documents

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset() if self.corpus is None else frozenset(one.id for one in self.corpus.documents())

    def document(self, name: str) -> tuple[str, str] | None:
        """The id and the title of a passage's document; None where they are not known."""
        shown = self.ranked.get(name)
        if shown is not None:
            return shown["document"], shown["title"] or shown["document"]
        if self.corpus is None or (row := self.corpus.rows([name]))[0] < 0:
            return None
        found = self.corpus.documents()[int(self.corpus.document_numbers(row)[0])]
        return found.id, found.title or found.id

    def words(self, passage: Record) -> str | None:
        """What this corpus says where a passage of a record stands; None where that is not known."""
        own = self.ranked.get(passage["id"])
        if own is not None and own["assembled"] == passage["assembled"]:
            return str(own["text"])
        if self.corpus is None:
            return None
        rows = self.corpus.rows(passage["assembled"] or [passage["id"]])
        return None if (rows < 0).any() else text_of(self.corpus.passages(rows))

    def links(self, source: str) -> frozenset[Link] | None:
        """The links that a passage makes; None where that is not known."""
        if self.corpus is None:
            return None
        if source not in self._links:
            rows = self.corpus.rows([source])
            self._links[source] = frozenset(links_of(self.corpus, rows[rows >= 0]))
        return self._links[source]

    def label(self, name: str) -> str | None:
        """How people call a passage; None for one of which nothing is known."""
        document, shown = self.document(name), self.ranked.get(name)
        if document is None:
            return None
        if shown is None and self.corpus is not None:
            (passage,) = self.corpus.passages(self.corpus.rows([name]))
            return ", ".join(part for part in (document[1], passage.label) if part)
        return None if shown is None else ", ".join(part for part in (document[1], shown["label"]) if part)


# Two rankings beside each other, for a terminal.

NARROWEST = 60


def side_by_side(before: Mapping[str, Any], after: Mapping[str, Any], width: int = 0) -> Iterator[str]:
    """A line for each rank; what is in one ranking alone is marked, - on the left and + on the right. On the
    right each passage has its rank on the left. ``width`` in characters, 0: that of the terminal."""
    room = max(NARROWEST, width or shutil.get_terminal_size((120, 24)).columns) - 3
    left, right = room // 2, room - room // 2
    old, new = ({one["id"]: one["rank"] for one in record["passages"]} for record in (before, after))
    yield f"{_cut(_head(before), left)} | {_cut(_head(after), right).rstrip()}"
    for one, other in zip_longest(before["passages"], after["passages"]):
        first = "" if one is None else f"{one['rank']:>3}{' ' if one['id'] in new else '-'} {_label(one)}"
        second = "" if other is None else f"{other['rank']:>3}{_mark(other, old)} {_label(other)}"
        yield f"{_cut(first, left)} | {_cut(second, right).rstrip()}"


def _head(record: Mapping[str, Any]) -> str:
    return f"{record['corpus']}, as of {record['day']}, {len(record['passages'])} passages"


def _mark(passage: Mapping[str, Any], old: Mapping[str, int]) -> str:
    before = old.get(passage["id"])
    if before is None:
        return "+"
    return " " if before == passage["rank"] else f" ({before})"


def _label(passage: Mapping[str, Any]) -> str:
    return ", ".join(part for part in (passage["title"] or passage["document"], passage["label"]) if part)


def _cut(text: str, width: int) -> str:
    """The text at exactly a width, in cells."""
    kept, used = "", 0
    for letter in re.sub(r"\s", " ", text):
        cells = _cells(letter)
        if used + cells > width - 1:
            return f"{kept}…" + " " * (width - used - 1)
        kept, used = kept + letter, used + cells
    return kept + " " * (width - used)


def _cells(letter: str) -> int:
    """How wide a letter is: marks above others take no cell, wide letters two."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
