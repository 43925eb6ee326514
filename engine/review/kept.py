"""Rows of the tables of reviews, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from engine.errors import DamagedError
from engine.records.store.sealing import in_utc
from engine.review.model import Assessment, Item

_Value = TypeVar("_Value")
_ITEM, _ASSESSMENT, _NAMES = TypeAdapter(Item), TypeAdapter(Assessment), TypeAdapter(list[list[str]])
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
        drawn = sampling.get("assigned", []) if isinstance(sampling, Mapping) else []
        named = checked_values(_NAMES, [drawn, self.settings.get(INVITED, [])], "queues.settings")
        return tuple(dict.fromkeys(name for names in named for name in names))


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
    """An item from plain values; fields that this program does not know are passed over. Raises DamagedError
    for values that are no item."""
    return checked_values(_ITEM, {**values, "case_id": case_id}, "item")


def queued_from(row: Mapping[str, Any]) -> QueuedItem:
    """An item of a queue from its row, joined with the id of its case; ``wanted`` are as many as were to
    judge it at first."""
    names = tuple(row["assigned"].split("\n")[1:-1])
    return QueuedItem(
        item_from(row["item"], row["case_id"]), row["stratum"], row["chance"], names, row["overlap"]
    )


def assessment_from(row: Mapping[str, Any]) -> Assessment:
    """An assessment from its row, joined with the id and the question of its case."""
    item = item_from(row["item"], row["case_id"])
    return checked_values(_ASSESSMENT, {**row, "item": item}, "assessments")


def checked_values(form: TypeAdapter[_Value], values: Any, where: str) -> _Value:
    """Plain values that were kept, as what they are. Raises DamagedError for others; ``where`` they were."""
    try:
        return form.validate_python(values)
    except ValidationError as error:
        raise DamagedError(".".join(map(str, (where, *error.errors()[0]["loc"])))) from None


def moment(seconds: float = 0.0) -> str:
    """Now, or so many seconds later, as the tables have it."""
    return in_utc(datetime.now(UTC) + timedelta(seconds=seconds))


def today() -> str:
    """The last midnight, UTC, as the tables have it."""
    return in_utc(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0))
