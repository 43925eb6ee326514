"""Controls made from the fields of the settings, and settings as the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from itertools import groupby
from typing import Any

import gradio as gr
from gradio.components import Component

from engine.errors import SettingsError
from engine.language.embedders.transformer import model_name
from engine.records.text import changed_fields, day_words, nearest, settings_words, value_words
from engine.retrieval.retrievers.registry import all_retrievers, title_of
from engine.settings import AUTO, InvestigationSettings, checked, preset
from engine.strategy_registry import load_strategies
from ui.models.choices import offered, reranker_spec, title
from ui.palette import thread
from ui.templating import rendered

# Controls generated from the fields of the settings. ``InvestigationSettings`` has the label, the help, the
# choices and the default of each control. This file decides which component shows which kind of field, and
# the form of its value there: ``shown`` and ``settings_from`` are each other's inverse for all settings.

GROUP_TITLES: Mapping[str, str] = {
    "filters": "Filters",
    "search": "Search",
    "stopping": "Stopping",
    "model": "Language model",
}
# The hint below a group's title. That of the language model disappears when one is connected.
GROUP_HINTS: Mapping[str, str] = {
    "model": '<span class="needs-model">Needs a language model (connect one at the top). Without one, '
    "built-in rules do these tasks.</span>"
}
FRACTION_STEP = 0.01
# Units of fields with one entry a line.
_LINES = frozenset({"phrases", "conditions"})
RERANKER = "reranker"
# Kinds of list fields: names to tick, and phrases typed one a line.
NAMES, LINES = "names", "lines"
MOST_LINES = 4
# Names that other packages may extend.
_REGISTERED: Mapping[str, Callable[[], Iterable[str]]] = {
    "strategies": load_strategies,
    "retrievers": all_retrievers,
}
# Labels of controls whose field name is not clear enough.
LABELS: Mapping[str, str] = {
    "strategies": "Follow",
    "follow": "Expand the search",
    "citation_direction": "Follow references",
    "model_tasks": "Done by the language model",
    "pool_size": "Maximum passages collected",
    "top_k": "Passages to show",
    "per_document": "Passages per document",
    "close_gaps": thread("gaps").title,
    "as_of": "Law as at",
    "types": "Types of documents",
    "issuers": "Issued by",
    "statuses": "Status",
}
_TITLES: Mapping[str, Callable[[str], str]] = {
    "strategies": lambda name: thread(name).title,
    "retrievers": title_of,
    "transaction_type": lambda name: (
        "Detect from the question" if name == AUTO else name.replace("_", " ").replace("-", " ")
    ),
    RERANKER: title,
}
_ADDED_TO_LABEL = frozenset({"cosine", "seconds", "share"})


@dataclass(frozen=True, slots=True)
class Knob:
    """A field of the settings as the page shows it. ``low`` and ``high`` are None if the field has no such
    bound."""

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


@cache
def knobs() -> tuple[Knob, ...]:
    """Return all fields of the settings, in the order of their declaration."""
    properties = InvestigationSettings.model_json_schema()["properties"]
    defaults = InvestigationSettings().model_dump(mode="json")
    return tuple(_knob(name, schema, defaults[name]) for name, schema in properties.items())


def knob_of(name: str) -> Knob:
    """Return the field of a name."""
    return next(knob for knob in knobs() if knob.name == name)


def _knob(name: str, schema: Mapping[str, Any], default: Any) -> Knob:
    variants = [variant for variant in schema.get("anyOf", (schema,)) if variant.get("type") != "null"]
    shape = variants[0]
    registered = _REGISTERED.get(name)
    return Knob(
        name=name,
        label=LABELS.get(name, name.replace("_", " ").capitalize()),
        meaning=schema["description"],
        unit=schema["unit"],
        group=schema["group"],
        kind=_kind(schema, shape),
        default=default,
        optional="anyOf" in schema,
        low=_bound(schema, shape, "minimum"),
        high=_bound(schema, shape, "maximum"),
        choices=tuple(registered() if registered else shape.get("enum", schema.get("choices", ()))),
    )


def _kind(schema: Mapping[str, Any], shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return "choice"
    if shape["type"] == "array":
        return LINES if schema["unit"] in _LINES else NAMES
    return "date" if shape.get("format") == "date" else str(shape["type"])


def _bound(schema: Mapping[str, Any], shape: Mapping[str, Any], name: str) -> float | None:
    bound = shape.get(name, schema.get(name))
    return None if bound is None else float(bound)


def label(knob: Knob) -> str:
    """Return the label, with its unit if the unit adds something."""
    return f"{knob.label} ({knob.unit})" if knob.unit in _ADDED_TO_LABEL else knob.label


def component(knob: Knob) -> Component:
    """Return the component that shows a field. Its element id is ``set-<name>``."""
    shared: dict[str, Any] = {
        "label": label(knob),
        "info": knob.meaning,
        "elem_id": f"set-{knob.name}",
        "interactive": True,
    }
    value = _shown(knob, knob.default)
    if knob.name == RERANKER:
        models = [(title(spec), model_name(spec)) for spec in offered()]
        return gr.Dropdown(models, value=value, **shared)
    if knob.kind == "boolean":
        return gr.Checkbox(value=value, **shared)
    if knob.kind == "choice":
        return gr.Radio(choices=list(knob.choices), value=value, **shared)
    if knob.kind == NAMES:
        offers = [(title_of_choice(knob, name), name) for name in knob.choices]
        return gr.CheckboxGroup(offers, value=value, **shared)
    if knob.kind == LINES:
        return gr.Textbox(value=value, placeholder="one a line", max_lines=MOST_LINES, **shared)
    low, high = knob.low, knob.high
    if knob.kind in ("integer", "number") and not knob.optional and low is not None and high is not None:
        step = 1 if knob.kind == "integer" else FRACTION_STEP
        return gr.Slider(low, high, value=value, step=step, buttons=[], **shared)
    # An optional number is a line of text: a number field shows a missing value as 0.
    return gr.Textbox(value=value, placeholder=_placeholder(knob), max_lines=1, **shared)


def title_of_choice(knob: Knob, name: str) -> str:
    """Return the title of one of a control's choices."""
    return _TITLES.get(knob.name, str)(name)


