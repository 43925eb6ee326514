"""Of which day a document is one version: what its fields tell under many names, and its file's name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from engine.ingestion.readers import fields
from engine.ingestion.readers.field_names import Told, leaves, told_by
from engine.model import Document

FILE_NAME = "the file's name"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_MONTH, _DAY_OF_MONTH = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
# "2021-01-01", "2021_01_01", "20210101", "01.01.2021": a whole day, not part of a longer number.
_WHOLE = re.compile(
    rf"(?<!\d)(?:(?P<y>{_YEAR})(?P<s>[-_.]?)(?P<m>{_MONTH})(?P=s)(?P<d>{_DAY_OF_MONTH})"
    rf"|(?P<d2>{_DAY_OF_MONTH})(?P<s2>[-_.])(?P<m2>{_MONTH})(?P=s2)(?P<y2>{_YEAR}))(?!\d)"
)
# A folder, or a whole name, that is a year or a month: "2021/bgb.md", "bgb/2021-07.md".
_PERIOD = re.compile(rf"(?P<y>{_YEAR})(?:[-_.]?(?P<m>{_MONTH}))?\Z")
_EDGES = " \t_-.@,()[]"
# The day at the end of an identifier: of a consolidation ("-20160504"), of an expression ("@2020-01-01").
_AT_END = re.compile(rf"[-_/@.:]+{_WHOLE.pattern}/?\Z")
# What shares a field's value with more members than this share of them does not tell versions apart.
_DISTINCT = 0.6
# A field that fewer than this share of the members have is not what tells them apart.
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A path without its day: ``place`` are its folders, ``name`` the file's; ``day`` None: it has none."""

    place: str
    name: str
    day: date | None


def named_file(path: str) -> NamedFile:
    """What a path says: "laws/2021/bgb.md" is the "bgb" in "laws" of 1 January 2021.

    A year or a month alone counts only where it is a folder or the whole name: "act-1986.md" is an act of
    1986, not a version.
    """
    pure = PurePath(path)
    name = pure.name
    for _ in range(2):
        # "law.md.gz"; the dots of "01.01.2021" are none of a suffix.
        stem, dot, suffix = name.rpartition(".")
        name = stem if dot and stem and not suffix[:1].isdigit() else name
    day, name = _taken(name)
    folders = []
    for part in pure.parts[:-1]:
        found, rest = _taken(part)
        day = day or found
        folders.append(rest if found else part)
    return NamedFile("/".join(folders), name or (folders[-1] if folders else ""), day)


def _taken(part: str) -> tuple[date | None, str]:
    """The day of a part of a path, and the part without it."""
    for match in reversed(list(_WHOLE.finditer(part))):
        day = _made(match["y"] or match["y2"], match["m"] or match["m2"], match["d"] or match["d2"])
        if day is not None:
            return day, f"{part[: match.start()]}{part[match.end() :]}".strip(_EDGES)
    if (period := _PERIOD.match(part)) is not None:
        return _made(period["y"], period["m"] or "1", "1"), ""
    return None, part


def _made(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def without_day(identifier: str) -> str:
    """An identifier without the day of a version at its end."""
    return _AT_END.sub("", identifier.strip())


def days_told(document: Document, file: NamedFile | None) -> dict[str, date]:
    """The days that a document's fields and its file's name tell, by the name of each field; no ends."""
    told: dict[str, date] = {}
    for name, value in leaves(document.metadata):
        own = fields.day_of(value)
        if own is not None and told_by(name.rpartition(".")[2]) is not Told.END:
            told[name] = own
    stated = {"valid_from": document.valid_from, "version": fields.day_of(document.version)}
    told |= {name: day for name, day in stated.items() if day is not None}
    if file is not None and file.day is not None:
        told[FILE_NAME] = file.day
    return told


def kind_of(name: str) -> Told:
    """What kind of day a name of ``days_told`` tells."""
    return Told.FILE_NAME if name == FILE_NAME else told_by(name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The day of each member of a family, None where nothing tells it; ``name``: the field that tells them
    apart, None where none does."""

    days: Sequence[date | None]
    name: str | None


def choose(told: Sequence[Mapping[str, date]]) -> Chosen:
    """Which field tells the versions of one text apart, by what each of them tells.

    Of the fields that most members have with days of their own: one whose name says that it is the day of a
    version, then one of an unknown name, then publication, then the file's own making. Of several of them
    the one that tells most members apart. A member without it has the surest of its other days.
    """
    names = sorted({name for own in told for name in own})
    best: tuple[tuple[int, int, int, int, str], str] | None = None
    for name in names:
        days = [own[name] for own in told if name in own]
        different = len(set(days))
        if len(days) < _COVERED * len(told) or different < max(2, _DISTINCT * len(days)):
            continue
        kind = kind_of(name)
        # Effect, state and file name are all days of a version: there, what tells more apart comes first.
        tier = 0 if kind <= Told.FILE_NAME else int(kind)
        key = (tier, -different, int(kind), -len(days), name)
        best = min(best or (key, name), (key, name))
    chosen = best[1] if best is not None else None
    return Chosen([_day(own, chosen) for own in told], chosen)


def _day(own: Mapping[str, date], chosen: str | None) -> date | None:
    if chosen is not None and chosen in own:
        return own[chosen]
    ranked = sorted((int(kind_of(name)), name) for name in own if kind_of(name) < Told.FILE)
    return own[ranked[0][1]] if ranked else None
