"""What language models cost in one investigation: by task, in all, and against the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import SettingsError
from engine.llm.meter import Budget, Meter
from engine.llm.spec import NO_MODEL, read_spec
from engine.llm.usage import Usage

MONEY_DIGITS = 6


@dataclass(frozen=True, slots=True)
class CostReport:
    """``tasks`` in the order in which they were first answered. ``currency`` is empty where no prices are
    known. ``stopped`` tells why the budget stopped the model; empty where it did not. ``seconds`` are those
    that requests took, side by side ones added up."""

    spec: str
    currency: str
    tasks: Mapping[str, Usage]
    total: Usage
    budget: Budget
    stopped: str

    @property
    def seconds(self) -> float:
        """Seconds that requests took."""
        return self.total.milliseconds / 1000


def cost_report(meter: Meter, spec: str = NO_MODEL) -> CostReport:
    """The report of a meter; ``spec`` is the model's, for the name and the currency."""
    tasks = dict(meter.tasks)
    return CostReport(
        spec, currency_of(spec), tasks, sum(tasks.values(), Usage()), meter.budget, meter.opened
    )


def currency_of(spec: str) -> str:
    """The currency of a spec's prices; empty where it has none."""
    try:
        prices = read_spec(spec).prices
    except SettingsError:
        return ""
    return prices.currency if prices else ""


def cost_lines(report: CostReport) -> list[str]:
    """A report in words: a line for all, one for each task, what the provider's cache saved, the budget, and
    why it stopped the model."""
    if not report.tasks:
        asked = ["Language model: not asked"]
    else:
        asked = [f"Language model {report.spec}: {_timed(report.total, report.currency)}"]
        asked += [f"  {task}: {_timed(used, report.currency)}" for task, used in report.tasks.items()]
    if cached := cache_words(report.total, report.currency):
        asked.append(cached)
    limits = [
        f"{limit:g} {report.currency or 'money' if unit == 'money' else unit}"
        for unit, limit in asdict(report.budget).items()
        if limit is not None
    ]
    asked.append(f"Budget: {', '.join(limits) if limits else 'none'}")
    return asked + ([f"Stopped: {report.stopped}"] if report.stopped else [])


def _timed(used: Usage, currency: str) -> str:
    return f"{usage_words(used, currency)}, {used.milliseconds / 1000:.1f} s"


def usage_words(used: Usage, currency: str = "") -> str:
    """What was used in a few words: "3 calls, 2,120 tokens in (1,024 cached), 310 out, 0.0042 USD"."""
    cached = f" ({used.cached_tokens:,} cached)" if used.cached_tokens else ""
    parts = [
        f"{used.calls:,} {'call' if used.calls == 1 else 'calls'}",
        f"{used.prompt_tokens:,} tokens in{cached}",
        f"{used.completion_tokens:,} out",
    ]
    if used.money:
        parts.append(f"{used.money:.4g} {currency or 'money'}")
    if used.reused:
        parts.append(f"{used.reused:,} {'answer' if used.reused == 1 else 'answers'} reused")
    return ", ".join(parts)


def cache_words(used: Usage, currency: str = "") -> str:
    """What the provider's cache had and saved: "Provider's cache: 1,024 of 2,120 tokens in (48 %), 0.0005 USD
    saved". Tokens alone where no price of cached ones is known, nothing where none were cached."""
    if not used.cached_tokens and not used.written_tokens:
        return ""
    share = used.cached_tokens / max(used.prompt_tokens, 1)
    words = f"Provider's cache: {used.cached_tokens:,} of {used.prompt_tokens:,} tokens in ({share:.0%})"
    if not used.saved:
        return words
    told = "saved" if used.saved > 0 else "more than without it, as writing to it costs"
    return f"{words}, {abs(used.saved):.2g} {currency or 'money'} {told}"


def usage_values(used: Usage) -> dict[str, Any]:
    """What was used as plain values; money is null where no prices are known, and what the provider's cache
    saved where no price of cached tokens is."""
    values = asdict(used)
    values["milliseconds"] = round(used.milliseconds, 2)
    values["money"] = None if used.money is None else round(used.money, MONEY_DIGITS)
    known = used.money is not None and (used.saved or not used.cached_tokens)
    values["saved"] = round(used.saved, MONEY_DIGITS) if known else None
    return values
