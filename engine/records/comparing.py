"""The comparison of two cases: which passages were added, removed or moved, each with its cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from engine.corpus.protocol import Corpus
from engine.extraction.judging import UNWRITTEN
from engine.investigation.round import PERSON
from engine.language.word_diff import diff_words, marked_words
from engine.model import Relation, StopReason
from engine.records.causes import Cause, CauseNumbers, Causes, LinkChange, compare_links
from engine.records.compared_case import (
    ComparedCase,
    Figure,
    InputChange,
    Record,
    changed_inputs,
    compare_corpora,
    compare_figures,
    with_common_fields,
    without_durations,
)
from engine.records.phrases import plural

# The result of a comparison, as plain values and as lines for a terminal.

# Most links in the JSON form and on a terminal; references in texts come first.
MOST_LINKS, MOST_LINES = 500, 20
# Figures that a terminal shows one by one.
_SHOWN = re.compile(r"evidence\.status|metrics\..*|stop\.reason|coverage\..*\.state|notes|message")


@dataclass(frozen=True, slots=True)
class Move:
    """A passage whose rank changed.

    ``before`` and ``after`` are ranks, None if it is not ranked; ``why`` is a sentence, ``causes`` are
    numbers of causes.
    """

    id: str
    label: str
    before: int | None
    after: int | None
    why: str
    causes: CauseNumbers


@dataclass(frozen=True, slots=True)
class Reworded:
    """A passage of both rankings whose text changed, or a provision that each ranks in another version."""

    id: str
    label: str
    before: str
    after: str
    causes: CauseNumbers


@dataclass(frozen=True, slots=True)
class Altered:
    """A passage of both rankings with a field whose value changed."""

    id: str
    label: str
    field: str
    before: Any
    after: Any
    causes: CauseNumbers


@dataclass(frozen=True, slots=True)
class Rescored:
    """A passage of both rankings whose score changed, with the names of the parts that differ."""

    id: str
    label: str
    before: float
    after: float
    parts: tuple[str, ...]
    causes: CauseNumbers


@dataclass(frozen=True, slots=True)
class Pooled:
    """A passage that is in the pool of only one case."""

    id: str
    label: str
    causes: CauseNumbers


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two cases.

    ``same``: only times and costs differ. ``inexact``: why a replay of either case may differ by chance.
    ``settings``: changed inputs. ``came``, ``went``, ``moved``, ``other_words``, ``altered`` and ``rescored``
    concern the ranking, ``pool_came`` and ``pool_went`` the pool, ``links`` its hops; ``figures`` are all
    other values that differ. Differences refer to ``causes`` by index.
    """

    same: bool
    inexact: tuple[str, ...]
    settings: tuple[InputChange, ...]
    came: tuple[Move, ...]
    went: tuple[Move, ...]
    moved: tuple[Move, ...]
    other_words: tuple[Reworded, ...]
    altered: tuple[Altered, ...]
    rescored: tuple[Rescored, ...]
    pool_came: tuple[Pooled, ...]
    pool_went: tuple[Pooled, ...]
    links: tuple[LinkChange, ...]
    figures: tuple[Figure, ...]
    causes: tuple[Cause, ...]


