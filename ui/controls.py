"""Controls generated from the fields of the settings.

What a control is called, explains, offers and starts with stands in ``InvestigationSettings``; this
file only decides which component shows which kind of field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from engine.settings import InvestigationSettings, checked
from ui.rerankers import check_offered, offered, title

GROUP_TITLES: Mapping[str, str] = {
    "filters": "Filters",
    "plan": "Query plan",
    "scan": "Scan",
    "rounds": "Rounds",
    "gate": "Gate",
    "coverage": "Coverage",
    "stopping": "Stopping",
    "ranking": "Ranking",
    "model": "Language model",
}
# What stands under a group's title. That of the language model goes away when one is connected.
GROUP_HINTS: Mapping[str, str] = {
    "model": '<span class="needs-model">“model” needs a language model, connected by the button at the top. '
    "Until then “plain” does it.</span>"
}
FRACTION_STEP = 0.01
RERANKER = "reranker"
_ADDED_TO_LABEL = frozenset({"cosine", "seconds", "share"})


@dataclass(frozen=True, slots=True)
class Knob:
    """One field as a person sees it. ``low`` and ``high`` are None where the field has no such bound."""

    name: str
    label: str
    meaning: str
    unit: str
    group: str
    kind: str
    default: Any
    optional: bool
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


def knobs() -> tuple[Knob, ...]:
    """Every field of the settings, in the order in which they are declared."""
    properties = InvestigationSettings.model_json_schema()["properties"]
    defaults = InvestigationSettings().model_dump(mode="json")
    return tuple(_knob(name, schema, defaults[name]) for name, schema in properties.items())


def _knob(name: str, schema: Mapping[str, Any], default: Any) -> Knob:
    variants = [variant for variant in schema.get("anyOf", (schema,)) if variant.get("type") != "null"]
    shape = variants[0]
    kind = "date" if shape.get("format") == "date" else "choice" if "enum" in shape else shape["type"]
    return Knob(
        name=name,
        label=name.replace("_", " ").capitalize(),
        meaning=schema["description"],
        unit=schema["unit"],
        group=schema["group"],
        kind=kind,
        default=default,
        optional="anyOf" in schema,
        low=_bound(schema, shape, "minimum"),
        high=_bound(schema, shape, "maximum"),
        choices=tuple(shape.get("enum", ())),
    )


def _bound(schema: Mapping[str, Any], shape: Mapping[str, Any], name: str) -> float | None:
    bound = shape.get(name, schema.get(name))
    return None if bound is None else float(bound)


def label(knob: Knob) -> str:
    """The label with its unit, where the unit adds something."""
    return f"{knob.label} ({knob.unit})" if knob.unit in _ADDED_TO_LABEL else knob.label


def component(knob: Knob) -> Component:
    """The component that shows a field. Has the element id ``set-<name>``."""
    shared: dict[str, Any] = {
        "label": label(knob),
        "info": knob.meaning,
        "elem_id": f"set-{knob.name}",
        "interactive": True,
    }
    if knob.name == RERANKER:
        models = [(title(spec), spec) for spec in offered()]
        return gr.Dropdown(models, value=knob.default, **shared)
    if knob.kind == "boolean":
        return gr.Checkbox(value=knob.default, **shared)
    if knob.kind == "choice":
        return gr.Radio(choices=list(knob.choices), value=knob.default, **shared)
    low, high = knob.low, knob.high
    if knob.kind in ("integer", "number") and not knob.optional and low is not None and high is not None:
        step = 1 if knob.kind == "integer" else FRACTION_STEP
        return gr.Slider(low, high, value=knob.default, step=step, buttons=[], **shared)
    # A number that may be absent is a line of text: a number field turns "nothing" into 0 when it is shown.
    return gr.Textbox(value=_text(knob.default), placeholder=_placeholder(knob), max_lines=1, **shared)


def _placeholder(knob: Knob) -> str:
    if knob.kind == "date":
        return "YYYY-MM-DD"
    if knob.low is None or knob.high is None:
        return "none"
    return f"off, or {knob.low:g} to {knob.high:g}"


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(value)
    return "" if value is None else str(value)


def shown_value(name: str, settings: InvestigationSettings) -> Any:
    """What a control shows for the value that settings hold."""
    knob = next(knob for knob in knobs() if knob.name == name)
    value = settings.model_dump(mode="json")[name]
    return _text(value) if knob.optional else value


def settings_from(names: Sequence[str], values: Sequence[Any]) -> InvestigationSettings:
    """Settings from what the controls hold; an empty field is None.

    Raises SettingsError, for a reranker too that the page does not offer.
    """
    stripped = (value.strip() if isinstance(value, str) else value for value in values)
    given = {name: None if value == "" else value for name, value in zip(names, stripped, strict=True)}
    found = checked(given)
    check_offered(found.reranker)
    return found
