from __future__ import annotations

import pytest

from engine.access.users import Action, Role, may

REVIEWING = {Action.JUDGE, Action.RESOLVE, Action.AREAS, Action.EXTRACT}


@pytest.mark.parametrize("action", Action)
def test_who_may_do_what_with_what_belongs_to_everybody(action: Action) -> None:
    assert not may(Role.VISITOR, action)
    assert may(Role.REVIEWER, action) is (action in REVIEWING)
    assert may(Role.OPERATOR, action)


@pytest.mark.parametrize("role", Role)
def test_with_a_corpus_of_ones_own_everything_but_the_operators_model(role: Role) -> None:
    for action in Action:
        allowed = action is not Action.USE_MODEL or role is Role.OPERATOR
        assert may(role, action, own=True) is allowed
