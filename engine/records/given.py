"""What two cases were given that differs: question, corpus, day, model, plan and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_GIVEN = ("question", "corpus", "day", "model")


@dataclass(frozen=True, slots=True)
class Given:
    """A setting, by its name, in both cases."""

    name: str
    before: Any
    after: Any

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"{self.name}: {_said(self.before)} before, {_said(self.after)} now"


def given_otherwise(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Given, ...]:
    """What two records were given that differs. A plan that the engine made is nothing that was given: it
    follows from the rest."""
    old, new = before["settings"], after["settings"]
    # The day that a case looked at follows from a day that was set.
    names = [name for name in _GIVEN if name != "day" or old.get("as_of") == new.get("as_of")]
    found = [Given(name, before[name], after[name]) for name in names if before[name] != after[name]]
    ranked_by = before.get("weights", ""), after.get("weights", "")
    if ranked_by[0] != ranked_by[1]:
        found.append(Given("weights", *ranked_by))
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            found.append(Given(name, old.get(name), new.get(name)))
    if before["plan"] != after["plan"] and (before["plan"]["edited"] or after["plan"]["edited"]):
        found.append(Given("plan", *_plans(before["plan"], after["plan"])))
    return tuple(found)


def _plans(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Any]:
    """Two plans as they are told: the views that are on, else the fields that differ."""
    views = [[view["text"] for view in plan["views"] if view["enabled"]] for plan in (before, after)]
    names = [name for name in before if before[name] != after.get(name)]
    if views[0] != views[1]:
        yield from views
    else:
        yield from ({name: plan.get(name) for name in names} for plan in (before, after))


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items()) or "none"
    return "none" if value in (None, "") else str(value)
