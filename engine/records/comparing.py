"""The comparison of two cases: what came, went and moved, each with its cause."""

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
from engine.model import Relation, StopReason
from engine.records.causes import Cause, Causes, Found, LinkChange, links_between
from engine.records.sides import (
    Figure,
    Given,
    Record,
    Side,
    alike,
    changes_between,
    figures_between,
    given_otherwise,
    timeless_notes,
)
from engine.records.wording import plural

# What a comparison of two cases found; as plain values, and as lines for a terminal.

# Links of two pools that are told one by one, those that words make first; fewer on a terminal.
MOST_LINKS, MOST_LINES = 500, 20
# The figures that a terminal is told one by one.
_TOLD = re.compile(r"evidence\.status|metrics\..*|stop\.reason|coverage\..*\.state|notes|message")


@dataclass(frozen=True, slots=True)
class Move:
    """A passage of which the ranking says something else. ``before`` and ``after`` are ranks, None where it
    is not ranked; ``why`` says what made the difference, as far as is known, ``causes`` are numbers of
    causes."""

    id: str
    label: str
    before: int | None
    after: int | None
    why: str
    causes: Found


@dataclass(frozen=True, slots=True)
class Reworded:
    """A passage of both rankings that says something else: its words in both."""

    id: str
    label: str
    before: str
    after: str
    causes: Found


@dataclass(frozen=True, slots=True)
class Altered:
    """A passage of both rankings that is described otherwise: which field, and how it was and is."""

    id: str
    label: str
    field: str
    before: Any
    after: Any
    causes: Found


@dataclass(frozen=True, slots=True)
class Rescored:
    """A passage of both rankings that is ranked by other figures: its score in both, and the parts of the
    score that differ."""

    id: str
    label: str
    before: float
    after: float
    parts: tuple[str, ...]
    causes: Found


@dataclass(frozen=True, slots=True)
class Pooled:
    """A passage that is in the pool of one case alone."""

    id: str
    label: str
    causes: Found


