"""Assessments as tests write them down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

from hypothesis import strategies as st

from engine.review.agreement import SCALES
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict

QUESTION = "Who may sign for the company?"
AT = "2026-11-26T08:00:00+00:00"
R, P, N = Verdict.RELEVANT, Verdict.PARTLY, Verdict.IRRELEVANT


def passage(key: str, *, case_id: str = "case", **fields: str | int) -> Item:
    values: dict[str, object] = {"passage_id": key, **fields}
    return Item(case_id=case_id, kind=ItemKind.PASSAGE, key=key, **values)  # type: ignore[arg-type]


def said(item: Item, verdict: Verdict, reviewer: str = "anna", number: int = 1, at: str = AT) -> Assessment:
    return Assessment(number, item, QUESTION, verdict, reviewer, at)


def table(rows: Iterable[Sequence[Verdict | None]], kind: ItemKind = ItemKind.PASSAGE) -> list[Assessment]:
    """Assessments of a table with a row for each item and a column for each reviewer."""
    numbers = count(1)
    return [
        said(Item("case", kind, f"item-{row}", f"p-{row}"), verdict, f"reviewer-{column}", next(numbers))
        for row, verdicts in enumerate(rows)
        for column, verdict in enumerate(verdicts)
        if verdict is not None
    ]


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
NOTES = st.one_of(WORDS, st.sampled_from(["=1+1", "'=1+1", "''-2", "'", "'quoted'", "two\nlines", 'a;b,"c"']))
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
# A reviewer has a name that can be seen.
REVIEWERS = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=12)


ITEMS = st.builds(
    Item,
    case_id=st.sampled_from(["case-1", "case-2"]),
    kind=st.sampled_from(ItemKind),
    key=NAMES,
    passage_id=NAMES,
    source_id=WORDS,
    relation=WORDS,
    strategy=st.just("links"),
    rank=st.none() | st.integers(1, 9),
    text=WORDS,
)


@st.composite
def journals(draw: st.DrawFn) -> list[Assessment]:
    """Standing assessments of items of all kinds, each reviewer at most once an item."""
    found: list[Assessment] = []
    items = draw(st.lists(ITEMS, max_size=4, unique_by=lambda item: (item.case_id, item.key)))
    for item in items:
        for reviewer in draw(st.lists(REVIEWERS, min_size=1, max_size=3, unique=True)):
            one = said(item, draw(st.sampled_from(SCALES[item.kind])), reviewer, len(found) + 1)
            found.append(
                replace(one, reason=draw(WORDS), note=draw(NOTES), source=draw(st.sampled_from(SourceType)))
            )
    return found
