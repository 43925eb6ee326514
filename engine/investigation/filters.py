"""Hard filters of a case, constraints of a question, and the successors of texts that are not in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.caching import Caches
from engine.corpus.protocol import Corpus, Links, Mask, Rows
from engine.errors import InputError, SettingsError
from engine.language.aliases import name_key
from engine.language.dates import parse_period
from engine.model import (
    FAMILY,
    OUT_OF_FORCE,
    Constraints,
    Direction,
    Document,
    QueryPlan,
    Relation,
    TargetKind,
)
from engine.retrieval.planning.syntax import phrase_mask
from engine.settings import InvestigationSettings

# Constraints of a query plan, as masks. Notes report how many passages each leaves, and name the one that
# left none.

# The beginning of the note on the constraint that left no passages.
NOTHING_LEFT = "nothing is left to search"


@dataclass(frozen=True, slots=True)
class ConstraintMask:
    """One constraint in words, and a mask of the passages that meet it, shape (passages,)."""

    words: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class ConstraintMasks:
    """All constraints of a plan, and notes on phrases that were not applied."""

    each: tuple[ConstraintMask, ...] = ()
    notes: tuple[str, ...] = ()


def constraint_masks(
    corpus: Corpus, plan: QueryPlan, make_masks: Callable[[Corpus, InvestigationSettings], Sequence[Mask]]
) -> ConstraintMasks:
    """Make masks of the constraints of a plan; ``make_masks`` makes them from settings.

    Raises SettingsError for a document, type or language that the corpus does not have.
    """
    constraints = plan.constraints
    each, notes = [], []
    for words, filters in _filters(constraints):
        each += [ConstraintMask(words, mask) for mask in make_masks(corpus, filters)]
    for include, phrases in ((True, constraints.must_include), (False, constraints.must_exclude)):
        for phrase in phrases:
            sign = "with" if include else "without"
            mask = phrase_mask(corpus, phrase, plan.language)
            if mask is None:
                notes.append(f"{sign} “{phrase}”: function words alone, not applied")
            else:
                each.append(ConstraintMask(f"{sign} “{phrase}”", mask if include else ~mask))
    return ConstraintMasks(tuple(each), tuple(notes))


def constraint_notes(constraints: ConstraintMasks, mask: Mask | None, size: int) -> tuple[str, ...]:
    """Note how many passages each constraint leaves, in order, and which one left none.

    ``mask``: passages that the other filters leave, of ``size``; None for all.
    """
    left = np.ones(size, np.bool_) if mask is None else mask
    notes, empty = [], not left.any()
    for constraint in constraints.each:
        left = left & constraint.mask
        remaining = int(left.sum())
        notes.append(f"{constraint.words}: {remaining:,} of {size:,} passages remain")
        if not remaining and not empty:
            empty = True
            own = int(constraint.mask.sum())
            why = (
                f"{own:,} passages meet it, but none of them what was required before"
                if own
                else "no passage meets it"
            )
            notes.append(f"{NOTHING_LEFT} because of “{constraint.words}”: {why}; change the plan")
    return (*notes, *constraints.notes)


def _filters(constraints: Constraints) -> Iterator[tuple[str, InvestigationSettings]]:
    """Yield each constraint on documents in words and as settings."""
    everything = InvestigationSettings(include_superseded=True)
    for name, words in (("documents", "document"), ("types", "type"), ("languages", "language")):
        asked: tuple[str, ...] = getattr(constraints, name)
        if asked:
            yield f"{words} {', '.join(asked)}", everything.model_copy(update={name: asked})
    first, last = constraints.year_from, constraints.year_to
    if first is not None or last is not None:
        years = f"year {first}" if first == last else f"years {first or ''}..{last or ''}"
        yield years, everything.model_copy(update={"year_from": first, "year_to": last})
    if constraints.as_of is not None:
        yield f"in force on {constraints.as_of}", everything.model_copy(update={"as_of": constraints.as_of})


# Hard filters
#
# A text that is known to be out of force is excluded unless the settings ask for it, by a date on which it
# was in force or by ``include_superseded``. A later version that is not in force yet is excluded while an
# earlier one is. Texts of unknown validity stay.


class Filters:
    """The filters of settings and the constraints of a ``plan`` on a corpus; ``day`` is the date of "today".

    ``mask``: passages that a case may find, shape (passages,), None for all. ``constrained``: the same with
    passages that are merely out of force today. ``notes``: how many passages each constraint leaves. Raises
    SettingsError for a name that matches nothing in the corpus: an empty result would hide a typing error.
    """

    def __init__(
        self, corpus: Corpus, settings: InvestigationSettings, day: date, plan: QueryPlan | None = None
    ) -> None:
        self._settings = settings
        stated = _settings_masks(corpus, settings)
        constraints = (
            constraint_masks(corpus, plan, _settings_masks) if plan is not None else ConstraintMasks()
        )
        from_plan = [constraint.mask for constraint in constraints.each]
        self.constrained: Mask | None = _combine([*stated, *from_plan])
        past = _asks_for_the_past(settings) or (plan is not None and plan.constraints.as_of is not None)
        current = None if past else _current_mask(corpus, day)
        base = _combine([*stated, *([] if current is None else [current])])
        self.notes = constraint_notes(constraints, base, len(corpus))
        self.mask: Mask | None = _combine([*([] if base is None else [base]), *from_plan])

    def check(self, rows: Rows, name: Callable[[Rows], Sequence[str]]) -> None:
        """Raise InputError if a filter set by the user excludes one of the rows; ``name`` returns their ids.

        A user may choose a text that is out of force: only an explicit date excludes it.
        """
        if self.constrained is None or self.constrained[rows].all():
            return
        excluded = name(rows[~self.constrained[rows]][:1])[0]
        if self._settings.as_of is not None:
            raise InputError(f"{excluded!r} is not in force on {self._settings.as_of}; change the date")
        raise InputError(f"{excluded!r} is outside the filters; change them")


def _asks_for_the_past(settings: InvestigationSettings) -> bool:
    statuses = {status.casefold() for status in settings.statuses}
    return settings.include_superseded or settings.as_of is not None or bool(statuses & set(OUT_OF_FORCE))


def _current_mask(corpus: Corpus, day: date) -> Mask | None:
    """Return the passages that may be in force on a day, shape (passages,); None for all.

    Cached while the corpus is open.
    """

    def make() -> Mask | None:
        in_force: Mask = ~corpus.out_of_force(day) & ~_replaced_later(corpus, day)
        in_force.flags.writeable = False
        return None if in_force.all() else in_force

    return _CURRENT.of(corpus).made(day, make)


# Days for which masks are cached.
DAYS = 4
_CURRENT: Caches[date, Mask | None] = Caches("what is in force", DAYS)


def _replaced_later(corpus: Corpus, day: date) -> Mask:
    """Return the passages of versions that begin after ``day`` while another version is in force then."""
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
    """Return the versions of each text with their document numbers; read once for an open corpus."""
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


def _settings_masks(corpus: Corpus, settings: InvestigationSettings) -> list[Mask]:
    masks: list[Mask] = []
    if settings.as_of is not None:
        masks.append(corpus.in_force(settings.as_of))
    if settings.statuses:
        masks.append(_status_mask(corpus, settings.statuses))
    documents = _document_mask(corpus.documents(), settings)
    if documents is not None:
        numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
        masks.append(documents[numbers])
    return masks


def _status_mask(corpus: Corpus, statuses: Sequence[str]) -> Mask:
    """Mask the passages with one of ``statuses``. Raises SettingsError for a status that no passage has."""
    for status in statuses:
        if not corpus.with_status((status,)).any():
            known = [_as_tuple(document.status) for document in corpus.documents()]
            raise SettingsError(f"statuses: {status!r} is not in the corpus{_list_values(known)}")
    return corpus.with_status(statuses)


def _document_mask(documents: Sequence[Document], settings: InvestigationSettings) -> Mask | None:
    """Mask the documents that pass the filters on documents, shape (documents,); None without filters."""
    masks: list[Mask] = []
    for setting, names_of in _FIELDS.items():
        values: tuple[str, ...] = getattr(settings, setting)
        if values:
            masks.append(_name_mask(setting, values, [names_of(document) for document in documents]))
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
    return _combine(masks)


def document_year(document: Document) -> int | None:
    """Return the year of a document's number, of its entry into force, or of its date, in this order."""
    stated = parse_period(str(document.metadata.get("date", "")))
    day = document.valid_from or (stated[0] if stated is not None else None)
    return document.year or (day.year if day is not None else None)


