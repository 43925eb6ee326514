"""Which item of which case a verdict of a file is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.errors import SourceError
from engine.evaluation.questions import topic_of
from engine.review.drafts import Draft
from engine.review.importing import find_cases, match_verdicts
from engine.review.model import Item, ItemKind, Verdict
from tests.engine.review.judged import QUESTION, R, passage

OTHER = "Who takes a pilot?"
COPIED = replace(passage("passage:b", case_id="one", passage_id="b"), copies=("passage:b2",))
ITEMS = [
    (passage("passage:a", case_id="one", passage_id="a"), QUESTION),
    (COPIED, QUESTION),
    (passage("passage:a", case_id="two", passage_id="a"), QUESTION),
    (passage("passage:a", case_id="three", passage_id="a"), OTHER),
    (Item("one", ItemKind.HOP, "hop:a>cites>b", "b", source_id="a", relation="cites"), QUESTION),
]


def of(verdict: Verdict = R, kind: ItemKind = ItemKind.PASSAGE, **fields: Any) -> Draft:
    return Draft(kind, verdict, where="v.csv, line 7", **fields)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"case_id": "one", "key": "passage:a"}, ["one passage:a"]),
        ({"case_id": "two", "passage_id": "a"}, ["two passage:a"]),
        # A case that is not here is not the one that asks the same.
        ({"case_id": "four", "passage_id": "a", "question": QUESTION}, []),
        ({"case_id": "one", "passage_id": "c"}, []),
        ({"question_id": topic_of(QUESTION), "passage_id": "a"}, ["one passage:a", "two passage:a"]),
        ({"question": f" {QUESTION}\n", "passage_id": "a"}, ["one passage:a", "two passage:a"]),
        ({"question_id": "17", "question": OTHER, "passage_id": "a"}, ["three passage:a"]),
        ({"question_id": "three", "passage_id": "a"}, ["three passage:a"]),
        ({"question_id": "17", "passage_id": "a"}, []),
        # What has the same words is judged with it.
        ({"case_id": "one", "passage_id": "b2"}, ["one passage:b"]),
        ({"case_id": "one", "key": "passage:b2"}, ["one passage:b"]),
        # A key that another program has made, with the passage beside it.
        ({"case_id": "one", "key": "77", "passage_id": "b"}, ["one passage:b"]),
        # A hop is no passage, whatever its key says.
        ({"case_id": "one", "key": "hop:a>cites>b"}, []),
    ],
)
def test_an_item_has_many_names(fields: dict[str, Any], found: list[str]) -> None:
    got = match_verdicts([of(**fields)], ITEMS)
    assert [f"{item.case_id} {item.key}" for _, item in got.found] == found
    assert len(got.missing) == (not found)


def test_a_hop_is_named_by_its_key_or_its_ends() -> None:
    by_key = of(Verdict.RIGHT, ItemKind.HOP, case_id="one", key="hop:a>cites>b")
    by_ends = of(Verdict.RIGHT, ItemKind.HOP, case_id="one", source_id="a", relation="cites", passage_id="b")
    wrong = replace(by_ends, relation="amends")
    got = match_verdicts([by_key, by_ends, wrong], ITEMS)
    assert [one for one, _ in got.found] == [by_key, by_ends]
    assert got.missing == [wrong]


def test_a_file_need_not_name_the_only_case() -> None:
    assert len(match_verdicts([of(passage_id="a")], ITEMS[:2]).found) == 1
    with pytest.raises(SourceError, match=r"v\.csv, line 7: names neither a case nor a question"):
        match_verdicts([of(passage_id="a")], ITEMS)
    assert len(match_verdicts([of(passage_id="a")], []).missing) == 1


def test_only_cases_that_are_named_need_be_read() -> None:
    cases = {"one": QUESTION, "two": QUESTION, "three": OTHER}
    assert find_cases([of(case_id="two", passage_id="a")], cases) == ["two"]
    assert find_cases([of(question=OTHER, passage_id="a")], cases) == ["three"]
    assert find_cases([of(question_id=topic_of(QUESTION), passage_id="a")], cases) == ["one", "two"]
    assert find_cases([of(case_id="x", passage_id="a"), of(passage_id="a")], cases) == list(cases)
    assert find_cases([of(case_id="x", passage_id="a")], cases) == []
