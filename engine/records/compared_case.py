"""Two cases to compare: their inputs, values, and the changes of their corpora."""

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

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.presentation import text_of
from engine.model import FAMILY, Direction, Relation

# Differences between two states of a corpus.
BATCH = 2_000


class Link(NamedTuple):
    """A link: the passage that makes it, its target and its relation."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """The differences between two states of a corpus.

    Ids of passages that are only in the first (``removed``), only in the second (``new``), or in both with a
    different text (``reworded``), or with different dates or status (``redated``); links that are in only
    one.
    """

    removed: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    reworded: frozenset[str] = frozenset()
    redated: frozenset[str] = frozenset()
    links_removed: frozenset[Link] = frozenset()
    links_new: frozenset[Link] = frozenset()

    def __bool__(self) -> bool:
        passages = self.removed or self.new or self.reworded or self.redated
        return bool(passages or self.links_removed or self.links_new)


@dataclass(slots=True)
class _State:
    words: dict[str, str] = field(default_factory=dict)
    dates: dict[str, tuple[object, ...]] = field(default_factory=dict)


def compare_corpora(first: Corpus, second: Corpus) -> CorpusChanges:
    """Read two corpora completely and compare them; passages with equal ids correspond."""
    old, new = _state(first), _state(second)
    both = old.words.keys() & new.words.keys()
    before, after = set(links_of(first)), set(links_of(second))
    return CorpusChanges(
        removed=frozenset(old.words.keys() - both),
        new=frozenset(new.words.keys() - both),
        reworded=frozenset(id_ for id_ in both if old.words[id_] != new.words[id_]),
        redated=frozenset(id_ for id_ in both if old.dates[id_] != new.dates[id_]),
        links_removed=frozenset(before - after),
        links_new=frozenset(after - before),
    )


def links_of(corpus: Corpus, rows: Rows | None = None) -> Iterator[Link]:
    """Yield the links that passages make; ``rows``: None for all passages."""
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


# Inputs that differ: question, corpus, day, model, weights, plan and settings.

_INPUTS = ("question", "corpus", "day", "model")


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input with different values in two cases."""

    name: str
    before: Any
    after: Any

    @property
    def words(self) -> str:
        """The change in a sentence."""
        return f"{self.name}: {_format_value(self.before)} before, {_format_value(self.after)} now"


