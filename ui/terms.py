"""With what settings a case runs, when it was asked, and the law of which day it looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from engine.language.characters import escape
from engine.records.presets import changed, day_words, nearest, settings_words, value_words
from engine.settings import InvestigationSettings, preset
from ui.controls import GROUP_TITLES, Knob, knobs, title_of_choice

_GROUPS: Mapping[str, str] = {"main": "Main", **GROUP_TITLES}


@dataclass(frozen=True, slots=True)
class Terms:
    """``started`` is in UTC; ``day`` is that on which the law is looked at. ``titles`` of documents
    and names of the ``kinds`` of transactions by id."""

    settings: InvestigationSettings
    started: datetime
    day: date
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    kinds: Mapping[str, str] = field(default_factory=dict, hash=False)


def terms_step(terms: Terms) -> str:
    """The first step of the story: the settings in few words, with a table of them all behind it."""
    words = f"<b>{escape(settings_words(terms.settings))}</b> · law of {day_words(terms.day)}"
    base = nearest(terms.settings)
    others = set(changed(terms.settings, preset(base)))
    told = f"Those that differ from <b>{base.value.capitalize()}</b> are marked." if others else ""
    return (
        f'<button type="button" class="step more-behind" popovertarget="terms-table">{words}</button>'
        '<div popover id="terms-table" class="step-table terms-table"><h3>What this case runs with</h3>'
        f"<p>Asked on {_moment(terms.started)}, about the law of {day_words(terms.day)}. {told}</p>"
        f"<table>{''.join(_rows(terms, others))}</table></div>"
    )


def _rows(terms: Terms, others: set[str]) -> Iterator[str]:
    group = ""
    for knob in sorted(knobs(), key=lambda knob: list(_GROUPS).index(knob.group)):
        if knob.group != group:
            group = knob.group
            yield f'<tr><th colspan="2" class="group">{_GROUPS[group]}</th></tr>'
        mark = ' class="changed"' if knob.name in others else ""
        value = escape(_value(knob, getattr(terms.settings, knob.name), terms.titles))
        yield (
            f'<tr{mark} data-setting="{knob.name}"><th>{escape(knob.label)}</th>'
            f'<td dir="auto">{value}</td></tr>'
        )


def _value(knob: Knob, value: object, titles: Mapping[str, str]) -> str:
    """A value as its control shows it."""
    match value:
        case (_, *_):
            names = [str(name) for name in value]
            return "; ".join(titles.get(name, title_of_choice(knob, name)) for name in names)
        case str():
            return title_of_choice(knob, value)
    return value_words(value)


def _moment(started: datetime) -> str:
    return (
        f'<time datetime="{started.isoformat(timespec="seconds")}">'
        f"{day_words(started.date())}, {started:%H:%M} UTC</time>"
    )
