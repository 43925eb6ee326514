"""What a language model is to read, planned once: the cost told and the run rest on the same plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock

from engine.extraction import Plan

# Making a plan reads every passage: the last ones are kept between the cost and the beginning.
KEPT = 4


@dataclass(slots=True)
class Extraction:
    """What a run of a model has brought: the lines of its report."""

    lines: tuple[str, ...] = ()


class Plans:
    """The last plans, by what they were made for. Safe for several threads."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Hashable, Plan] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Plan]) -> Plan:
        """The plan of a key, made once."""
        with self._lock:
            known = self._plans.get(key)
        if known is None:
            known = make()
            with self._lock:
                self._plans[key] = known
                while len(self._plans) > KEPT:
                    self._plans.popitem(last=False)
        return known
