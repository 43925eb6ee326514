"""Rows of the tables of reviews, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.records.store.sealing import in_utc
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict

_ITEM = tuple(one.name for one in fields(Item))
# In the settings of a queue: the names of those who were asked to join its reviewers.
INVITED = "invited"


@dataclass(frozen=True, slots=True)
class Criteria:
    """What counts as relevant in a matter, in somebody's words; ``version`` counts from 1."""

    version: int
    text: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """An item as it is put into a queue. ``stratum`` says where it was drawn from, ``chance`` is the
    probability, above 0 and at most 1, with which it was, 0 where it is not known; ``assigned`` are the
    reviewers who judge it, nobody for anybody, ``wanted`` how many of them."""

    item: Item
    stratum: str = ""
    chance: float = 1.0
    assigned: tuple[str, ...] = ()
    wanted: int = 1


@dataclass(frozen=True, slots=True)
class Queue:
    """Items to be judged, of cases of one matter. ``settings`` say how they were chosen; ``judged`` of
    ``items`` have as many verdicts as are wanted. ``unsettled``: on so many those who judged them differ, and
    nobody has ended that."""

    id: str
    matter: str
    name: str
    who: str
    created: str
    settings: Mapping[str, Any]
    items: int
    judged: int
    unsettled: int = 0

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who was named to judge its items, or asked to join; nobody where nobody was."""
        sampling = self.settings.get("sampling")
        drawn = sampling.get("assigned", ()) if isinstance(sampling, Mapping) else ()
        return tuple(dict.fromkeys((*drawn, *self.settings.get(INVITED, ()))))


@dataclass(frozen=True, slots=True)
class Turn:
    """What a reviewer is to judge now: the item, by its number in the queue, the question of its case and the
    criteria of its matter. ``until``: for so long nobody else gets it in the reviewer's place, UTC."""

    number: int
    item: Item
    question: str
    criteria: Criteria | None
    stratum: str
    until: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a queue is: ``judged`` of ``items`` in all, ``own`` by this reviewer and ``today`` since
    midnight UTC, ``left`` that this reviewer can still judge, ``later`` of them put off by them."""

    items: int
    judged: int
    own: int
    today: int
    left: int
    later: int


def plain_item(item: Item) -> dict[str, Any]:
    """An item as plain values, without its case, which the row names."""
    found = asdict(item)
    del found["case_id"]
    return found | {"kind": item.kind.value, "copies": list(item.copies)}


def item_from(values: Mapping[str, Any], case_id: str) -> Item:
    """An item from plain values; what this program does not know of it is passed over."""
    known = {name: values[name] for name in _ITEM if name in values}
    copies = tuple(known.pop("copies", ()))
    return Item(**known | {"case_id": case_id, "kind": ItemKind(values["kind"]), "copies": copies})


def queued_from(row: Mapping[str, Any]) -> QueuedItem:
    """An item of a queue from its row, joined with the id of its case; ``wanted`` are as many as were to
    judge it at first."""
    names = tuple(row["assigned"].split("\n")[1:-1])
    return QueuedItem(
        item_from(row["item"], row["case_id"]), row["stratum"], row["chance"], names, row["overlap"]
    )


def assessment_from(row: Mapping[str, Any]) -> Assessment:
    """An assessment from its row, joined with the id and the question of its case."""
    return Assessment(
        number=row["number"],
        item=item_from(row["item"], row["case_id"]),
        question=row["question"],
        verdict=Verdict(row["verdict"]),
        reviewer=row["reviewer"],
        at=row["at"],
        reason=row["reason"],
        note=row["note"],
        sha256=row["sha256"],
        fingerprint=row["fingerprint"],
        engine=row["engine"],
        criteria=row["criteria"],
        source=SourceType(row["source"]),
        seconds=row["seconds"],
        withdraws=row["withdraws"],
        settles=row["settles"],
    )


def moment(seconds: float = 0.0) -> str:
    """Now, or so many seconds later, as the tables have it."""
    return in_utc(datetime.now(UTC) + timedelta(seconds=seconds))


def today() -> str:
    """The last midnight, UTC, as the tables have it."""
    return in_utc(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0))