def _placeholder(knob: Knob) -> str:
    if knob.kind == "date":
        return "YYYY-MM-DD"
    if knob.low is None or knob.high is None:
        return "none"
    # In the form in which it is typed: millions in digits.
    return f"off, or {knob.low:.12g} to {knob.high:.12g}"


def shown(settings: InvestigationSettings) -> dict[str, Any]:
    """Return the values of the controls for settings, by name."""
    values = settings.model_dump(mode="json")
    return {knob.name: _shown(knob, values[knob.name]) for knob in knobs()}


def _shown(knob: Knob, value: Any) -> Any:
    """Return the value of a control for a setting in its JSON form."""
    if knob.kind == LINES:
        return "\n".join(value)
    if knob.name == RERANKER:
        return model_name(value)
    if knob.kind == NAMES and knob.choices:
        # An earlier case may have a name that no longer exists; a control refuses it.
        return [name for name in value if name in knob.choices]
    if not knob.optional:
        return value
    return "" if value is None else str(value)


def settings_from(
    held: Mapping[str, Any], base: InvestigationSettings | None = None
) -> InvestigationSettings:
    """Return settings from the values of the controls, by name; a missing one is as in ``base``, else its
    default.

    Raises SettingsError, in one line, for an invalid value, an empty required field, an unknown name, and a
    reranker that the page does not offer.
    """
    by_name = {knob.name: knob for knob in knobs()}
    unknown = [name for name in held if name not in by_name]
    if unknown:
        raise SettingsError(f"{unknown[0]!r} is no setting")
    values = {name: _held(by_name[name], value) for name, value in held.items()}
    if RERANKER in values:
        values[RERANKER] = reranker_spec(values[RERANKER])
    return checked(values if base is None else {**base.model_dump(), **values})


