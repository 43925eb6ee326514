"""Documents that were read whole, in the order of their text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from engine.investigation.pool import Pool
from engine.investigation.strategies.whole_document import WholeDocument
from engine.language.characters import attribute, escape
from engine.model import Hop
from engine.records.wording import Name


def as_read(pool: Pool, passage_ids: Sequence[str]) -> list[str]:
    """Passages as they were, but those that came with a whole document in the order of the text."""
    whole = [one for one in passage_ids if pool.strategy(one) == WholeDocument.name]
    ordered = iter(sorted(whole, key=lambda one: pool.entry(one).row))
    return [next(ordered) if pool.strategy(one) == WholeDocument.name else one for one in passage_ids]


def read_whole(
    pool: Pool,
    sources: Sequence[str],
    rest: Collection[str],
    card: Callable[[str], str],
    name: Name,
    titled: Callable[[str, Collection[str]], str],
) -> tuple[str, set[str]]:
    """The documents that were read whole from some passages, the last one first, and which passages stand
    there as cards. What has a card elsewhere, since it is not in ``rest``, is named in its place. ``titled``
    says of a passage's document what it is called, and how much of it these passages are."""
    hops: dict[str, list[Hop]] = {}
    for hop in pool.hops_of([WholeDocument.name]):
        if hop.source_id is not None:
            hops.setdefault(hop.source_id, []).append(hop)
    parts: list[str] = []
    told: set[str] = set()
    for source in reversed(sources):
        here = hops.get(source)
        if not here:
            continue
        ids = {source, *(hop.target_id for hop in here)} - pool.dismissed
        ordered = sorted(ids, key=lambda one: pool.entry(one).row)
        cards = "".join(
            card(one) if one in rest and one not in told else _elsewhere(one, name) for one in ordered
        )
        told |= ids & set(rest)
        head = f"Read whole: {titled(source, ids)}"
        parts.append(
            f'<section class="read-whole" data-from="{attribute(source)}"><h3 dir="auto">{escape(head)}</h3>'
            f"{cards}</section>"
        )
    return "".join(parts), told


def _elsewhere(passage_id: str, name: Name) -> str:
    return (
        f'<p class="elsewhere"><button type="button" data-select="{attribute(passage_id)}">'
        f"<bdi>{escape(name(passage_id))}</bdi></button> has a card above.</p>"
    )
