"""What a query plan requires of every passage, as masks, and what each constraint leaves.

A constraint that leaves nothing is never passed over in silence: the notes name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask
from engine.model import Constraints, QueryPlan
from engine.retrieval.planning.phrases import holding
from engine.settings import InvestigationSettings

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
