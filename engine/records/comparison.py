"""What a comparison of two cases found; as plain values, and as lines for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.extraction.judging import UNWRITTEN
from engine.model import Relation
from engine.records.causes import Cause, Found
from engine.records.figures_compared import Figure
from engine.records.given import Given
from engine.records.links_compared import LinkChange
from engine.records.wording import plural

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
