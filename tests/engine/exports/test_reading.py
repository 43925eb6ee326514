"""A record from a file is what somebody sent: what is no record is told, by the field that is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.exports.reading import read
from engine.exports.registry import HandedOver, export_of
from engine.records.store.chain import UNDONE, digest
from tests.engine.exports.cases import GAPS, ORDINARY
from tests.engine.exports.conftest import Cases

MINE = ("csv", "graphml", "prov", "qrels", "trec")
NEEDED = ("question", "corpus", "started", "evidence", "plan", "passages", "rounds", "stop", "pool")
WRONG: tuple[Any, ...] = (None, 7, "text", [7], {"a": 1}, -1e300)


def test_its_digest_is_the_one_that_the_events_name(cases: Cases) -> None:
    case = cases[GAPS]
    assert read(case.record).state == next(one.state for one in reversed(case.events) if one.state)
    assert digest(orjson.dumps(dict(case.record), option=orjson.OPT_SORT_KEYS)) == read(case.record).state


@pytest.mark.parametrize("name", MINE)
@pytest.mark.parametrize("field", NEEDED)
def test_a_field_that_is_missing_or_wrong_is_named(name: str, field: str, cases: Cases) -> None:
    record = dict(cases[ORDINARY].record)
    for wrong in WRONG:
        if isinstance(wrong, str) and field in ("question", "corpus"):
            continue
        with pytest.raises(InputError, match=f"this is no record of a case: {field}"):
            export_of(name).write(HandedOver(record | {field: wrong}))
    del record[field]
    with pytest.raises(InputError, match=f"this is no record of a case: {field}: Field required"):
        export_of(name).write(HandedOver(record))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("started",), "2026-01-01T00:00:00"),
        (("milliseconds",), 1e300),
        (("rounds", 0, "number"), -1),
        (("pool", "nodes", 0, "round"), 10**9),
        (("pool", "edges", 0, "relation"), "loves"),
        (("pool", "edges", 0, "direction"), None),
        (("passages", 0, "score"), "high"),
        (("passages", 0, "id"), None),
        (("threads", 0, "colour"), {"light": "red", "dark": "#000000"}),
        (("question",), "\ud800"),
        (("started",), 1_700_000_000),
    ],
)
def test_an_impossible_value_is_refused(path: tuple[str | int, ...], value: Any, cases: Cases) -> None:
    record: Any = orjson.loads(orjson.dumps(dict(cases[ORDINARY].record)))
    inside = record
    for part in path[:-1]:
        inside = inside[part]
    inside[path[-1]] = value
    with pytest.raises(InputError, match="this is no record of a case"):
        read(record)


@given(st.dictionaries(st.text(), st.none() | st.text() | st.integers() | st.floats(), max_size=5))
def test_anything_else_is_no_record(values: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="this is no record of a case"):
        read(values)


@pytest.mark.parametrize("change", [{"at": "yesterday"}, {"kind": UNDONE, "data": {}}])
@pytest.mark.parametrize("name", ["prov", "trec"])
def test_a_damaged_event_is_named(name: str, change: dict[str, Any], cases: Cases) -> None:
    case = cases[GAPS]
    first, *others = case.events
    # Nothing of it is looked at where it says by itself that a person had a hand in the case.
    record = dict(case.record) | {"pool": dict(case.record["pool"]) | {"pinned": [], "dismissed": []}}
    damaged = replace(case, record=record, events=[replace(first, **change), *others])
    with pytest.raises(InputError, match="event 0 of this case is damaged"):
        export_of(name).write(damaged)


def test_the_same_words_are_the_same_topic(cases: Cases) -> None:
    record = dict(cases[ORDINARY].record)
    spaced = read(record | {"question": f"  {record['question'].replace(' ', '  ')}\n"})
    assert spaced.topic == read(record).topic
    assert read(record | {"question": "Another?"}).topic != spaced.topic
