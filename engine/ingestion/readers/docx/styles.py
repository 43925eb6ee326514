"""Styles of a Word file: which are headings and how deep, and which are numbered."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.ingestion.readers.docx.package import Element, W

# Word keeps the built-in names in English in the file, whatever the language of the program; other
# programs write them as they show them.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|judul|kop|rubrik|overskrift|nagłówek|заголовок|标题|標題"
    r"|العنوان|عنوان|başlık)\s*(?P<level>[1-9])\b",
    re.IGNORECASE,
)
_TITLES = frozenset({"title", "titel", "titre", "título", "titolo", "judul", "标题", "العنوان"})
_CONTENTS = re.compile(r"(?:toc|verzeichnis|tm|目录)\s*\d|toc heading|table of figures", re.IGNORECASE)
# A style may be based on another, that on a third; a file may close the circle.
_DEEPEST = 20
# Outline level 9 (counted from 0) is body text.
BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says. ``level`` is a heading's, from 1; ``numbered``: list and its level."""

    level: int | None = None
    is_title: bool = False
    is_contents: bool = False
    list_id: str | None = None
    list_level: int | None = None


@dataclass(frozen=True, slots=True)
class _Stated:
    name: str
    based_on: str | None
    outline: int | None
    list_id: str | None
    list_level: int | None


class Styles:
    """The paragraph styles of a file, with what each takes over from the one it is based on."""

    def __init__(self, part: Element | None) -> None:
        self._stated: dict[str, _Stated] = {}
        self._known: dict[str | None, Style] = {}
        self._default: str | None = None
        for style in part.iterfind(f"{W}style") if part is not None else ():
            if style.get(f"{W}type") not in (None, "paragraph"):
                continue
            own_id = style.get(f"{W}styleId") or ""
            if style.get(f"{W}default") in ("1", "true"):
                self._default = own_id
            properties = style.find(f"{W}pPr")
            list_id, list_level = numbering_of(properties)
            self._stated[own_id] = _Stated(
                value_of(style, "name") or own_id,
                value_of(style, "basedOn"),
                whole(value_of(properties, "outlineLvl")),
                list_id,
                list_level,
            )

    def of(self, style_id: str | None) -> Style:
        """The style of a paragraph that names this id, or none."""
        if style_id not in self._known:
            self._known[style_id] = self._resolved(style_id)
        return self._known[style_id]

    def _resolved(self, style_id: str | None) -> Style:
        chain: list[_Stated] = []
        place = style_id if style_id in self._stated else self._default
        while place in self._stated and len(chain) < _DEEPEST:
            chain.append(self._stated[place])
            place = chain[-1].based_on
        if not chain and style_id:
            # A style that the file does not describe is known by its id alone.
            chain.append(_Stated(style_id, None, None, None, None))
        names = [stated.name.strip() for stated in chain]
        return Style(
            level=_level(chain),
            is_title=bool(names) and names[0].casefold() in _TITLES,
            is_contents=any(_CONTENTS.match(name) for name in names),
            list_id=next((stated.list_id for stated in chain if stated.list_id is not None), None),
            list_level=next((stated.list_level for stated in chain if stated.list_level is not None), None),
        )


def _level(chain: list[_Stated]) -> int | None:
    for stated in chain:
        if stated.outline is not None:
            return stated.outline + 1 if stated.outline < BODY_LEVEL else None
        if match := _HEADING.match(stated.name.strip()):
            return int(match["level"])
    return None


def numbering_of(properties: Element | None) -> tuple[str | None, int | None]:
    """The list that paragraph properties name, and the level in it; list "0" takes a list away."""
    numbered = properties.find(f"{W}numPr") if properties is not None else None
    if numbered is None:
        return None, None
    return value_of(numbered, "numId"), whole(value_of(numbered, "ilvl"))


def value_of(parent: Element | None, name: str) -> str | None:
    """The ``w:val`` of a child element."""
    child = parent.find(f"{W}{name}") if parent is not None else None
    return None if child is None else child.get(f"{W}val")


def whole(value: str | None) -> int | None:
    """A whole number that a file states; None for anything else."""
    try:
        return int(value) if value is not None else None
    except ValueError:
        return None