def comparison_to_json(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values.

    Keys: same, inexact (sentences), settings (name, before, after), came, went, moved (id, label, before,
    after, why, causes), other_words (id, label, before, after, causes), altered (id, label, field, before,
    after, causes), rescored (id, label, before, after, parts, causes), links (change: gone, new or changed;
    source, target, strategy, relation, direction, quote, causes; at most 500 of ``links_total``), pool (came
    and went: id, label, causes), figures (name, before, after), causes (kind, about, words). ``causes`` of a
    difference are indexes into ``causes``. Kinds: setting, step, document, passage, words, dates, link,
    corpus, model, engine.
    """
    listed = ("settings", "came", "went", "moved", "other_words", "altered", "rescored")
    return {
        "same": found.same,
        "inexact": list(found.inexact),
        **{name: [asdict(one) for one in getattr(found, name)] for name in listed},
        "links": [asdict(one) for one in sorted(found.links, key=_interest)[:MOST_LINKS]],
        "links_total": len(found.links),
        "pool": {
            "came": [asdict(one) for one in found.pool_came],
            "went": [asdict(one) for one in found.pool_went],
        },
        "figures": [asdict(one) for one in found.figures],
        "causes": [asdict(one) for one in found.causes],
    }


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Yield a comparison as lines for a terminal."""
    if found.same:
        yield "The same to the last digit."
        return
    for change in found.settings:
        yield change.words
    for title, moves in (("Came", found.came), ("Went", found.went), ("Moved", found.moved)):
        if moves:
            yield f"{title}: {plural(len(moves), 'passage')}"
            for move in moves:
                places = " -> ".join("-" if rank is None else str(rank) for rank in (move.before, move.after))
                yield f"  {places:>9}  {move.label}" + (f": {move.why}" if move.why else "")
    for passage in found.other_words:
        yield f"Text changed: {passage.label} [{passage.id}]"
        yield f"  {marked_words(diff_words(passage.before, passage.after, 'und'))}"
    for other in found.altered:
        if other.before is not None or other.after is not None:
            yield f"Changed: {other.label}: {other.field} {other.before} before, {other.after} now"
    yield from _link_lines(found.links)
    if found.pool_came or found.pool_went:
        came, went = len(found.pool_came), len(found.pool_went)
        yield f"Pool: {plural(came, 'passage')} added, {went:,} removed"
    if not (found.settings or found.came or found.went or found.moved or found.other_words):
        yield "The ranking is the same; figures or trails differ."
    shown = [passage for passage in found.figures if _SHOWN.fullmatch(passage.name)]
    for figure in shown:
        yield f"{figure.name}: {_short(figure.before)} before, {_short(figure.after)} now"
    if len(found.figures) > len(shown):
        yield f"{plural(len(found.figures) - len(shown), 'other figure')} differ"
    for cause in found.causes:
        yield f"Because: {cause.words}"
    for why in found.inexact:
        yield f"Not reproducible: {why}"


def _link_lines(links: Sequence[LinkChange]) -> Iterator[str]:
    """Yield references one by one, and the number of all other links."""
    written = [link for link in links if _interest(link) == 0]
    for link in written[:MOST_LINES]:
        quote = f" (“{link.quote[:80]}”)" if link.quote else ""
        yield f"Link {link.change}: {link.source} -> {link.target}, {link.relation} by {link.strategy}{quote}"
    rest = Counter(link.change for link in [*written[MOST_LINES:], *(o for o in links if _interest(o) > 0)])
    if rest:
        counts = ", ".join(f"{count:,} {change}" for change, count in rest.items())
        yield f"{'Other hops' if written else 'Hops'}: {counts}"


def _interest(link: LinkChange) -> int:
    """Return a sort key: references first, then links that are in only one pool."""
    if link.source is not None and Relation(link.relation) not in UNWRITTEN and link.change != "changed":
        return 0
    return 1 if link.change != "changed" else 2


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:80]} …"


# Fields for times and costs. A cached answer of a language model costs nothing.
TIMES = frozenset({"milliseconds", "started", "usage"})
# Fields that describe a passage of the ranking, except its rank, text and score.
DESCRIBED = (
    *("document", "title", "label", "headings", "language", "page", "status", "valid_from", "valid_to"),
    *("validity", "out_of_force", "edition", "assembled", "same_words", "trails"),
)
RANKED_BY = ("score", "breakdown", "hits")
MOST_NAMED = 3


def compare(
    before: Record,
    after: Record,
    *,
    corpora: tuple[Corpus | None, Corpus | None] = (None, None),
    states: tuple[str, str] = ("", ""),
) -> Comparison:
    """Compare two records made by ``investigation_to_json`` and find the cause of each difference.

    ``corpora`` are the corpora of the two cases, None for one that is not open; if both are open, every
    difference between them is known. ``states`` are their fingerprints, empty if unknown.
    """
    before, after = with_common_fields(_plain(before), _plain(after))
    first, second = ComparedCase(before, corpora[0]), ComparedCase(after, corpora[1])
    given = changed_inputs(before, after)
    same = without_times(before) == without_times(after)
    changes = None
    if not same and corpora[0] is not None and corpora[1] is not None:
        changes = compare_corpora(corpora[0], corpora[1])
    differs = before["corpus"] != after["corpus"] or (all(states) and states[0] != states[1])
    causes = Causes(first, second, given, changes, bool(differs or changes))
    return _Comparer(first, second, causes).compared(same, given)


