"""Hard filters and constraints of a question, and the successors of texts that are not in force."""

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
from engine.retrieval.planning.syntax import holding
from engine.settings import InvestigationSettings

# What a query plan requires of every passage, as masks, and what each constraint leaves.
#
# A constraint that leaves nothing is never passed over in silence: the notes name it.

# How the note begins that names the constraint which emptied the search.
NOTHING_LEFT = "nothing is left to search"


@dataclass(frozen=True, slots=True)
class ConstraintMask:
    """One constraint in words, and the passages that meet it, shape (passages,)."""

    words: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class ConstraintMasks:
    """All constraints of a plan, and notes on phrases that require nothing."""

    each: tuple[ConstraintMask, ...] = ()
    notes: tuple[str, ...] = ()


def constraint_masks(
    corpus: Corpus, plan: QueryPlan, stated: Callable[[Corpus, InvestigationSettings], Sequence[Mask]]
) -> ConstraintMasks:
    """The constraints of a plan. ``stated`` makes masks from filters as the settings have them.

    Raises SettingsError for a document, type or language that the corpus does not have.
    """
    constraints = plan.constraints
    each, notes = [], []
    for words, filters in _filters(constraints):
        each += [ConstraintMask(words, mask) for mask in stated(corpus, filters)]
    for include, phrases in ((True, constraints.must_include), (False, constraints.must_exclude)):
        for phrase in phrases:
            sign = "with" if include else "without"
            mask = holding(corpus, phrase, plan.language)
            if mask is None:
                notes.append(f"{sign} “{phrase}”: function words alone, not applied")
            else:
                each.append(ConstraintMask(f"{sign} “{phrase}”", mask if include else ~mask))
    return ConstraintMasks(tuple(each), tuple(notes))


def constraint_notes(constraints: ConstraintMasks, given: Mask | None, size: int) -> tuple[str, ...]:
    """How many passages each constraint leaves, in order, and which of them left none.

    ``given`` is what other filters let through, of ``size`` passages.
    """
    left = np.ones(size, np.bool_) if given is None else given
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
    """Each constraint on documents in words, and as a filter of the settings."""
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


# Hard filters: which passages an investigation may find at all.
#
# What is known to be out of force is left out unless it is asked for: by a date on which it held,
# or by ``include_superseded``. So is a version that does not hold yet while an earlier one does.
# What nothing is known of stays.


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


# From a text that is no longer in force to what took its place.

# A chain of more versions than this is followed no further.
LONGEST_CHAIN = 32
# What says that a text has a successor, the surest first: a later version is the text itself, an act that
# amends or repeals tells what became of it.
SUCCESSIONS = ((Relation.SUPERSEDES,), (Relation.SUPERSEDES, Relation.AMENDS, Relation.REPEALS))


def newest(corpus: Corpus, rows: Rows, allowed: Mask) -> Rows:
    """For each row that is not allowed what took its place, over as many versions as there are; shape as
    ``rows``.

    A version that supersedes it is sought first, then what amends or repeals it, the provision itself
    before its whole act. A row without an allowed successor stays as it is; a circle ends the search.
    """
    found = rows.copy()
    gone = np.flatnonzero(~allowed[rows])
    known = {int(row): _successor(corpus, int(row), allowed) for row in np.unique(rows[gone])}
    found[gone] = [known[row] for row in rows[gone].tolist()]
    return found


def _successor(corpus: Corpus, row: int, allowed: Mask) -> int:
    for relations in SUCCESSIONS:
        level, seen = np.array([row], np.int32), {row}
        for _ in range(LONGEST_CHAIN):
            later = _after(corpus, level, relations)
            fresh = [int(other) for other in np.unique(later).tolist() if int(other) not in seen]
            valid = [other for other in fresh if allowed[other]]
            if valid:
                return max(valid)
            if not fresh:
                break
            seen.update(fresh)
            level = np.array(fresh, np.int32)
    return row


def _after(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Rows:
    """What comes after some passages in time: what says so of each, or else of the act it is part of."""
    own = corpus.neighbours(rows, relations, Direction.IN).rows
    return own if len(own) else document_links(corpus, rows, relations).rows


def first_passages(corpus: Corpus, rows: Rows) -> Rows:
    """The first passage of each row's document, where references to the whole document lead; shape (n,)."""
    numbers, position = np.unique(corpus.document_numbers(rows), return_inverse=True)
    documents = corpus.documents()
    first = [int(own[0]) for own in corpus.by_document([documents[number].id for number in numbers.tolist()])]
    return np.array(first, np.int32)[position]


def document_links(corpus: Corpus, rows: Rows, relations: Sequence[Relation]) -> Links:
    """The links by which others refer to the whole documents of ``rows``; ``origins`` as for ``rows``."""
    if not len(rows):
        return corpus.neighbours(rows, relations, Direction.IN)
    links = corpus.neighbours(first_passages(corpus, rows), relations, Direction.IN)
    return chosen(links, is_document_link(corpus, links))


def is_document_link(corpus: Corpus, links: Links) -> NDArray[np.bool_]:
    """Which links were made by a reference to a whole document, shape (n,)."""
    references = corpus.references(links.evidence.tolist())
    return np.array([one.target_kind is TargetKind.DOCUMENT for one in references], np.bool_)


def chosen(links: Links, kept: NDArray[np.bool_]) -> Links:
    """Those links that a mask keeps, shape (n,)."""
    return Links(
        links.origins[kept],
        links.rows[kept],
        links.relations[kept],
        links.weights[kept],
        links.evidence[kept],
    )
