"""Roles, what can be done that needs one, and the one place that decides who may do what."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """What somebody is to this server, from the least to the most."""

    VISITOR = "visitor"
    REVIEWER = "reviewer"
    OPERATOR = "operator"


class Action(StrEnum):
    """What changes something, or is paid for by the operator."""

    ADD = "add"
    DELETE = "delete"
    JUDGE = "judge"
    RESOLVE = "resolve"
    AREAS = "areas"
    EXTRACT = "extract"
    USE_MODEL = "use model"


_REVIEWING = frozenset({Action.JUDGE, Action.RESOLVE, Action.AREAS, Action.EXTRACT})
# What each role may do with what belongs to everybody.
_ALLOWED: Mapping[Role, frozenset[Action]] = {
    Role.VISITOR: frozenset(),
    Role.REVIEWER: _REVIEWING,
    Role.OPERATOR: frozenset(Action),
}
# What anybody may do with a corpus of their own; the operator's model is never that.
_WITH_OWN = frozenset(Action) - {Action.USE_MODEL}


def may(role: Role, action: Action, *, own: bool = False) -> bool:
    """Whether a role may do something; ``own``: to a corpus that belongs to whoever asks."""
    return action in _ALLOWED[role] or (own and action in _WITH_OWN)
