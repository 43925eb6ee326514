"""A record from a file is what somebody sent: what is no record is told, by the field that is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.evaluation.questions import topic_of
from engine.exports.cases import ExportableCase, export_of, state_of
from engine.records.record import read_record
from engine.records.store.chain import UNDONE
from tests.engine.exports.cases import GAPS, ORDINARY
from tests.engine.exports.conftest import Cases

MINE = ("csv", "graphml", "prov", "qrels", "trec")
NEEDED = ("question", "corpus", "started", "evidence", "plan", "passages", "rounds", "stop", "pool")
WRONG: tuple[Any, ...] = (None, 7, "text", [7], {"a": 1}, -1e300)


def test_its_digest_is_the_one_that_the_events_name(cases: Cases) -> None:
    case = cases[GAPS]
    assert state_of(case) == next(one.state for one in reversed(case.events) if one.state)


@pytest.mark.parametrize("name", MINE)
@pytest.mark.parametrize("field", NEEDED)
def test_a_field_that_is_missing_or_wrong_is_named(name: str, field: str, cases: Cases) -> None:
    record = dict(cases[ORDINARY].record)
    for wrong in WRONG:
        if isinstance(wrong, str) and field in ("question", "corpus"):
            continue
        with pytest.raises(InputError, match=f"record of the case: damaged: {field}"):
            export_of(name).write(ExportableCase(record | {field: wrong}))
    del record[field]
    with pytest.raises(InputError, match=f"record of the case: damaged: {field}: Field required"):
        export_of(name).write(ExportableCase(record))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("started",), "2026-01-01T00:00:00"),
        (("milliseconds",), 1e300),
        (("rounds", 0, "number"), -1),
        (("pool", "nodes", 0, "round"), 10**10),
        (("pool", "edges", 0, "relation"), "loves"),
        (("pool", "edges", 0, "direction"), None),
        (("passages", 0, "score"), "high"),
        (("passages", 0, "id"), None),
        (("threads", 0, "colour"), {"light": "red", "dark": "#000000"}),
        (("started",), 1_700_000_000),
    ],
)
def test_an_impossible_value_is_refused(path: tuple[str | int, ...], value: Any, cases: Cases) -> None:
    record: Any = orjson.loads(orjson.dumps(dict(cases[ORDINARY].record)))
    inside = record
    for part in path[:-1]:
        inside = inside[part]
    inside[path[-1]] = value
    with pytest.raises(InputError, match="record of the case: damaged"):
        read_record(record)


@given(st.dictionaries(st.text(), st.none() | st.text() | st.integers() | st.floats(), max_size=5))
def test_anything_else_is_no_record(values: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="record of the case: damaged"):
        read_record(values)


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


def test_the_same_words_are_the_same_topic() -> None:
    assert topic_of("  Who\n  pays? ") == topic_of("Who pays?") != topic_of("Another?")
