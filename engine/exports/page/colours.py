"""Colours of what brings passages, as classes of the page: a record may name anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.investigation.strategies.gaps import Gaps
from engine.records.record import CaseRecord
from engine.threads import Colour, threads, title_of

# What brings passages and is no strategy, and what nobody knows any more.
_OTHERS = {
    "scan": ("Scan", Colour("#7a7a7a", "#a5a5a5")),
    "named": ("Named in the question", Colour("#a3195b", "#ff7eb6")),
    "person": ("Brought by a person", Colour("#1d1d1f", "#ececee")),
}
_SPARE = Colour("#7b5ea7", "#b39ddb")


@dataclass(frozen=True, slots=True)
class Palette:
    """By strategy: the class of its colour, what people call it. ``style`` are the rules of the classes."""

    classes: Mapping[str, str]
    titles: Mapping[str, str]
    style: str


def palette_of(case: CaseRecord, strategies: Iterable[str]) -> Palette:
    """The colours of some strategies: those that the record tells, else those that are known now."""
    known = dict(_OTHERS)
    known |= {name: (one.title, one.colour) for name, one in threads().items()}
    known[Gaps.name] = (Gaps.title, Gaps.colour)
    known |= {one.name: (one.title, Colour(one.colour.light, one.colour.dark)) for one in case.threads}
    classes, titles, light, dark = {}, {}, [], []
    for number, name in enumerate(dict.fromkeys(strategies)):
        titles[name], colour = known.get(name, (title_of(name), _SPARE))
        classes[name] = f"t{number}"
        light.append(f".t{number}{{--c:{colour.light}}}")
        dark.append(f".t{number}{{--c:{colour.dark}}}")
    # Paper is white.
    style = f"{''.join(light)}\n@media screen and (prefers-color-scheme:dark){{{''.join(dark)}}}\n"
    return Palette(classes, titles, style)
