"""What a language model is to read, planned once: the cost told and the run rest on the same plan."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from engine.caching import Cache
from engine.extraction import Plan


@dataclass(slots=True)
class Extraction:
    """What a run of a model has brought: the lines of its report."""

    lines: tuple[str, ...] = ()


def plans() -> Cache[Hashable, Plan]:
    """Make a cache of plans: each reads every passage, and is needed for the cost and for the run."""
    return Cache("plans of extractions", 4)
