"""Settings in words: the nearest preset and the changed fields."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.settings import InvestigationSettings, Preset, preset, presets

MOST_CHANGES = 3


def nearest(settings: InvestigationSettings) -> Preset:
    """Return the preset with the fewest changed fields; among equals the default, then the fastest."""
    available = presets()
    return min(
        available,
        key=lambda name: (len(list(changed_fields(settings, available[name]))), name != Preset.AUTO),
    )


def changed_fields(settings: InvestigationSettings, base: InvestigationSettings) -> Iterator[str]:
    """Yield the names of fields that differ; the order of lists does not matter."""
    for name in InvestigationSettings.model_fields:
        ours, theirs = getattr(settings, name), getattr(base, name)
        if isinstance(ours, tuple) and isinstance(theirs, tuple):
            ours, theirs = sorted(ours), sorted(theirs)
        if ours != theirs:
            yield name


def settings_words(settings: InvestigationSettings, most: int = MOST_CHANGES) -> str:
    """Return settings as a phrase: "Balanced", or "Balanced, changed: rounds 4, pool size 800 and 2 more"."""
    name = nearest(settings)
    names = list(changed_fields(settings, preset(name)))
    title = name.value.capitalize()
    if not names:
        return title
    changes = ", ".join(f"{field_words(one)} {value_words(getattr(settings, one))}" for one in names[:most])
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{title}, changed: {changes}{rest}"


def field_words(name: str) -> str:
    """Return the name of a setting as words: "pool size"."""
    return name.replace("_", " ")


def value_words(value: object) -> str:
    """Return a value as words: "on", "4", "0.14", "none", "bm25, dense", "“power of attorney”; “proxy”"."""
    match value:
        case None | () | "":
            return "none"
        case bool():
            return "on" if value else "off"
        case date():
            return value.isoformat()
        case float() if value.is_integer():
            return str(int(value))
        case tuple():
            spaced = any(" " in one or "," in one for one in value)
            return "; ".join(f"“{one}”" for one in value) if spaced else ", ".join(value)
        case _:
            return str(value)


def day_words(day: date) -> str:
    """Return a day as words: "22 Nov 2026"."""
    return f"{day.day} {day:%b} {day.year}"
