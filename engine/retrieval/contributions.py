"""What each retriever gave to a list of passages: the scan's candidates, the final ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.model import RankedPassage, RetrieverCount, RetrieverHit
from engine.retrieval.retrievers.registry import title_of


def contributions(
    hits: Iterable[Sequence[RetrieverHit]], names: Iterable[str], off: Mapping[str, str] | None = None
) -> tuple[RetrieverCount, ...]:
    """A count for each retriever in ``names``, and for those that were ``off`` (name -> why).

    ``hits``: those of each passage, best passage first; a passage without hits was found otherwise.
    """
    found: dict[str, list[int]] = {name: [] for name in names}
    alone: dict[str, list[int]] = {name: [] for name in found}
    for place, own in enumerate(hits, 1):
        finders = {hit.retriever for hit in own}
        for name in finders & found.keys():
            found[name].append(place)
            if len(finders) == 1:
                alone[name].append(place)
    counts = [
        RetrieverCount(name, len(places), len(alone[name]), min(places, default=None))
        for name, places in found.items()
    ]
    return (*counts, *(RetrieverCount(name, off=reason) for name, reason in (off or {}).items()))


def in_ranking(
    passages: Sequence[RankedPassage], scanned: Sequence[RetrieverCount]
) -> tuple[RetrieverCount, ...]:
    """What the retrievers of a scan gave to the final ranking."""
    names = [count.retriever for count in scanned if not count.off]
    return contributions((ranked.hits for ranked in passages), names)


def off_notes(off: Mapping[str, str], held: Iterable[str]) -> tuple[str, ...]:
    """Notes on the retrievers that did not search though the corpus holds what they need (``held``)."""
    return tuple(f"{title_of(name)} is off: {off[name]}" for name in held if off.get(name))
