"""What stands of what was said: the last word of each on each item, unless taken back or put off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.review.model import APPROVING, VERDICTS, Assessment, ItemKind, Verdict, current_assessments
from tests.engine.review.judged import passage, said

WHO, KEYS, CASES = ("anna", "ben", "cem"), ("a", "b"), ("one", "two")


@st.composite
def journals(draw: st.DrawFn) -> list[Assessment]:
    """What some people said in turn, some of it taken back."""
    found: list[Assessment] = []
    for number in range(1, draw(st.integers(0, 12)) + 1):
        back = draw(st.sampled_from([None, *found])) if draw(st.booleans()) else None
        if back is not None:
            found.append(replace(back, number=number, withdraws=back.number))
            continue
        item = passage(draw(st.sampled_from(KEYS)), case_id=draw(st.sampled_from(CASES)))
        verdict = draw(st.sampled_from(VERDICTS[ItemKind.PASSAGE]))
        found.append(said(item, verdict, draw(st.sampled_from(WHO)), number))
    return found


def owner(one: Assessment) -> tuple[str, str, str]:
    return one.item.case_id, one.item.key, one.reviewer


@given(journals())
def test_the_last_word_of_each_stands(journal: list[Assessment]) -> None:
    plain = [
        one
        for one in journal
        if one.withdraws is None
        and one.verdict is not Verdict.LATER
        and not any(owner(other) == owner(one) and other.number > one.number for other in journal)
    ]
    assert current_assessments(journal) == plain


@given(journals(), st.randoms())
def test_in_whatever_order_they_are_given(journal: list[Assessment], random: object) -> None:
    mixed = journal.copy()
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert current_assessments(mixed) == current_assessments(journal)


@given(journals())
def test_what_stands_stands_alone(journal: list[Assessment]) -> None:
    found = current_assessments(journal)
    assert current_assessments(found) == found
    assert len({owner(one) for one in found}) == len(found)


@given(journals(), journals())
def test_others_change_nothing(journal: list[Assessment], more: list[Assessment]) -> None:
    others = [replace(one, reviewer=f"not {one.reviewer}", number=one.number + 100) for one in more]
    assert current_assessments([*journal, *others])[
        : len(current_assessments(journal))
    ] == current_assessments(journal)


@pytest.mark.parametrize("kind", ItemKind)
def test_each_kind_has_verdicts_that_approve_and_others_and_can_be_put_off(kind: ItemKind) -> None:
    known = VERDICTS[kind]
    assert known[-1] is Verdict.LATER
    assert known[0] in APPROVING
    assert set(known) - APPROVING - {Verdict.LATER}
    assert said(passage("a"), known[0]).is_approval
