"""Which questions of a set are asked."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import SettingsError
from engine.evaluation.questions import Question


def chosen(
    questions: Sequence[Question],
    limit: int | None = None,
    every: int | None = None,
    most: int | None = None,
) -> list[Question]:
    """Every ``every``-th question from the first on, of those the first ``limit``, and of those ``most``
    at even distances.

    Raises SettingsError for a number below 1.
    """
    for name, value in (("--limit", limit), ("--every", every), ("--most", most)):
        if value is not None and value < 1:
            raise SettingsError(f"{name}: must be at least 1 (given: {value})")
    found = list(questions[:: every or 1])[:limit]
    return found if most is None else spread(found, most)


def spread(questions: Sequence[Question], wanted: int) -> list[Question]:
    """``wanted`` questions at even distances: the first ones of a set are seldom like the rest."""
    if len(questions) <= wanted:
        return list(questions)
    return [questions[number * len(questions) // wanted] for number in range(wanted)]
