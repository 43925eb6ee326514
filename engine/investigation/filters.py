"""Hard filters: which passages an investigation may find at all.

What is known to be out of force is left out unless it is asked for: by a date on which it held, or by
``include_superseded``. So is a version that does not hold yet while an earlier one does. What nothing is
known of stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from weakref import WeakKeyDictionary

import numpy as np

from engine.caching import Caches
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.errors import InputError, SettingsError
from engine.investigation.constraints import ConstraintMasks, constraint_masks, constraint_notes
from engine.language.aliases import name_key
from engine.language.dates import parse_period
from engine.model import FAMILY, OUT_OF_FORCE, Document, QueryPlan
from engine.settings import InvestigationSettings


class Filters:
    """The filters of some settings on a corpus; ``day`` is the day that "today" means.

    A ``plan`` adds what the question itself requires. ``mask`` is what they let through, shape
    (passages,), None for everything; ``constrained`` is the same with what is merely out of force today;
    ``notes`` say how much each constraint leaves. Raises SettingsError where a name fits nothing in the
    corpus: an empty answer would hide a slip of the pen.
    """

    def __init__(
        self, corpus: Corpus, settings: InvestigationSettings, day: date, plan: QueryPlan | None = None
    ) -> None:
        self._settings = settings
        stated = _stated(corpus, settings)
        constraints = constraint_masks(corpus, plan, _stated) if plan is not None else ConstraintMasks()
        asked = [constraint.mask for constraint in constraints.each]
        self.constrained: Mask | None = _all_of([*stated, *asked])
        past = _asks_for_the_past(settings) or (plan is not None and plan.constraints.as_of is not None)
        current = None if past else _current(corpus, day)
        given = _all_of([*stated, *([] if current is None else [current])])
        self.notes = constraint_notes(constraints, given, len(corpus))
        self.mask: Mask | None = _all_of([*([] if given is None else [given]), *asked])

    def check(self, rows: Rows, name: Callable[[Rows], Sequence[str]]) -> None:
        """Raise InputError for a passage that the settings exclude by a filter somebody set.

        Text out of force that a person points at has been asked for, so only an explicit date excludes it.
        """
        if self.constrained is None or self.constrained[rows].all():
            return
        excluded = name(rows[~self.constrained[rows]][:1])[0]
        if self._settings.as_of is not None:
            raise InputError(f"{excluded!r} is not in force on {self._settings.as_of}; change the date")
        raise InputError(f"{excluded!r} is outside the filters; change them")


def _asks_for_the_past(settings: InvestigationSettings) -> bool:
    asked = {status.casefold() for status in settings.statuses}
    return settings.include_superseded or settings.as_of is not None or bool(asked & set(OUT_OF_FORCE))


def _current(corpus: Corpus, day: date) -> Mask | None:
    """What holds on a day, as far as is known, shape (passages,); None for everything. Kept as long as the
    corpus is open."""

    def found() -> Mask | None:
        holds: Mask = ~corpus.out_of_force(day) & ~_replaced_later(corpus, day)
        holds.flags.writeable = False
        return None if holds.all() else holds

    return _CURRENT.of(corpus).made(day, found)


# Days of which is kept what is in force.
DAYS = 4
_CURRENT: Caches[date, Mask | None] = Caches("what is in force", DAYS)


def _replaced_later(corpus: Corpus, day: date) -> Mask:
    """The passages of versions that only begin after a day on which another version of their text holds."""
    early = np.zeros(len(corpus.documents()), np.bool_)
    for members in _families(corpus):
        if any(_holds(document, day) for _, document in members):
            for number, document in members:
                early[number] = document.valid_from is not None and document.valid_from > day
    if not early.any():
        return np.zeros(len(corpus), np.bool_)
    mask: Mask = early[corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))]
    return mask


_FAMILIES: WeakKeyDictionary[Corpus, list[list[tuple[int, Document]]]] = WeakKeyDictionary()


def _families(corpus: Corpus) -> list[list[tuple[int, Document]]]:
    """The versions of each text with their numbers; read once for an open corpus."""
    if corpus not in _FAMILIES:
        found: dict[tuple[str, str], list[tuple[int, Document]]] = {}
        for number, document in enumerate(corpus.documents()):
            family = document.metadata.get(FAMILY)
            if isinstance(family, str):
                found.setdefault((family, document.language), []).append((number, document))
        _FAMILIES[corpus] = list(found.values())
    return _FAMILIES[corpus]


def _holds(document: Document, day: date) -> bool:
    begun = document.valid_from is None or document.valid_from <= day
    return begun and (document.valid_to is None or document.valid_to >= day)


def _stated(corpus: Corpus, settings: InvestigationSettings) -> list[Mask]:
    masks: list[Mask] = []
    if settings.as_of is not None:
        masks.append(corpus.in_force(settings.as_of))
    if settings.statuses:
        masks.append(_of_statuses(corpus, settings.statuses))
    kept = _documents_kept(corpus.documents(), settings)
    if kept is not None:
        numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
        masks.append(kept[numbers])
    return masks


def _of_statuses(corpus: Corpus, asked: Sequence[str]) -> Mask:
    """Which passages bear one of some statuses. Raises SettingsError for a status that none bears."""
    for status in asked:
        if not corpus.with_status((status,)).any():
            known = [_one(document.status) for document in corpus.documents()]
            raise SettingsError(f"statuses: {status!r} is not in the corpus{_choices(known)}")
    return corpus.with_status(asked)


def _documents_kept(documents: Sequence[Document], settings: InvestigationSettings) -> Mask | None:
    """Which documents pass the filters on documents, shape (documents,); None where there are none."""
    masks: list[Mask] = []
    for setting, names_of in _FIELDS.items():
        asked: tuple[str, ...] = getattr(settings, setting)
        if asked:
            masks.append(_named(setting, asked, [names_of(document) for document in documents]))
    first, last = settings.year_from, settings.year_to
    if first is not None or last is not None:
        if first is not None and last is not None and first > last:
            raise SettingsError(f"year_from: {first} is after year_to, {last}")
        years = [document_year(document) for document in documents]
        masks.append(
            np.array(
                [year is not None and (first or year) <= year <= (last or year) for year in years], np.bool_
            )
        )
    return _all_of(masks)


def document_year(document: Document) -> int | None:
    """The year that a document is known by, in which it came into force, or else that of its date."""
    stated = parse_period(str(document.metadata.get("date", "")))
    day = document.valid_from or (stated[0] if stated is not None else None)
    return document.year or (day.year if day is not None else None)


def _named(setting: str, asked: Sequence[str], names: Sequence[Sequence[str]]) -> Mask:
    """Which documents bear one of the names. Raises SettingsError for a name that none bears."""
    found = np.zeros(len(names), np.bool_)
    keys = [{name_key(name) for name in own} for own in names]
    for name in asked:
        key = name_key(name)
        hits = np.array([key in own for own in keys], np.bool_)
        if not hits.any():
            raise SettingsError(f"{setting}: {name!r} is not in the corpus{_choices(names)}")
        found |= hits
    return found


def _choices(names: Sequence[Sequence[str]], most: int = 8) -> str:
    known = sorted({own[0] for own in names if own})
    if not known:
        return ", which says none of its documents"
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"; known: {', '.join(known[:most])}{more}"


def _one(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()


_FIELDS: dict[str, Callable[[Document], tuple[str, ...]]] = {
    "documents": lambda document: (document.id, document.title, *document.aliases),
    "types": lambda document: _one(document.type),
    "languages": lambda document: _one(document.language),
    "issuers": lambda document: _one(document.issuer),
}


def _all_of(masks: Sequence[Mask]) -> Mask | None:
    if not masks:
        return None
    joined: Mask = np.logical_and.reduce(list(masks))
    return joined
