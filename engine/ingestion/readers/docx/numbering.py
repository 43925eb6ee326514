"""The numbers that Word prints before paragraphs: it stores lists and levels, and counts when it shows them.

ECMA-376 part 1, 17.9: an abstract list has up to nine levels, each with a format, a first number and a text
such as "%1.%2"; a list refers to an abstract one and may begin levels anew. Paragraphs of all lists on one
abstract list are counted together, unless a list overrides where a level starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.ingestion.readers.counting import numeral
from engine.ingestion.readers.docx.package import Element, W
from engine.ingestion.readers.docx.styles import value_of, whole

LEVELS = 9
BULLET = "•"
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list. ``restart``: the level (from 1) after which it begins anew, 0 for never."""

    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """What Word prints before a paragraph. ``is_clause``: a number with those of the levels above it."""

    text: str
    level: int
    is_clause: bool
    is_bullet: bool


class Numbering:
    """Counts the paragraphs of a document in order; ``next`` is asked once for each numbered one."""

    def __init__(self, part: Element | None) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()
        if part is not None:
            self._read(part)

    def next(self, list_id: str, level: int) -> Label | None:
        """The label of the next paragraph of a list; None where the file knows no such list."""
        if list_id not in self._lists or not 0 <= level < LEVELS:
            return None
        abstract, levels, starts = self._lists[list_id]
        counts = self._counts.setdefault(abstract, [None] * LEVELS)
        own = levels.get(level, Level())
        if level in starts and (list_id, level) not in self._begun:
            counts[level] = starts[level]
        else:
            before = counts[level]
            counts[level] = own.start if before is None else before + 1
        self._begun.add((list_id, level))
        for lower in range(level + 1, LEVELS):
            restart = levels.get(lower, Level()).restart
            if restart is None or (restart and level < restart):
                counts[lower] = None
        return self._label(levels, counts, level)

    def _label(self, levels: dict[int, Level], counts: list[int | None], level: int) -> Label | None:
        own = levels.get(level, Level())
        if own.format == "bullet":
            return Label(BULLET, level, is_clause=False, is_bullet=True)
        if own.format == "none" and not _PLACE.search(own.text):
            text = own.text.strip()
            return Label(text, level, is_clause=False, is_bullet=False) if text else None

        def printed(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            at = levels.get(place, Level())
            value = counts[place] if counts[place] is not None else at.start
            counts[place] = value
            shown = "decimal" if own.legal and at.format != "decimalZero" else at.format
            return numeral(value if value is not None else 1, shown)

        text = _PLACE.sub(printed, own.text).strip()
        if not text:
            return None
        places = [int(place) for place in _PLACE.findall(own.text)]
        lower = levels.get(level + 1, Level())
        numbered = own.legal or all(
            levels.get(place - 1, Level()).format.startswith("decimal") for place in places
        )
        followed = (
            len(places) == 1 and f"%{level + 1}.%{level + 2}" in lower.text and lower.format == "decimal"
        )
        return Label(text, level, is_clause=numbered and (len(places) > 1 or followed), is_bullet=False)

    def _read(self, part: Element) -> None:
        linked: dict[str, str] = {}
        styled: dict[str, str] = {}
        for abstract in part.iterfind(f"{W}abstractNum"):
            own_id = abstract.get(f"{W}abstractNumId") or ""
            self._abstract[own_id] = dict(_level(level) for level in abstract.iterfind(f"{W}lvl"))
            if (style := value_of(abstract, "styleLink")) is not None:
                styled[style] = own_id
            if (style := value_of(abstract, "numStyleLink")) is not None:
                linked[own_id] = style
        for listed in part.iterfind(f"{W}num"):
            own_id = value_of(listed, "abstractNumId") or ""
            own_id = styled.get(linked.get(own_id, ""), own_id)
            levels, starts = dict(self._abstract.get(own_id, {})), {}
            for override in listed.iterfind(f"{W}lvlOverride"):
                place = whole(override.get(f"{W}ilvl")) or 0
                if (level := override.find(f"{W}lvl")) is not None:
                    levels[place] = _level(level)[1]
                if (start := whole(value_of(override, "startOverride"))) is not None:
                    starts[place] = start
                    levels[place] = replace(levels.get(place, Level()), start=start)
            self._lists[listed.get(f"{W}numId") or ""] = (own_id, levels, starts)


def _level(level: Element) -> tuple[int, Level]:
    start = whole(value_of(level, "start"))
    legal = level.find(f"{W}isLgl")
    return whole(level.get(f"{W}ilvl")) or 0, Level(
        format=value_of(level, "numFmt") or "decimal",
        text=value_of(level, "lvlText") or "",
        # Word's own default is 0; files without it are written by programs that mean 1.
        start=1 if start is None else start,
        restart=whole(value_of(level, "lvlRestart")),
        legal=legal is not None and legal.get(f"{W}val") not in ("0", "false"),
    )
