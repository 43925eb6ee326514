"""Orders in which ranked passages can be read: by rank, as their documents read, or for a model."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from engine.errors import SettingsError
from engine.model import RankedPassage

Item = TypeVar("Item")


class Order(StrEnum):
    """``ends``: the best passages at both ends, the weakest in the middle."""

    RANK = "rank"
    DOCUMENT = "document"
    ENDS = "ends"


def order_of(name: str) -> Order:
    """The order with a name. Raises SettingsError for an unknown one."""
    try:
        return Order(name)
    except ValueError:
        known = ", ".join(order.value for order in Order)
        raise SettingsError(f"unknown order {name!r}; known orders: {known}") from None


def ordered(passages: Sequence[RankedPassage], order: Order) -> tuple[RankedPassage, ...]:
    """Passages of a ranking, best first, in another order; their ranks stay."""
    match order:
        case Order.RANK:
            return tuple(passages)
        case Order.DOCUMENT:
            return by_document(passages)
        case Order.ENDS:
            return both_ends(passages)


def by_document(passages: Sequence[RankedPassage]) -> tuple[RankedPassage, ...]:
    """Documents in the order of their best passage, the passages of each as the document reads."""
    firsts: dict[str, int] = {}
    for place, found in enumerate(passages):
        firsts.setdefault(found.document.id, place)
    return tuple(sorted(passages, key=lambda found: (firsts[found.document.id], found.passage.position)))


def both_ends(items: Sequence[Item]) -> tuple[Item, ...]:
    """The first at the beginning, the second at the end, and so on inwards: 1 3 5 6 4 2.

    Models use best what stands at the ends of a long context (Liu et al. 2023, "Lost in the Middle",
    https://arxiv.org/abs/2307.03172).
    """
    return (*items[::2], *reversed(items[1::2]))
