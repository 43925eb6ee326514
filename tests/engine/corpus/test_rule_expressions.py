from __future__ import annotations

import contextlib
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.rule_expressions import Unknown, evaluate
from engine.corpus.rule_values import Choice, Duration, Value
from engine.errors import SettingsError
from tests.tables import table

SCALE = ("joint", "limited", "sole")
SCALES = {name: Choice(name, SCALE) for name in SCALE}
FACTS: dict[str, Value] = {
    "authority": Decimal(50000),
    "scope": Decimal("49999.90"),
    "delivered": date(2024, 1, 31),
    "term": Duration(months=1),
    "sealed": True,
    "role": SCALES["limited"],
}


@pytest.mark.parametrize(
    ("condition", "holds"),
    table(__file__, "test_conditions"),
)
def test_conditions(condition: str, holds: bool) -> None:
    assert evaluate(condition, FACTS, SCALES) is holds


def test_calendars_that_differ_leave_it_open() -> None:
    found = evaluate("term <= days(30)", FACTS, SCALES)
    assert isinstance(found, Unknown)
    assert found.needs == set()
    assert "1 month and 30 days" in next(iter(found.reasons))


def test_a_division_by_nothing_leaves_it_open() -> None:
    found = evaluate("authority / 0 < 3", FACTS, SCALES)
    assert isinstance(found, Unknown)
    assert found.reasons


@pytest.mark.parametrize(
    "condition",
    [
        "", "authority", "authority = scope", "authority < delivered", "authority < 'x'", "sealed < true",
        "authority ** 9 < 3", "authority.real < 3", "[1] < 2", "lambda: 1", "__import__('os')",
        "(lambda: 1)()", "authority if sealed else scope", "1 < authority < 3", "days(authority) < term",
        "days(-1) < term", "date('2024-02-30') < delivered", "'a' * 99999 == 'b'", "f'{authority}' == 'a'",
        "authority < scope; scope", "x := 3", "authority in (1, 2)", "(" * 300, "not " * 90 + "sealed and 1",
        "a" * 500, "role < 2", "delivered * 2 < delivered", "None == None", "1j < 2", "b'x' == b'x'",
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(condition: str) -> None:
    with pytest.raises(SettingsError):
        evaluate(condition, FACTS, SCALES)


def _conditions() -> st.SearchStrategy[str]:
    numbers = st.sampled_from(["a", "b", "c", "3", "a + b", "c - 1"])
    compared = st.tuples(numbers, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), numbers).map(" ".join)
    atoms = compared | st.sampled_from(["p", "q", "not p", "true", "false"])

    def joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(parts, st.sampled_from([" and ", " or "]), parts)
        return pair.map(lambda three: f"({''.join(three)})") | parts.map(lambda one: f"not ({one})")

    return st.recursive(atoms, joined, max_leaves=6)


@given(
    _conditions(),
    st.fixed_dictionaries(
        {**{name: st.integers(0, 5).map(Decimal) for name in "abc"}, **{name: st.booleans() for name in "pq"}}
    ),
    st.sets(st.sampled_from("abcpq")),
)
def test_more_facts_never_change_an_answer(condition: str, facts: dict[str, Value], kept: set[str]) -> None:
    some = evaluate(condition, {name: facts[name] for name in kept}, {})
    everything = evaluate(condition, facts, {})
    assert isinstance(everything, bool)
    if isinstance(some, bool):
        assert some is everything
    else:
        assert some.needs
        assert some.needs.isdisjoint(kept)


@given(st.text(max_size=60))
def test_no_text_does_harm(text: str) -> None:
    with contextlib.suppress(SettingsError):
        assert isinstance(evaluate(text, FACTS, SCALES), bool | Unknown)
