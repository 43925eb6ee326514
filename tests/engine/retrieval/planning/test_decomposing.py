"""Sub-questions that a language model proposes: which of them can be used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.planning.assisted import FEWEST, LONGEST, MOST, checked

QUESTION = "When may the harbour master withdraw a berth, and how long does an objection suspend it?"
FIRST, SECOND = "When may a berth be withdrawn?", "How long does an objection suspend the withdrawal?"


@pytest.mark.parametrize(
    ("proposals", "kept"),
    [
        ([FIRST, SECOND], [FIRST, SECOND]),
        ([f"  {FIRST}\n", SECOND], [FIRST, SECOND]),
        # One is the question itself, and one alone takes nothing apart.
        ([QUESTION, FIRST], []),
        ([FIRST], []),
        ([], []),
        # Twice the same, by its terms.
        ([FIRST, "When may berth be withdrawn", SECOND], [FIRST, SECOND]),
        # About something else; nothing said; too long.
        ([FIRST, SECOND, "Who paints the lighthouse keeper's house?"], [FIRST, SECOND]),
        # In another language or script than the question's.
        ([FIRST, SECOND, "Wann darf der Hafenmeister den berth entziehen?"], [FIRST, SECOND]),
        ([FIRST, SECOND, "متى يجوز سحب berth الرصيف؟"], [FIRST, SECOND]),
    ],
)
def test_what_can_be_used(proposals: list[str], kept: list[str]) -> None:
    assert list(checked(proposals, QUESTION, "en")) == kept


@given(st.lists(st.text(max_size=80) | st.sampled_from([FIRST, SECOND, QUESTION]), max_size=12))
def test_whatever_is_proposed_what_is_kept_is_short_and_was_proposed(proposals: list[str]) -> None:
    found = checked(proposals, QUESTION, "en")
    assert len(found) == 0 or FEWEST <= len(found) <= MOST
    assert len(set(found)) == len(found)
    assert set(found) <= {" ".join(proposal.split()) for proposal in proposals}
    assert all(0 < len(part) <= LONGEST for part in found)
