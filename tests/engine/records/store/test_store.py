"""Cases that are kept: nothing is lost, nobody sees another's, every step can be taken back."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from engine.errors import InputError, ResourceError
from engine.records.store import EVERYBODY
from engine.records.store.chain import new_id
from engine.records.store.database import CaseFilter, Matter
from engine.records.store.store import GENERAL, CaseStore
from tests.tables import table

ME = {"application": "cli", "who": "Ann"}


def kept(store: CaseStore, record: dict[str, Any], **named: Any) -> str:
    given = {**ME, "fingerprint": "f1", **named}
    return store.keep(record, given.pop("matter", None) or store.matter(), **given)


def test_a_case_comes_back_as_it_was(store: CaseStore, record: dict[str, Any]) -> None:
    case_id = kept(store, record)
    assert store.record(case_id) == record
    summary = store.summary(case_id)
    assert summary.question == record["question"]
    assert summary.passages == len(record["passages"])
    assert summary.pool == len(record["pool"]["nodes"])
    assert summary.coverage_score == pytest.approx(record["metrics"]["coverage"])
    assert (summary.application, summary.fingerprint, summary.verdict) == ("cli", "f1", None)
    assert summary.started < summary.completed
    assert [event.kind for event in store.events(case_id)] == ["opened", "ran"]
    assert store.verify(case_id) == []


def test_what_is_of_one_matter_or_person_no_other_sees(store: CaseStore, record: dict[str, Any]) -> None:
    mine, other = store.matter("Harbour", owner="ann"), store.matter("Harbour", owner="ben")
    case_id = kept(store, record, matter=mine)
    kept(store, record, matter=store.matter("Taxes", owner="ann"))
    assert store.listed(CaseFilter(), mine, owner="ann").total == 1
    assert (
        store.listed(CaseFilter(), other, owner="ben").total
        == store.listed(CaseFilter(), owner="ben").total
        == 0
    )
    assert (
        store.listed(CaseFilter(), owner="ann").total
        == store.listed(CaseFilter(), owner=EVERYBODY).total
        == 2
    )
    for owner in ("ben", ""):
        for reading in (store.record, store.summary, store.events, store.verify, store.notes):
            with pytest.raises(InputError, match="no case"):
                reading(case_id, owner)
        with pytest.raises(InputError, match="no case"):
            store.step(case_id, "pin", who="Ben", owner=owner, record=record)
        with pytest.raises(InputError, match="no case"):
            store.undo(case_id, who="Ben", owner=owner)
        assert store.delete([case_id], owner) == 0
    assert store.record(case_id, "ann") == record
    assert [one.name for one in store.matters("ann")] == ["Harbour", "Taxes"]
    # Not by asking for the matter of another either.
    assert store.listed(CaseFilter(), mine, owner="ben").total == 0


def test_it_is_found_by_words_in_any_case_and_by_what_it_is(store: CaseStore, record: dict[str, Any]) -> None:
    first = kept(store, {**record, "question": "Wer haftet für die Öffnung des Hafens?"})
    second = kept(store, {**record, "question": "100% of the_dues", "corpus": "Other"})
    store.describe(second, who="Ann", name="Gebühren", notes="see the MEMO")
    store.judge(second, "supported", who="Ann", right=True)

    def found(**named: Any) -> list[str]:
        return [one.id for one in store.listed(CaseFilter(**named)).cases]

    assert found(words="öffnung HAFENS") == [first]
    assert found(words="gebühren memo") == [second]
    assert found(words="100%") == [second]
    # A sign of a pattern is a sign like any other.
    assert found(words="hafen_") == found(words="%hafens%") == []
    assert found(corpus="Other") == found(verdict="supported") == [second]
    assert found(since="2999-01-01") == []
    day = store.summary(first).started[:10]
    assert set(found(since=day, until=day)) == {first, second}
    assert store.listed(CaseFilter(limit=1)).total == 2
    assert len(found(limit=1)) == len(found(limit=1, offset=1)) == 1
    assert store.summary(second).name == "Gebühren"
    assert store.summary(second).verdict_right is True
    assert store.verify(second) == []


def test_of_cases_that_ask_the_same_the_newest_is_found(store: CaseStore, record: dict[str, Any]) -> None:
    earlier = record | {"settings": record["settings"] | {"as_of": "2020-03-01"}}
    other = record | {"question": "Another?"}
    made = [kept(store, one) for one in (record, earlier, record, other, record)]
    assert store.ids(store.matter()) == made
    assert store.newest_ids(store.matter()) == [made[1], made[3], made[4]]
    assert store.newest_ids(store.matter(), "ben") == []


@pytest.mark.parametrize(
    ("change", "told"),
    table(__file__, "test_a_changed_record_is_seen"),
)
def test_a_changed_record_is_seen(
    store: CaseStore, record: dict[str, Any], address: str, change: str, told: str
) -> None:
    case_id = kept(store, record)
    store.describe(case_id, who="Ann", notes="hers")
    store.judge(case_id, "partly", who="Ann")
    assert store.verify(case_id) == []
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("set search_path to redstring_cases"))
        connection.execute(text(change))
    engine.dispose()
    assert any(told in one for one in store.verify(case_id))


def test_damage_of_the_bytes_is_reported(tmp_path: Path, record: dict[str, Any]) -> None:
    path = tmp_path / "cases.sqlite"
    store = CaseStore(f"sqlite:///{path}")
    case_id = kept(store, record)
    with sqlite3.connect(path) as connection:
        connection.execute("update states set record = x'00'")
    connection.close()
    assert store.verify(case_id)[0] == "the record behind event 1 cannot be read"
    with pytest.raises(InputError, match="is damaged"):
        store.record(case_id)
    store.close()


def writing(address: str, record: dict[str, Any], count: int) -> None:
    store = CaseStore(address)
    for number in range(count):
        kept(store, {**record, "question": f"{os.getpid()} {number}"})
    store.close()


def test_two_processes_at_once_lose_nothing(address: str, record: dict[str, Any]) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=writing, args=(address, record, 5)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    store = CaseStore(address)
    listed = store.listed(CaseFilter())
    assert listed.total == len({one.question for one in listed.cases}) == 10
    assert len(store.matters()) == 1
    assert all(store.verify(one.id) == [] for one in listed.cases)
    store.close()


def test_killed_at_any_moment_it_keeps_every_case_whole(tmp_path: Path, record: dict[str, Any]) -> None:
    address = f"sqlite:///{tmp_path / 'cases.sqlite'}"
    store = CaseStore(address)
    context = multiprocessing.get_context("fork")
    for turn in range(6):
        before = store.listed(CaseFilter()).total
        store.close()
        process = context.Process(target=writing, args=(address, record, 1000))
        process.start()
        reader = CaseStore(address)
        until = time.monotonic() + 60
        while reader.listed(CaseFilter()).total <= before:
            assert time.monotonic() < until
        time.sleep(0.013 * turn)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        listed = reader.listed(CaseFilter(limit=10_000))
        assert listed.total == len(listed.cases) > before
        newest = max(listed.cases, key=lambda one: one.changed)
        assert reader.verify(newest.id) == []
        assert reader.record(newest.id)["passages"] == record["passages"]
        store = reader
    store.close()


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_a_matter_needs_a_name(store: CaseStore, name: str) -> None:
    with pytest.raises(InputError, match="needs a name"):
        store.matter(name)


def test_a_matter_is_made_once(store: CaseStore) -> None:
    assert store.matter() == store.matter(f" {GENERAL} ")
    assert store.matter("Ports") != store.matter("Ports", owner="ann")


def test_too_long_is_refused(store: CaseStore, record: dict[str, Any]) -> None:
    case_id = kept(store, record)
    with pytest.raises(InputError, match="a case needs a name of 1 to 200 visible characters"):
        store.describe(case_id, who="Ann", name="x" * 201)
    assert [event.kind for event in store.events(case_id)] == ["opened", "ran"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError, match="cannot store cases there"):
        CaseStore(f"sqlite:///{tmp_path / 'file' / 'cases.sqlite'}")


def test_who_reads_does_not_wait_for_who_writes(tmp_path: Path, record: dict[str, Any]) -> None:
    path = tmp_path / "cases.sqlite"
    store = CaseStore(f"sqlite:///{path}")
    case_id = kept(store, record)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("begin immediate")
    assert store.record(case_id) == record
    assert store.listed(CaseFilter()).total == 1
    writer.execute("rollback")
    writer.close()
    store.close()


def test_no_id_is_taken_for_a_flag() -> None:
    assert not any(new_id().startswith("-") for _ in range(2000))


def test_a_matter_that_is_gone_is_an_error(store: CaseStore, record: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="what it belongs to was deleted"):
        kept(store, record, matter=Matter("nowhere", "", "Gone", "2026-01-01"))
    assert store.listed(CaseFilter()).total == 0


def test_a_case_is_moved_between_matters_of_its_owner(store: CaseStore, record: dict[str, Any]) -> None:
    mine, other = store.matter("Harbour", owner="ann"), store.matter("Taxes", owner="ann")
    case_id = kept(store, record, matter=mine)
    store.move(case_id, other, who="Ann", owner="ann")
    store.move(case_id, other, who="Ann", owner="ann")
    assert store.summary(case_id, "ann").matter == other.id
    moved = store.events(case_id, "ann")[2:]
    assert [(event.kind, event.data["from"], event.data["to"]) for event in moved] == [
        ("moved", "Harbour", "Taxes")
    ]
    assert store.verify(case_id, "ann") == []


def test_no_case_is_moved_to_or_by_another(store: CaseStore, record: dict[str, Any]) -> None:
    mine, bens = store.matter("Harbour", owner="ann"), store.matter("Harbour", owner="ben")
    case_id = kept(store, record, matter=mine)
    gone = Matter("gone", "ann", "Gone", mine.created)
    for matter, owner in ((bens, "ann"), (gone, "ann"), (bens, EVERYBODY)):
        with pytest.raises(InputError, match="there is no matter"):
            store.move(case_id, matter, who="Ann", owner=owner)
    with pytest.raises(InputError, match="no case"):
        store.move(case_id, bens, who="Ben", owner="ben")
    assert store.summary(case_id, "ann").matter == mine.id
    assert len(store.events(case_id, "ann")) == 2


def test_who_moves_a_case_behind_its_events_is_seen(tmp_path: Path, record: dict[str, Any]) -> None:
    file = tmp_path / "cases.sqlite"
    store = CaseStore(f"sqlite:///{file}")
    case_id = kept(store, record)
    store.move(case_id, store.matter("Taxes"), who="Ann")
    with sqlite3.connect(file) as connection:
        connection.execute("update cases set matter = (select id from matters where name = 'General')")
    connection.close()
    assert store.verify(case_id) == ["the table of cases has a different value for 'matter'"]
    store.close()
