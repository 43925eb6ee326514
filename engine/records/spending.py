"""What a language model used, or is expected to use: as plain values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.llm import Usage
from engine.llm.cost import cache_words, currency_of, usage_values, usage_words


def usage_to_json(usage: Mapping[str, Usage]) -> dict[str, Any]:
    """What each task used; money is null where no prices are known."""
    return {task: usage_values(used) for task, used in usage.items()}


def usage_lines(usage: Mapping[str, Usage], spec: str = "", head: str = "Language model") -> Iterator[str]:
    """The sum in one line, a line for each task, and what the provider's cache saved; nothing where nothing
    was asked. ``spec`` is the model's, which names the currency of its prices."""
    if not usage:
        return
    currency = currency_of(spec)
    total = sum(usage.values(), Usage())
    yield f"{head}: {usage_words(total, currency)}"
    for task, used in usage.items():
        yield f"  {task}: {usage_words(used, currency)}"
    if cached := cache_words(total, currency):
        yield f"  {cached}"
