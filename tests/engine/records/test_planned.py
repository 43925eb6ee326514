"""Plans as JSON and as text."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.model import Choice, Constraints, Intent, NamedProvision, Naming, QueryPlan, Suggestion, View
from engine.records.plain import (
    load_plan,
    plan_from_json,
    plan_line,
    plan_text,
    plan_to_json,
    suggestion_words,
)

PLAN = QueryPlan(
    "dues since 2011 -fund",
    "en",
    (View("literal", "dues since 2011"), View("feedback", "berth quay", 0.2, False, False, "found")),
    ("Article 3",),
    ("a note",),
    Intent.MULTI_HOP,
    ("of the owner of",),
    ("act",),
    ("dues-act",),
    Constraints(("berth",), ("fund",), ("dues-act",), ("act",), ("en",), 2011, None, date(2020, 3, 1)),
    (Suggestion("year_from", "2011", "since 2011"),),
    "recall",
    True,
    (
        NamedProvision("Article 3", Naming.FOUND, ("dues-act/art-3",), leads=True),
        NamedProvision(
            "Article 99", Naming.MISSING, (), (Choice("dues-act/art-5", "Article 5"),), False, "no"
        ),
    ),
)


def test_a_plan_comes_back_as_it_was() -> None:
    values = plan_to_json(PLAN)
    assert plan_from_json(orjson.loads(orjson.dumps(values))) == PLAN
    assert values["constraints"]["as_of"] == "2020-03-01"


@given(
    st.lists(
        st.builds(
            View, st.text(max_size=5), st.text(max_size=9), st.floats(0.1, 9).map(lambda w: round(w, 2))
        )
    ),
    st.builds(Constraints, st.tuples(st.text(max_size=5))),
)
def test_any_plan_comes_back(views: list[View], constraints: Constraints) -> None:
    plan = QueryPlan("q", "en", tuple(views), constraints=constraints)
    assert plan_from_json(plan_to_json(plan)) == plan


def test_what_became_of_named_provisions_is_told() -> None:
    (line,) = [line for line in plan_text(PLAN) if line.startswith("Names")]
    assert line == "Names: Article 3 (1 passage); Article 99 (no)"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([], "plan: plan: Input should be"),
        ({"question": "q"}, "plan: views: Field required"),
        ({"question": "q", "views": [{"text": "q", "wait": 1}]}, "views.0.wait: Extra inputs"),
        ({"question": "q", "views": [], "constraints": {"as_of": "soon"}}, "constraints.as_of"),
        ({"question": "q", "views": [], "intent": "guess"}, "intent: Input should be"),
        ({"question": "q", "views": [], "strategy": "luck"}, "strategy: 'luck'; known strategies: precision"),
    ],
)
def test_a_wrong_plan_is_refused_by_its_field(values: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        plan_from_json(values)


def test_a_file_holds_a_plan_or_an_investigation_with_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for values in (plan_to_json(PLAN), {"format": 1, "plan": plan_to_json(PLAN)}):
        path.write_bytes(orjson.dumps(values))
        assert load_plan(path) == PLAN
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        load_plan(path)
    with pytest.raises(InputError, match="cannot be read"):
        load_plan(tmp_path / "none.json")


def test_a_plan_is_told() -> None:
    text = "\n".join(plan_text(PLAN))
    for words in (
        "Intent:   multi-hop (“of the owner of”)",
        "with “berth”; without “fund”",
        "year:2011..",
        "a note",
    ):
        assert words in text
    assert "[ ] feedback 0.2, words only: berth quay" in text
    assert "1 view of 2 switched on" in text
    assert plan_line(PLAN).startswith("Plan: 1 view of the question, language en, multi-hop, with “berth”")
    assert plan_line(PLAN).endswith("(edited)")


@pytest.mark.parametrize(
    ("found", "sign"),
    [
        (Suggestion("year_to", "2020", ""), "year:..2020"),
        (Suggestion("as_of", "2020-03-01", ""), "as_of:2020-03-01"),
        (Suggestion("must_include", "client money", ""), '+"client money"'),
    ],
)
def test_a_suggestion_says_what_to_write(found: Suggestion, sign: str) -> None:
    assert suggestion_words(found) == sign