@dataclass(frozen=True, slots=True)
class Comparison:
    """``same``: nothing but times and costs differs. ``inexact``: why a replay of either case may differ by
    itself. ``settings`` are what the cases were given that differs. ``came``, ``went``, ``moved``,
    ``other_words``, ``altered`` and ``rescored`` are of the ranking, ``pool_came`` and ``pool_went`` of the
    pool, ``links`` of its hops; ``figures`` are all other values that differ. ``causes`` are named by their
    numbers."""

    same: bool
    inexact: tuple[str, ...]
    settings: tuple[Given, ...]
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
    """A comparison as plain values.

    Keys: same, inexact (sentences), settings (name, before, after), came, went, moved (id, label, before,
    after, why, causes), other_words (id, label, before, after, causes), altered (id, label, field, before,
    after, causes), rescored (id, label, before, after, parts, causes), links (change: gone, new or changed;
    source, target, strategy, relation, direction, quote, causes; 500 at most, ``links_total`` says how many
    there are), pool (came and went: id, label, causes), figures (name, before, after), causes (kind, about,
    words). ``causes`` of a difference are indexes into ``causes``. Kinds: setting, step, document, passage,
    words, dates, link, corpus, model, engine.
    """
    return {
        "same": found.same,
        "inexact": list(found.inexact),
        "settings": [asdict(one) for one in found.settings],
        "came": [asdict(one) for one in found.came],
        "went": [asdict(one) for one in found.went],
        "moved": [asdict(one) for one in found.moved],
        "other_words": [asdict(one) for one in found.other_words],
        "altered": [asdict(one) for one in found.altered],
        "rescored": [asdict(one) for one in found.rescored],
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
    """A comparison for a terminal."""
    if found.same:
        yield "The same to the last digit."
        return
    for given in found.settings:
        yield given.words
    for title, moves in (("Came", found.came), ("Went", found.went), ("Moved", found.moved)):
        if moves:
            yield f"{title}: {plural(len(moves), 'passage')}"
            for move in moves:
                places = " -> ".join("-" if rank is None else str(rank) for rank in (move.before, move.after))
                yield f"  {places:>9}  {move.label}" + (f": {move.why}" if move.why else "")
    for one in found.other_words:
        yield f"Other words: {one.label} [{one.id}]"
    for other in found.altered:
        if other.before is not None or other.after is not None:
            yield f"Otherwise: {other.label}: {other.field} {other.before} before, {other.after} now"
    yield from _link_lines(found.links)
    if found.pool_came or found.pool_went:
        came, went = len(found.pool_came), len(found.pool_went)
        yield f"Pool: {plural(came, 'passage')} more and {went:,} fewer"
    if not (found.settings or found.came or found.went or found.moved or found.other_words):
        yield "The ranking is the same; figures or trails differ."
    told = [one for one in found.figures if _TOLD.fullmatch(one.name)]
    for figure in told:
        yield f"{figure.name}: {_short(figure.before)} before, {_short(figure.after)} now"
    if len(found.figures) > len(told):
        yield f"{plural(len(found.figures) - len(told), 'other figure')} differ"
    for cause in found.causes:
        yield f"Because: {cause.words}"
    for why in found.inexact:
        yield f"Not exact: {why}"


def _link_lines(links: Sequence[LinkChange]) -> Iterator[str]:
    """Links that words make one by one, all others by how many there are."""
    written = [one for one in links if _interest(one) == 0]
    for one in written[:MOST_LINES]:
        quote = f" (“{one.quote[:80]}”)" if one.quote else ""
        yield f"Link {one.change}: {one.source} -> {one.target}, {one.relation} by {one.strategy}{quote}"
    rest = Counter(one.change for one in [*written[MOST_LINES:], *(o for o in links if _interest(o) > 0)])
    if rest:
        told = ", ".join(f"{count:,} {change}" for change, count in rest.items())
        yield f"{'Other hops' if written else 'Hops'}: {told}"


def _interest(one: LinkChange) -> int:
    """What words make comes first, then what is in one pool alone."""
    if one.source is not None and Relation(one.relation) not in UNWRITTEN and one.change != "changed":
        return 0
    return 1 if one.change != "changed" else 2


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:80]} …"


# Two records of cases side by side: what came, what went, what moved, and what made the
# difference.
#
# A replay of a case on the same corpus, engine and settings equals it to the last digit; times
# and what a language model cost alone differ.

__all__ = ["chances", "compare", "comparison_lines", "comparison_to_json", "timeless"]
# What says when, how fast and at what cost, and nothing of what was found: an answer of a language model that
# was kept costs nothing the second time.
TIMES = frozenset({"milliseconds", "started", "usage"})
# How a passage of the ranking is described, beside its place, its words and what it was ranked by.
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
    """What differs between two records, as ``investigation_to_json`` makes them, and why.

    ``corpora`` are those of the two, as far as they are at hand: with both, each difference between them is
    known. ``states`` are their fingerprints, where they are known.
    """
    before, after = alike(_plain(before), _plain(after))
    first, second = Side(before, corpora[0]), Side(after, corpora[1])
    given = given_otherwise(before, after)
    same = timeless(before) == timeless(after)
    changes = None
    if not same and corpora[0] is not None and corpora[1] is not None:
        changes = changes_between(corpora[0], corpora[1])
    differs = before["corpus"] != after["corpus"] or (all(states) and states[0] != states[1])
    causes = Causes(first, second, given, changes, bool(differs or changes))
    return _Comparing(first, second, causes).compared(same, given)


