"""What a language model used, or is expected to use: as plain values, read back, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.errors import InputError
from engine.llm import Usage
from engine.llm.cost import cache_words, currency_of, usage_values, usage_words


class _UsageFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: float = 0.0
    money: float | None = 0.0
    reused: int = 0
    written_tokens: int = 0
    saved: float | None = 0.0

    def usage(self) -> Usage:
        """What was used; what is not known to be saved counts as nothing."""
        return Usage(**{**self.model_dump(), "saved": self.saved or 0.0})


def usage_to_json(usage: Mapping[str, Usage]) -> dict[str, Any]:
    """What each task used; money is null where no prices are known."""
    return {task: usage_values(used) for task, used in usage.items()}


def usage_from_json(values: Any, where: str = "usage") -> dict[str, Usage]:
    """What ``usage_to_json`` wrote; nothing where a record has none. Raises InputError naming the field."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: usage must name tasks")
    try:
        return {str(task): _UsageFile.model_validate(used).usage() for task, used in values.items()}
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{where}: {'.'.join(map(str, first['loc'])) or 'usage'}: {first['msg']}") from error


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