def changed_inputs(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[InputChange, ...]:
    """Return the inputs that differ between two records.

    A plan counts only if a user edited it; otherwise it follows from the other inputs.
    """
    old, new = before["settings"], after["settings"]
    # The day of a case follows from ``as_of`` if that is set.
    names = [name for name in _INPUTS if name != "day" or old.get("as_of") == new.get("as_of")]
    found = [InputChange(name, before[name], after[name]) for name in names if before[name] != after[name]]
    ranked_by = before.get("weights", ""), after.get("weights", "")
    if ranked_by[0] != ranked_by[1]:
        found.append(InputChange("weights", *ranked_by))
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            found.append(InputChange(name, old.get(name), new.get(name)))
    if before["plan"] != after["plan"] and (before["plan"]["edited"] or after["plan"]["edited"]):
        found.append(InputChange("plan", *_plans(before["plan"], after["plan"])))
    return tuple(found)


def _plans(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the shown parts of two plans: their active views, else the fields that differ."""
    views = [[view["text"] for view in plan["views"] if view["enabled"]] for plan in (before, after)]
    names = [name for name in before if before[name] != after.get(name)]
    if views[0] != views[1]:
        yield from views
    else:
        yield from ({name: plan.get(name) for name in names} for plan in (before, after))


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items()) or "none"
    return "none" if value in (None, "") else str(value)


# All other values of two records, compared by name.

# Parts of a record that are compared elsewhere, and times and costs.
ELSEWHERE = frozenset(
    {"question", "corpus", "day", "model", "settings", "passages", "started", "milliseconds", "usage"}
)
# Lists of similar items in a record.
_LISTED = ("passages", "rounds", "retrievers", "coverage", "threads")
# The duration in a note of a reranker: "reranked the best 28 passages in 102 ms by ce:NAME".
_TOOK = re.compile(r" in [\d,.]+ m?s\b")
# Fields that identify an item of a list, most specific first.
_CALLED_BY = ("id", "name", "strategy", "retriever", "number", "text")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value by its path ("coverage.dues.state"); None in a record that lacks it."""

    name: str
    before: Any
    after: Any


def compare_figures(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield the values that differ; of pool passages, only those that are in both pools."""
    old, new = (
        {**record, "pool": _pool(record, other), "notes": without_durations(record["notes"])}
        for record, other in ((before, after), (after, before))
    )
    for name in dict.fromkeys([*old, *new]):
        if name not in ELSEWHERE:
            yield from _differing(name, old.get(name), new.get(name))


def without_durations(notes: Sequence[str]) -> list[str]:
    """Return notes without durations."""
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
    """Return the parts of a value by name; None if it has no named parts."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    if not all(isinstance(item, Mapping) for item in value):
        return None
    called = next((key for key in _CALLED_BY if all(item.get(key) is not None for item in value)), None)
    if called is None:
        return None
    found = {str(item[called]): item for item in value}
    return found if len(found) == len(value) else None


def with_common_fields(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return two records of different formats, reduced to the fields of both; others unchanged."""
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
        common = set.intersection(*(set(row) for some in rows for row in some[:1])) if all(rows) else set()
        for one, some in zip(both, rows, strict=True):
            trimmed = [{key: row[key] for key in row if key in common or not all(rows)} for row in some]
            (one if place is None else one[place])[name] = trimmed
    return both[0], both[1]


# One of two compared cases: its record, and its corpus if that is open.

Record = Mapping[str, Any]
Hop = Mapping[str, Any]


class ComparedCase:
    """A record with its corpus, None if that is not open."""

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
        """The hops to each passage of the pool."""
        found: defaultdict[str, list[Hop]] = defaultdict(list)
        for hop in self.record["pool"]["edges"]:
            found[hop["target"]].append(hop)
        return found

    def bringing(self, name: str) -> Sequence[Hop]:
        """Return the hops that admitted a passage to the pool, else all its hops."""
        node, hops = self.nodes[name], self.into.get(name, ())
        own = [hop for hop in hops if (hop["round"], hop["strategy"]) == (node["round"], node["strategy"])]
        return own or hops

    def has(self, name: str) -> bool | None:
        """Return whether the corpus contains a passage; None if unknown."""
        if name in self.nodes or name in self.ranked:
            return True
        return None if self.corpus is None else bool(self.corpus.rows([name])[0] >= 0)

    def has_document(self, name: str) -> bool | None:
        """Return whether the corpus contains a document; None if unknown."""
        return None if self.corpus is None else name in self._documents

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset() if self.corpus is None else frozenset(one.id for one in self.corpus.documents())

    def family(self, document: str) -> str:
        """Return a name that the versions of a document share, its id if there is none."""
        return self._families.get(document, document)

    @cached_property
    def _families(self) -> Mapping[str, str]:
        documents = () if self.corpus is None else self.corpus.documents()
        return {one.id: str(one.metadata[FAMILY]) for one in documents if FAMILY in one.metadata}

    def document(self, name: str) -> tuple[str, str] | None:
        """Return the id and title of a passage's document; None if unknown."""
        shown = self.ranked.get(name)
        if shown is not None:
            return shown["document"], shown["title"] or shown["document"]
        if self.corpus is None or not (found := find_passages(self.corpus, [name])):
            return None
        document = found[name][1]
        return document.id, document.title or document.id

    def words(self, passage: Record) -> str | None:
        """Return this corpus's text for a passage of a record; None if unknown."""
        own = self.ranked.get(passage["id"])
        if own is not None and own["assembled"] == passage["assembled"]:
            return str(own["text"])
        if self.corpus is None:
            return None
        rows = self.corpus.rows(passage["assembled"] or [passage["id"]])
        return None if (rows < 0).any() else text_of(self.corpus.passages(rows))

    def links(self, source: str) -> frozenset[Link] | None:
        """Return the links that a passage makes; None if unknown."""
        if self.corpus is None:
            return None
        if source not in self._links:
            rows = self.corpus.rows([source])
            self._links[source] = frozenset(links_of(self.corpus, rows[rows >= 0]))
        return self._links[source]

    def label(self, name: str) -> str | None:
        """Return the label of a passage for readers; None if unknown."""
        document, shown = self.document(name), self.ranked.get(name)
        if document is None:
            return None
        if shown is None and self.corpus is not None:
            (passage,) = self.corpus.passages(self.corpus.rows([name]))
            return ", ".join(part for part in (document[1], passage.label) if part)
        return None if shown is None else ", ".join(part for part in (document[1], shown["label"]) if part)


# Two rankings in two columns, for a terminal.

NARROWEST = 60


def side_by_side(before: Mapping[str, Any], after: Mapping[str, Any], width: int = 0) -> Iterator[str]:
    """Yield a line for each rank: the rankings of two cases in two columns.

    Passages of only one ranking are marked - (left) or +; a passage on the right shows its rank on the left.
    ``width`` is in characters, 0 for that of the terminal.
    """
    columns = max(NARROWEST, width or shutil.get_terminal_size((120, 24)).columns) - 3
    left, right = columns // 2, columns - columns // 2
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
    """Return text cut or padded to an exact width in terminal cells."""
    cut, used = "", 0
    for letter in re.sub(r"\s", " ", text):
        cells = _cells(letter)
        if used + cells > width - 1:
            return f"{cut}…" + " " * (width - used - 1)
        cut, used = cut + letter, used + cells
    return cut + " " * (width - used)


def _cells(letter: str) -> int:
    """Return the width of a character: 0 for combining marks, 2 for wide characters."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