class _Comparer:
    """Compares two cases part by part."""

    def __init__(self, first: ComparedCase, second: ComparedCase, causes: Causes) -> None:
        self.first, self.second, self.causes = first, second, causes
        self.both = [name for name in second.ranked if name in first.ranked]

    def compared(self, same: bool, given: tuple[InputChange, ...]) -> Comparison:
        other_words = (*self._reworded(), *self._versions())
        pool_went = tuple(self._pooled(removed=True))
        pool_came = tuple(self._pooled(removed=False))
        came = tuple(self._arrivals(removed=False))
        went = tuple(self._arrivals(removed=True))
        rescored = tuple(self._rescored())
        moved = tuple(self._moved([*came, *went], {one.id: one for one in rescored}))
        altered = tuple(self._altered())
        links = tuple(compare_links(self.first, self.second, self.causes))
        figures = tuple(compare_figures(self.first.record, self.second.record))
        inexact = tuple(
            dict.fromkeys([*find_chance_reasons(self.first.record), *find_chance_reasons(self.second.record)])
        )
        return Comparison(
            same, inexact, given, came, went, moved, other_words, altered, rescored,
            pool_came, pool_went, links, figures, tuple(self.causes.found),
        )  # fmt: skip

    def _reworded(self) -> Iterator[Reworded]:
        for name in self.both:
            old, new = self.first.ranked[name], self.second.ranked[name]
            text = self.second.words(old)
            if text is not None and text != old["text"]:
                self._learn(old)
            if old["text"] != new["text"] and old["assembled"] == new["assembled"]:
                causes = self._of_members(old)
                yield Reworded(name, self._label(name), old["text"], new["text"], causes)
        for old in (one for name, one in self.first.ranked.items() if name not in self.second.ranked):
            text = self.second.words(old)
            if text is not None and text != old["text"]:
                self._learn(old)

    def _versions(self) -> Iterator[Reworded]:
        """Yield the provisions that each case ranks in another version: the law of two days."""
        old = {
            (self._text(one, self.first), one["label"]): one
            for name, one in self.first.ranked.items()
            if one["label"] and name not in self.second.ranked
        }
        for name, new in self.second.ranked.items():
            before = old.get((self._text(new, self.second), new["label"]))
            if before is not None and name not in self.first.ranked and before["text"] != new["text"]:
                causes = self.causes.of_absence(name, removed=False)
                yield Reworded(name, self._label(name), before["text"], new["text"], causes)

    def _text(self, passage: Record, case: ComparedCase) -> tuple[str, str]:
        """Return a key that the versions of a passage's document share."""
        return case.family(passage["document"]), passage["language"]

    def _learn(self, passage: Record) -> None:
        """Record that a passage's text changed if the corpora are not open to show it."""
        if self.causes.changes is None:
            self.causes.is_reworded(passage["id"])

    def _of_members(self, passage: Record) -> CauseNumbers:
        """Return the causes for a passage, or for the passages assembled with it."""
        found = self.causes.of_passage(passage["id"])
        for member in passage["assembled"]:
            found += self.causes.of_passage(member)
        return tuple(dict.fromkeys(found)) or self.causes.otherwise()

    def _pooled(self, *, removed: bool) -> Iterator[Pooled]:
        there, lacking = (self.first, self.second) if removed else (self.second, self.first)
        for name in there.nodes:
            if name not in lacking.nodes:
                yield Pooled(name, self._label(name), self.causes.of_absence(name, removed=removed))

    def _arrivals(self, *, removed: bool) -> Iterator[Move]:
        there, lacking = (self.first, self.second) if removed else (self.second, self.first)
        for name, passage in there.ranked.items():
            if name not in lacking.ranked:
                why, causes = self._arrival(passage, there, lacking, removed)
                before, after = (passage["rank"], None) if removed else (None, passage["rank"])
                yield Move(name, self._label(name), before, after, why, causes)

    def _arrival(
        self, passage: Record, there: ComparedCase, lacking: ComparedCase, removed: bool
    ) -> tuple[str, CauseNumbers]:
        name = passage["id"]
        if name not in lacking.nodes:
            causes = self.causes.of_absence(name, removed=removed)
            return f"{self._way(name, there)}{self._summarize(causes)}", causes
        if name in lacking.dismissed:
            causes = self.causes.of_step(name, "dismissed")
            return self._summarize(causes), causes
        joined = next((one for one in lacking.ranked.values() if name in one["assembled"]), None)
        own = self.causes.of_passage(name)
        if joined is not None:
            causes = own or self._of_members(joined)
            return f"it is shown joined with {self._label(joined['id'])}: {self._summarize(causes)}", causes
        if passage["rank"] > lacking.record["settings"]["top_k"]:
            causes = self.causes.settings(("top_k",)) or self.causes.otherwise()
            return self._summarize(causes), causes
        instead = [one for one in lacking.ranked if one not in there.ranked]
        causes = own or self._of_others(instead) or self.causes.otherwise()
        return f"in both pools, with a different rank: {self._summarize(causes)}", causes

    def _way(self, name: str, there: ComparedCase) -> str:
        """Return how a passage entered the pool, empty if a scan found it."""
        hops = there.bringing(name) if name in there.nodes else ()
        hop = next((hop for hop in hops if hop["source"] is not None), None)
        if hop is None:
            return ""
        return f"by {hop['strategy']} from {self._label(hop['source'])}: "

    def _of_others(self, names: Sequence[str]) -> CauseNumbers:
        """Return why some passages are ranked although they are not in the pool of the other case."""
        found: list[int] = []
        for name in names:
            removed = name in self.first.ranked
            if name not in (self.second if removed else self.first).nodes:
                found += self.causes.of_absence(name, removed=removed)
        return tuple(dict.fromkeys(found))

    def _rescored(self) -> Iterator[Rescored]:
        for name in self.both:
            old, new = self.first.ranked[name], self.second.ranked[name]
            if any(old[key] != new[key] for key in RANKED_BY):
                causes = self.causes.of_passage(name) or self.causes.otherwise()
                yield Rescored(name, self._label(name), old["score"], new["score"], _parts(old, new), causes)

    def _moved(self, arrived: Sequence[Move], rescored: Mapping[str, Rescored]) -> Iterator[Move]:
        for name in self.both:
            old, new = self.first.ranked[name]["rank"], self.second.ranked[name]["rank"]
            if old == new:
                continue
            own = rescored.get(name)
            if own is not None and own.before != own.after:
                parts = f" for {', '.join(own.parts)}" if own.parts else ""
                score = f"its score is {own.after:g} instead of {own.before:g}"
                why = f"{score}{parts}: {self._summarize(own.causes)}"
                yield Move(name, self._label(name), old, new, why, own.causes)
                continue
            passed = [one for one in arrived if min(one.before or old, one.after or new) <= max(old, new)]
            found = tuple(dict.fromkeys(number for one in passed for number in one.causes))
            if not found:
                found = tuple(dict.fromkeys(number for one in rescored.values() for number in one.causes))
            causes = found or self.causes.otherwise()
            why = f"moved by other passages: {self._summarize(causes)}"
            yield Move(name, self._label(name), old, new, why, causes)

    def _altered(self) -> Iterator[Altered]:
        for name in self.both:
            old, new = self.first.ranked[name], self.second.ranked[name]
            for field in DESCRIBED:
                if old[field] == new[field]:
                    continue
                before, after = (None, None) if field == "trails" else (old[field], new[field])
                yield Altered(name, self._label(name), field, before, after, self._described(name, field))

    def _described(self, name: str, field: str) -> CauseNumbers:
        dated = self.causes.redated(name)
        if field in ("validity", "out_of_force") and not dated:
            return self.causes.otherwise(("day", "as_of"))
        return dated or self.causes.of_passage(name) or self.causes.otherwise()

    def _label(self, name: str) -> str:
        return self.second.label(name) or self.first.label(name) or name

    def _summarize(self, causes: CauseNumbers) -> str:
        words = [self.causes.found[number].words for number in causes]
        more = len(words) - MOST_NAMED
        return "; ".join(words[:MOST_NAMED]) + (f"; and {more:,} more" if more > 0 else "")