class _Comparing:
    """Two sides that are gone through."""

    def __init__(self, first: Side, second: Side, causes: Causes) -> None:
        self.first, self.second, self.causes = first, second, causes
        self.both = [name for name in second.ranked if name in first.ranked]

    def compared(self, same: bool, given: tuple[Given, ...]) -> Comparison:
        other_words = tuple(self._reworded())
        pool_went = tuple(self._pooled(gone=True))
        pool_came = tuple(self._pooled(gone=False))
        came = tuple(self._arrivals(gone=False))
        went = tuple(self._arrivals(gone=True))
        rescored = tuple(self._rescored())
        moved = tuple(self._moved([*came, *went], {one.id: one for one in rescored}))
        altered = tuple(self._altered())
        links = tuple(links_between(self.first, self.second, self.causes))
        figures = tuple(figures_between(self.first.record, self.second.record))
        inexact = tuple(dict.fromkeys([*chances(self.first.record), *chances(self.second.record)]))
        return Comparison(
            same, inexact, given, came, went, moved, other_words, altered, rescored,
            pool_came, pool_went, links, figures, tuple(self.causes.found),
        )  # fmt: skip

    def _reworded(self) -> Iterator[Reworded]:
        for name in self.both:
            old, new = self.first.ranked[name], self.second.ranked[name]
            said = self.second.words(old)
            if said is not None and said != old["text"]:
                self._learn(old)
            if old["text"] != new["text"] and old["assembled"] == new["assembled"]:
                causes = self._of_members(old)
                yield Reworded(name, self._label(name), old["text"], new["text"], causes)
        for old in (one for name, one in self.first.ranked.items() if name not in self.second.ranked):
            said = self.second.words(old)
            if said is not None and said != old["text"]:
                self._learn(old)

    def _learn(self, passage: Record) -> None:
        """Which passage has other words, where the corpora did not say so: where several are joined, the one
        around which they are."""
        if self.causes.changes is None:
            self.causes.is_reworded(passage["id"])

    def _of_members(self, passage: Record) -> Found:
        """What differs in a passage, or in those that are joined with it."""
        found = self.causes.of_passage(passage["id"])
        for member in passage["assembled"]:
            found += self.causes.of_passage(member)
        return tuple(dict.fromkeys(found)) or self.causes.otherwise()

    def _pooled(self, *, gone: bool) -> Iterator[Pooled]:
        there, lacking = (self.first, self.second) if gone else (self.second, self.first)
        for name in there.nodes:
            if name not in lacking.nodes:
                yield Pooled(name, self._label(name), self.causes.of_absence(name, gone=gone))

    def _arrivals(self, *, gone: bool) -> Iterator[Move]:
        there, lacking = (self.first, self.second) if gone else (self.second, self.first)
        for name, passage in there.ranked.items():
            if name not in lacking.ranked:
                why, causes = self._arrival(passage, there, lacking, gone)
                before, after = (passage["rank"], None) if gone else (None, passage["rank"])
                yield Move(name, self._label(name), before, after, why, causes)

    def _arrival(self, passage: Record, there: Side, lacking: Side, gone: bool) -> tuple[str, Found]:
        name = passage["id"]
        if name not in lacking.nodes:
            causes = self.causes.of_absence(name, gone=gone)
            return f"{self._way(name, there)}{self._told(causes)}", causes
        if name in lacking.dismissed:
            causes = self.causes.of_step(name, "dismissed")
            return self._told(causes), causes
        joined = next((one for one in lacking.ranked.values() if name in one["assembled"]), None)
        own = self.causes.of_passage(name)
        if joined is not None:
            causes = own or self._of_members(joined)
            return f"it is shown joined with {self._label(joined['id'])}: {self._told(causes)}", causes
        if passage["rank"] > lacking.record["settings"]["top_k"]:
            causes = self.causes.settings(("top_k",)) or self.causes.otherwise()
            return self._told(causes), causes
        instead = [one for one in lacking.ranked if one not in there.ranked]
        causes = own or self._of_others(instead) or self.causes.otherwise()
        return f"in both pools, of another rank: {self._told(causes)}", causes

    def _way(self, name: str, there: Side) -> str:
        """By what a passage came into the pool, where that was no scan."""
        hops = there.bringing(name) if name in there.nodes else ()
        hop = next((hop for hop in hops if hop["source"] is not None), None)
        if hop is None:
            return ""
        return f"by {hop['strategy']} from {self._label(hop['source'])}: "

    def _of_others(self, names: Sequence[str]) -> Found:
        """Why passages are there that are not in the pool of the other case."""
        found: list[int] = []
        for name in names:
            gone = name in self.first.ranked
            if name not in (self.second if gone else self.first).nodes:
                found += self.causes.of_absence(name, gone=gone)
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
                why = f"its score is {own.after:g} instead of {own.before:g}{parts}: {self._told(own.causes)}"
                yield Move(name, self._label(name), old, new, why, own.causes)
                continue
            passed = [one for one in arrived if min(one.before or old, one.after or new) <= max(old, new)]
            found = tuple(dict.fromkeys(number for one in passed for number in one.causes))
            if not found:
                found = tuple(dict.fromkeys(number for one in rescored.values() for number in one.causes))
            causes = found or self.causes.otherwise()
            yield Move(name, self._label(name), old, new, f"by others: {self._told(causes)}", causes)

    def _altered(self) -> Iterator[Altered]:
        for name in self.both:
            old, new = self.first.ranked[name], self.second.ranked[name]
            for field in DESCRIBED:
                if old[field] == new[field]:
                    continue
                before, after = (None, None) if field == "trails" else (old[field], new[field])
                yield Altered(name, self._label(name), field, before, after, self._described(name, field))

    def _described(self, name: str, field: str) -> Found:
        dated = self.causes.redated(name)
        if field in ("validity", "out_of_force") and not dated:
            return self.causes.otherwise(("day", "as_of"))
        return dated or self.causes.of_passage(name) or self.causes.otherwise()

    def _label(self, name: str) -> str:
        return self.second.label(name) or self.first.label(name) or name

    def _told(self, causes: Found) -> str:
        words = [self.causes.found[number].words for number in causes]
        more = len(words) - MOST_NAMED
        return "; ".join(words[:MOST_NAMED]) + (f"; and {more:,} more" if more > 0 else "")


