"""A saved case is proved, taken in elsewhere and handed on; what was changed on the way is seen."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.records.case_file import SavedFile, case_bytes, find_changes, parse_saved, read_saved
from engine.records.conversion import load_investigation, load_record, pool_of, save
from engine.records.store.chain import Event, digest, seal
from engine.records.store.store import CaseStore
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished
from tests.engine.records.former import former_file
from tests.engine.records.spoiling import spoil


@pytest.fixture
def path(bare: Corpus, tmp_path: Path) -> Path:
    save(finished(bare, QUESTION).investigation(), tmp_path / "case.json", application="cli", who="Ann")
    return tmp_path / "case.json"


@pytest.fixture
def store(tmp_path: Path) -> CaseStore:
    return CaseStore(f"sqlite:///{tmp_path / 'there' / 'cases.sqlite'}")


def changed(path: Path, change: Callable[[Any], object]) -> SavedFile:
    values = orjson.loads(path.read_bytes())
    change(values)
    return parse_saved(values, str(path))


def test_as_it_was_written_it_is_sound(path: Path) -> None:
    saved = read_saved(path)
    assert find_changes(saved, str(path)) == []
    assert saved.case is not None
    assert [event.kind for event in saved.case.events] == ["opened", "ran"]
    assert (saved.case.application, saved.case.events[0].who) == ("cli", "Ann")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda one: one["passages"][0].update(text="Nobody owes anything."),
            "the record was changed",
        ),
        (lambda one: one.update(question="Another?"), "the record was changed"),
        (lambda one: one["notes"].append("more"), "the record was changed"),
        (lambda one: one["case"]["events"][1].update(who="Eve"), "event 1 (ran) was changed"),
        (lambda one: one["case"]["events"][0]["data"].update(x=1), "event 0 (opened) was changed"),
        (lambda one: one["case"].update(engine="9.9"), "its field 'engine' differs from its events"),
        (lambda one: one["case"].update(verdict="right"), "its field 'verdict' differs from its events"),
        (lambda one: one["case"].update(notes="all is well"), "its field 'notes' differs from its events"),
        (lambda one: one["case"].update(id="x" * 22), "event 0 (opened) was changed"),
    ],
)
def test_a_changed_file_is_seen_and_not_taken_in(
    path: Path, store: CaseStore, change: Callable[[Any], object], told: str
) -> None:
    saved = changed(path, change)
    assert any(told in one for one in find_changes(saved, str(path)))
    assert saved.case is not None
    with pytest.raises(InputError, match="was changed: "):
        store.take_in(saved.record, saved.case, store.matter(), who="Ben")
    assert store.ids() == []
    store.close()


def test_handed_to_a_colleague_it_is_gone_on_with(path: Path, store: CaseStore, tmp_path: Path) -> None:
    record, case = read_saved(path)
    assert case is not None
    store.take_in(record, case, store.matter("Taken in"), who="Ben")
    assert store.record(case.id) == record
    assert store.verify(case.id) == []
    pinned = {**record, "notes": ["pinned"]}
    store.step(case.id, "pin", who="Ben", record=pinned)
    store.judge(case.id, "supported", who="Ben")
    store.share(case.id, who="Ben")
    back = tmp_path / "back.json"
    back.write_bytes(case_bytes(*store.handed(case.id)))
    again = read_saved(back)
    assert find_changes(again, "back") == []
    assert again.record == pinned
    assert again.case is not None
    # Whoever takes it in shares it with nobody by that, and can take back what was done before.
    third = CaseStore(f"sqlite:///{tmp_path / 'third.sqlite'}")
    third.take_in(again.record, again.case, third.matter(), who="Cem")
    assert third.summary(case.id).is_shared is False
    assert third.summary(case.id).verdict == "supported"
    assert third.undo(case.id, who="Cem") == record
    assert third.verify(case.id) == []
    kinds = [event.kind for event in third.events(case.id)]
    assert kinds == ["opened", "ran", "imported", "pin", "judged", "shared", "imported", "undone"]
    with pytest.raises(InputError, match="is stored already"):
        third.take_in(again.record, again.case, third.matter(), who="Cem")
    for one in (store, third):
        one.close()


def test_without_the_records_before_a_step_it_is_sound_and_goes_back_no_further(
    path: Path, store: CaseStore, tmp_path: Path
) -> None:
    record, case = read_saved(path)
    assert case is not None
    store.take_in(record, case, store.matter(), who="Ben")
    store.step(case.id, "pin", who="Ben", record={**record, "notes": ["pinned"]})
    values = orjson.loads(case_bytes(*store.handed(case.id)))
    values["case"]["earlier"].clear()
    saved = parse_saved(values, "case.json")
    assert find_changes(saved, "case.json") == []
    assert saved.case is not None
    third = CaseStore(f"sqlite:///{tmp_path / 'third.sqlite'}")
    third.take_in(saved.record, saved.case, third.matter(), who="Cem")
    assert third.verify(case.id) == []
    with pytest.raises(InputError, match="was not imported"):
        third.undo(case.id, who="Cem")
    for one in (store, third):
        one.close()


def forged(values: dict[str, Any]) -> None:
    """A chain that is whole, of events that nobody had."""
    case = values["case"]
    before = "0" * 64
    case["events"].append(
        {
            "number": 2,
            "at": "now",
            "who": "E",
            "kind": "undone",
            "data": {"event": "x"},
            "state": None,
            "hash": "",
        }
    )
    for place, one in enumerate(case["events"]):
        event = seal(Event(**one), case["id"], before)
        case["events"][place] = event.values()
        before = event.hash
    case["head"] = before


def bomb(values: dict[str, Any]) -> None:
    state = b" " * 2_000_000
    values["case"]["earlier"][digest(b"other")] = base64.b64encode(zlib.compress(state)).decode()


@pytest.mark.parametrize(
    "change",
    [
        forged,
        bomb,
        lambda one: one["case"]["earlier"].update(x="!"),
        lambda one: one["pool"]["edges"][0].update(target="nowhere"),
        lambda one: one["pool"]["nodes"].append(one["pool"]["nodes"][0]),
        lambda one: one.update(started="0001-01-01T00:00:00+23:59"),
        lambda one: one["pool"]["nodes"][0].update(round=2**40),
        lambda one: one["case"].update(head="0" * 64),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(
    path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(InputError, match=rf"^{path}: ") as told:
        changed(path, change)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"{", b'{"format": 9, "pool": {}}', b"\xff", b"null"])
def test_another_file_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match="not a saved investigation"):
        read_saved(tmp_path / "x.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_content_is_taken_in_or_refused(path: Path, store: CaseStore, data: st.DataObject) -> None:
    values = orjson.loads(path.read_bytes())
    spoil(values, data)
    told = ""
    try:
        saved = parse_saved(values, "case.json")
    except InputError as error:
        told = str(error)
    if told:
        assert told.startswith("case.json: ")
        return
    assert saved.case is not None
    sound = not find_changes(saved, "case.json")
    try:
        store.take_in(saved.record, saved.case, store.matter(), who="Ben")
    except InputError:
        return
    assert sound
    assert store.verify(saved.case.id) == []
    store.delete([saved.case.id])


def test_a_file_of_format_1_is_read_as_ever(meridia: Corpus, tmp_path: Path, store: CaseStore) -> None:
    path = former_file(tmp_path)
    investigation = load_investigation(path, meridia)
    assert len(investigation.passages) == 10
    assert len(pool_of(load_record(path), meridia, 10, path)) == 30
    assert load_record(path).used() == {}
    record, case = read_saved(path)
    assert case is None
    with pytest.raises(InputError, match="format 1 has no chain"):
        find_changes(SavedFile(record, case), "x")
    kept = store.keep(record, store.matter(), application="file", who="Ben")
    assert store.verify(kept) == []
    assert store.record(kept) == record
    # Handed over it is what it was, sealed from now on.
    again = tmp_path / "again.json"
    again.write_bytes(case_bytes(*store.handed(kept)))
    assert find_changes(read_saved(again), "again") == []
    assert len(load_investigation(again, meridia).passages) == 10
    store.close()