def without_times(value: Any) -> Any:
    """Return a record without times and costs."""
    if isinstance(value, Mapping):
        values = {name: without_times(item) for name, item in value.items() if name not in TIMES}
        return (
            {**values, "notes": without_durations(values["notes"])}
            if isinstance(values.get("notes"), list)
            else values
        )
    return [without_times(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(record: Record) -> Record:
    """Return a record as it is read from a file (lists instead of tuples)."""
    plain: Record = orjson.loads(orjson.dumps(record, option=orjson.OPT_NON_STR_KEYS))
    return plain


def find_chance_reasons(record: Record) -> Iterator[str]:
    """Yield the reasons why a replay of a case may differ by chance."""
    reason = record["stop"]["reason"]
    if record["usage"] or (record["model"] and record["settings"]["model_tasks"]):
        yield "a language model was asked, which may answer differently; cached answers are the same"
    if reason in (StopReason.TIME, StopReason.CALLS):
        yield "its budget of time or calls stopped it"
    if reason == StopReason.PERSON:
        yield "a user stopped it"
    if carries_on(record):
        yield "it continued from the pool of a saved case, which a replay does not have"


def carries_on(record: Record) -> bool:
    """Return whether a case continued from another pool, not filled by its own scan or rounds."""
    own = {report["number"] for report in record["rounds"]}
    brought = [node["round"] for node in record["pool"]["nodes"] if node["strategy"] != PERSON]
    scanned = record["rounds"][0]["admitted"] if record["rounds"] else 0
    return not own.issuperset(brought) or brought.count(0) > scanned


def _parts(old: Record, new: Record) -> tuple[str, ...]:
    """Return the names of the parts of two scores that differ."""
    before, after = ({part["name"]: part["value"] for part in one["breakdown"]} for one in (old, new))
    return tuple(name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name))