def timeless(value: Any) -> Any:
    """A record without what says when, how fast and at what cost."""
    if isinstance(value, Mapping):
        kept = {name: timeless(one) for name, one in value.items() if name not in TIMES}
        return (
            {**kept, "notes": timeless_notes(kept["notes"])} if isinstance(kept.get("notes"), list) else kept
        )
    return [timeless(one) for one in value] if isinstance(value, list | tuple) else value


def _plain(record: Record) -> Record:
    """A record as a file has it, in which one kind of list is as good as another."""
    plain: Record = orjson.loads(orjson.dumps(record, option=orjson.OPT_NON_STR_KEYS))
    return plain


def chances(record: Record) -> Iterator[str]:
    """Why a replay of a case may differ by itself."""
    reason = record["stop"]["reason"]
    if record["usage"] or (record["model"] and record["settings"]["model_tasks"]):
        yield "a language model was asked, which may answer otherwise; answers that were kept are the same"
    if reason in (StopReason.TIME, StopReason.CALLS):
        yield "it was stopped by its budget of time or calls"
    if reason == StopReason.PERSON:
        yield "it was stopped by a person"
    if carries_on(record):
        yield "it carried on from the pool of a saved case, which a replay has not"


def carries_on(record: Record) -> bool:
    """Whether a case began with the pool of another: passages came by a scan or a round that is not its
    own."""
    own = {report["number"] for report in record["rounds"]}
    brought = [node["round"] for node in record["pool"]["nodes"] if node["strategy"] != PERSON]
    scanned = record["rounds"][0]["admitted"] if record["rounds"] else 0
    return not own.issuperset(brought) or brought.count(0) > scanned


def _parts(old: Record, new: Record) -> tuple[str, ...]:
    """Names of the parts of two scores that differ."""
    before, after = ({part["name"]: part["value"] for part in one["breakdown"]} for one in (old, new))
    return tuple(name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name))
