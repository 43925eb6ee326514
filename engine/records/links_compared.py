"""The hops of two pools: which are in one alone, and which are told otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.records.causes import Causes, Found
from engine.records.sides import Hop, Side

GONE, NEW, CHANGED = "gone", "new", "changed"
Ends = tuple[str | None, str, str, str, str]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A hop that differs. ``change``: it is ``gone`` from the second pool, ``new`` in it, or ``changed``:
    with other words, another strength, of another round. ``source`` is None where it starts at the
    question."""

    change: str
    source: str | None
    target: str
    strategy: str
    relation: str
    direction: str
    quote: str
    causes: Found


def links_between(first: Side, second: Side, causes: Causes) -> Iterator[LinkChange]:
    """All hops that differ, in the order of the pools."""
    old, new = _hops(first), _hops(second)
    for ends, hops in old.items():
        if ends not in new:
            yield _change(GONE, ends, hops[0], causes.of_hop(hops[0], gone=True))
    for ends, hops in new.items():
        if ends not in old:
            yield _change(NEW, ends, hops[0], causes.of_hop(hops[0], gone=False))
        elif hops != old[ends]:
            own = (() if ends[0] is None else causes.of_passage(ends[0])) + causes.of_passage(ends[1])
            yield _change(CHANGED, ends, hops[0], tuple(dict.fromkeys(own)) or causes.otherwise())


def _hops(side: Side) -> Mapping[Ends, list[Hop]]:
    found: defaultdict[Ends, list[Hop]] = defaultdict(list)
    for hop in side.record["pool"]["edges"]:
        ends = hop["source"], hop["target"], hop["strategy"], hop["relation"], hop["direction"]
        found[ends].append(hop)
    return found


def _change(change: str, ends: Ends, hop: Hop, causes: Found) -> LinkChange:
    return LinkChange(change, *ends, hop["quote"], causes)