def _held(knob: Knob, value: Any) -> Any:
    """Return the setting for the value of a control."""
    if knob.kind == LINES and isinstance(value, str):
        return value.split("\n")
    if knob.kind == NAMES and not isinstance(value, list):
        raise SettingsError(f"{knob.name}: not a list of names (given: {value!r:.80})")
    typed = value.strip() if isinstance(value, str) else value
    if typed != "" and (typed is not None or knob.optional):
        # Names are not stripped: one may begin with a space.
        return value if knob.kind in ("string", "choice") else typed
    if knob.optional:
        return None
    raise SettingsError(f"{knob.name}: nothing is given; {_describe_range(knob)}")


def _describe_range(knob: Knob) -> str:
    if knob.choices:
        return f"choose one of {', '.join(knob.choices)}"
    if knob.low is None or knob.high is None:
        return f"give {knob.unit}"
    return f"give a number from {knob.low:g} to {knob.high:g}"


# The terms of a case: its settings, when it started, and the day of the law.

_GROUPS: Mapping[str, str] = {"main": "Main", **GROUP_TITLES}


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a case. ``started`` is in UTC; ``day`` is the day of the law. ``titles`` of documents and
    names of the ``kinds`` of transactions are by id."""

    settings: InvestigationSettings
    started: datetime
    day: date
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    kinds: Mapping[str, str] = field(default_factory=dict, hash=False)


def terms_step(terms: Terms) -> str:
    """Return the first step of the progress line: a summary of the settings, with a table of all of them."""
    base = nearest(terms.settings)
    others = set(changed_fields(terms.settings, preset(base)))
    ordered = sorted(knobs(), key=lambda knob: list(_GROUPS).index(knob.group))
    groups = [
        (
            _GROUPS[group],
            [
                (
                    knob.name,
                    knob.label,
                    _value(knob, getattr(terms.settings, knob.name), terms.titles),
                    knob.name in others,
                )
                for knob in of_group
            ],
        )
        for group, of_group in groupby(ordered, key=lambda knob: knob.group)
    ]
    return rendered(
        "investigate/terms.html",
        summary=settings_words(terms.settings),
        day=day_words(terms.day),
        started=terms.started,
        moment=f"{day_words(terms.started.date())}, {terms.started:%H:%M} UTC",
        base=base.value.capitalize() if others else "",
        groups=groups,
    )


def _value(knob: Knob, value: object, titles: Mapping[str, str]) -> str:
    """Return a value in the form in which its control shows it."""
    match value:
        case (_, *_):
            names = [str(name) for name in value]
            return "; ".join(titles.get(name, title_of_choice(knob, name)) for name in names)
        case str():
            return title_of_choice(knob, value)
    return value_words(value)


# The settings of a case as one argument of the endpoints and tools: its schema, made from their fields.

Schema = dict[str, Any]
NULL: Schema = {"type": "null"}


def settings_schema() -> Schema:
    """Return the JSON schema of an object that changes single settings of a preset.

    Some clients of tools (MCP) validate what they send against a schema and do not report the wrong field.
    Therefore the schema accepts any object, and the server reports invalid fields by name.
    """
    exact = {"type": "object", "properties": {knob.name: _schema(knob) for knob in knobs()}}
    return {"anyOf": [exact, {"type": "object"}, NULL]}


def _schema(knob: Knob) -> Schema:
    shape = _shape(knob)
    described = {"title": knob.label, "description": f"{knob.meaning} Unit: {knob.unit}."}
    return {"anyOf": [shape, NULL], **described} if knob.optional else {**shape, **described}


def _shape(knob: Knob) -> Schema:
    if knob.name == RERANKER:
        return {"type": "string", "enum": [model_name(spec) for spec in offered()]}
    if knob.kind in (NAMES, LINES):
        among = {"enum": list(knob.choices)} if knob.choices else {}
        return {"type": "array", "items": {"type": "string", **among}}
    if knob.kind == "choice":
        return {"type": "string", "enum": list(knob.choices)}
    if knob.kind == "date":
        return {"type": "string", "format": "date"}
    bounds: Mapping[str, float | None] = {"minimum": knob.low, "maximum": knob.high}
    return {"type": knob.kind, **{name: value for name, value in bounds.items() if value is not None}}
