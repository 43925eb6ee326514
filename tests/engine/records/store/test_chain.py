"""A chain of events: whole as it was written, broken by any change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.records.store.chain import BEGINNING, Event, broken_events, broken_states, digest, seal

words = st.text(max_size=8)
data = st.dictionaries(words, st.one_of(words, st.integers(-99, 99), st.booleans(), st.none()), max_size=3)
steps = st.lists(
    st.tuples(words, words, data, st.one_of(st.none(), st.binary(max_size=8))), min_size=1, max_size=6
)


def broken(case_id: str, events: list[Event], head: str, states: dict[int, bytes]) -> list[str]:
    return broken_events(case_id, events, head) + broken_states(events, states)


def chained(
    made: list[tuple[str, str, dict[str, Any], bytes | None]],
) -> tuple[list[Event], dict[int, bytes]]:
    events: list[Event] = []
    states: dict[int, bytes] = {}
    before = BEGINNING
    for number, (who, kind, said, state) in enumerate(made):
        event = Event(number, "2026-01-01", who, kind, said, None if state is None else digest(state))
        events.append(seal(event, "case", before))
        before = events[-1].hash
        if state is not None:
            states[number] = state
    return events, states


@given(steps)
def test_as_it_was_written_it_is_whole(made: list[Any]) -> None:
    events, states = chained(made)
    assert broken("case", events, events[-1].hash, states) == []


@given(steps, st.data())
def test_any_change_breaks_it(made: list[Any], drawn: st.DataObject) -> None:
    events, states = chained(made)
    head = events[-1].hash
    place = drawn.draw(st.integers(0, len(events) - 1))
    event = events[place]
    changes: list[Event] = [
        replace(event, who=event.who + "x"),
        replace(event, kind=event.kind + "x"),
        replace(event, at="2026-01-02"),
        replace(event, data={**event.data, "added": 1}),
        replace(event, state=digest(b"another")),
        replace(event, hash=BEGINNING),
    ]
    for changed in changes:
        assert broken("case", [*events[:place], changed, *events[place + 1 :]], head, states)
    assert broken("case", [*events[:place], *events[place + 1 :]], head, states)
    assert broken("other case", events, head, states)
    for number in states:
        assert broken("case", events, head, {**states, number: states[number] + b"x"})


def test_a_record_that_is_gone_is_missed() -> None:
    events, states = chained([("Ann", "ran", {}, b"one"), ("Ann", "pin", {}, b"two")])
    assert broken("case", events, events[-1].hash, {0: states[0]}) == ["the record behind event 1 is missing"]
