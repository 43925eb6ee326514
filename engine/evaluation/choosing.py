"""Which questions of a set are asked."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import SettingsError
from engine.evaluation.questions import Question


def chosen(
    questions: Sequence[Question], limit: int | None = None, every: int | None = None
) -> list[Question]:
    """Every ``every``-th question from the first on, and of those the first ``limit``.

    Raises SettingsError for a number below 1.
    """
    for name, value in (("--limit", limit), ("--every", every)):
        if value is not None and value < 1:
            raise SettingsError(f"{name}: must be at least 1 (given: {value})")
    return list(questions[:: every or 1])[:limit]