def _name_mask(setting: str, values: Sequence[str], names: Sequence[Sequence[str]]) -> Mask:
    """Mask the documents with one of the names. Raises SettingsError for a name that no document has."""
    found = np.zeros(len(names), np.bool_)
    keys = [{name_key(name) for name in own} for own in names]
    for name in values:
        key = name_key(name)
        hits = np.array([key in own for own in keys], np.bool_)
        if not hits.any():
            raise SettingsError(f"{setting}: {name!r} is not in the corpus{_list_values(names)}")
        found |= hits
    return found


def _list_values(names: Sequence[Sequence[str]], most: int = 8) -> str:
    known = sorted({own[0] for own in names if own})
    if not known:
        return "; no document of the corpus has such a value"
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"; known: {', '.join(known[:most])}{more}"


def _as_tuple(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()


_FIELDS: dict[str, Callable[[Document], tuple[str, ...]]] = {
    "documents": lambda document: (document.id, document.title, *document.aliases),
    "types": lambda document: _as_tuple(document.type),
    "languages": lambda document: _as_tuple(document.language),
    "issuers": lambda document: _as_tuple(document.issuer),
}


def _combine(masks: Sequence[Mask]) -> Mask | None:
    if not masks:
        return None
    joined: Mask = np.logical_and.reduce(list(masks))
    return joined


# Successors of texts that are no longer in force

# Longest chain of versions that is followed.
LONGEST_CHAIN = 32
# Relations that name a successor, tried in order: a later version replaces the text itself, an act that
# amends or repeals it states what changed.
SUCCESSIONS = ((Relation.SUPERSEDES,), (Relation.SUPERSEDES, Relation.AMENDS, Relation.REPEALS))


def newest(corpus: Corpus, rows: Rows, allowed: Mask) -> Rows:
    """Replace each row that is not allowed by its successor, over any number of versions; shape as ``rows``.

    Versions that supersede it come first, then acts that amend or repeal it; links to the provision before
    links to its whole act. A row without an allowed successor stays; a cycle ends the search.
    """
    found = rows.copy()
    excluded = np.flatnonzero(~allowed[rows])
    successors = {int(row): _successor(corpus, int(row), allowed) for row in np.unique(rows[excluded])}
    found[excluded] = [successors[row] for row in rows[excluded].tolist()]
    return found


def _successor(corpus: Corpus, row: int, allowed: Mask) -> int:
    for relations in SUCCESSIONS:
        level, seen = np.array([row], np.int32), {row}
        for _ in range(LONGEST_CHAIN):
            later = _later_rows(corpus, level, relations)
            fresh = [int(other) for other in np.unique(later).tolist() if int(other) not in seen]
            valid = [other for other in fresh if allowed[other]]
            if valid:
                return max(valid)
            if not fresh:
                break
            seen.update(fresh)
            level = np.array(fresh, np.int32)
    return row


def _later_rows(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Rows:
    """Return rows that succeed some passages, by links to each, or else by links to its whole act."""
    own = corpus.neighbours(rows, relations, Direction.IN).rows
    return own if len(own) else document_links(corpus, rows, relations).rows


def first_passages(corpus: Corpus, rows: Rows) -> Rows:
    """Return the first passage of each row's document, the target of references to it, shape (n,)."""
    numbers, index = np.unique(corpus.document_numbers(rows), return_inverse=True)
    documents = corpus.documents()
    first = [int(own[0]) for own in corpus.by_document([documents[number].id for number in numbers.tolist()])]
    return np.array(first, np.int32)[index]


def document_links(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Links:
    """Return the links to the whole documents of ``rows``; ``origins`` are indexes into ``rows``."""
    if not len(rows):
        return corpus.neighbours(rows, relations, Direction.IN)
    links = corpus.neighbours(first_passages(corpus, rows), relations, Direction.IN)
    return select_links(links, is_document_link(corpus, links))


def is_document_link(corpus: Corpus, links: Links) -> NDArray[np.bool_]:
    """Return which links come from a reference to a whole document, shape (n,)."""
    references = corpus.references(links.evidence.tolist())
    return np.array([reference.target_kind is TargetKind.DOCUMENT for reference in references], np.bool_)


def select_links(links: Links, mask: NDArray[np.bool_]) -> Links:
    """Return the links that a mask, shape (n,), selects."""
    return Links(
        links.origins[mask],
        links.rows[mask],
        links.relations[mask],
        links.weights[mask],
        links.evidence[mask],
    )
