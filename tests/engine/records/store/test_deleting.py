"""What is deleted is gone: from the tables, from the bytes of the file, and nothing else."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine, func, select, text

from engine.errors import InputError
from engine.records.store import EVERYBODY
from engine.records.store.chain import in_utc
from engine.records.store.opening import ASSESSMENTS, LEASES, QUEUE_ITEMS, SCHEMA
from engine.records.store.store import CaseStore
from engine.records.store.tables import EVENTS, OF_A_CASE, STATES
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from tests.engine.review.queued import YES, items_of

SECRET = "Did Miss Quillfeather of Zanzibar bribe the harbour master?"


def kept(
    store: CaseStore, record: dict[str, Any], matter: str = "Harbour", owner: str = "", **new: Any
) -> str:
    return store.keep({**record, **new}, store.matter(matter, owner), application="page", who="Ann")


def run(address: str, change: str, **values: object) -> None:
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        is_server = engine.dialect.name == "postgresql"
        connection.execute(text(f"set search_path to {SCHEMA}" if is_server else "pragma foreign_keys=on"))
        connection.execute(text(change), values)
    engine.dispose()


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_no_byte_of_it_is_left_in_the_file(tmp_path: Path, small: dict[str, Any]) -> None:
    store = CaseStore(f"sqlite:///{tmp_path / 'cases.sqlite'}")
    others = [kept(store, small) for _ in range(3)]
    gone = kept(store, small, question=SECRET)
    store.describe(gone, who="Ann", name="Quillfeather", notes="the case of Zanzibar")
    store.step(gone, "pin", who="Ann", data={"passage": "zanzibar/1"}, record={**small, "question": SECRET})
    assert b"Quillfeather" in bytes_of(tmp_path)
    assert store.delete([gone]) == 1
    # The program runs on; nothing has to be closed for it.
    for word in (b"Quillfeather", b"Zanzibar", b"zanzibar", gone.encode()):
        assert word not in bytes_of(tmp_path)
    assert all(store.verify(one) == [] for one in others)
    store.close()
    assert b"uillfeather" not in bytes_of(tmp_path)


def counted(address: str) -> dict[str, int]:
    """How many rows each table of what belongs to cases has."""
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    schema = "main" if engine.dialect.name == "sqlite" else SCHEMA
    with engine.connect() as connection:
        found = {
            table.name: connection.execute(
                select(func.count()).select_from(table.to_metadata(MetaData(), schema=schema))
            ).scalar_one()
            for table in (*OF_A_CASE, EVENTS, STATES, QUEUE_ITEMS, LEASES, ASSESSMENTS)
        }
    engine.dispose()
    return found


def reviewed(address: str, store: CaseStore, case_id: str) -> None:
    """Have a passage of a case judged and another handed out."""
    items = items_of(case_id, 2)
    with closing(ReviewStore(address)) as reviews:
        queue = reviews.make_queue(store.matter("Harbour"), "", [*map(QueuedItem, items)], who="Ann")
        reviews.judge(items[0], YES, reviewer="Ann", queue=queue.id)
        reviews.turn(queue.id, "Ann")


def test_all_rows_go_with_their_case_whoever_deletes_it(address: str, record: dict[str, Any]) -> None:
    store = CaseStore(address)
    one, other = kept(store, record), kept(store, record)
    reviewed(address, store, one)
    reviewed(address, store, other)
    before = counted(address)
    assert all(count and count % 2 == 0 for name, count in before.items() if name != "costs")
    store.delete([one])
    assert counted(address) == {name: count // 2 for name, count in before.items()}
    assert store.verify(other) == []
    store.close()
    # By another program.
    run(address, "delete from cases")
    assert not any(counted(address).values())


def test_a_matter_goes_with_its_cases_and_no_other(store: CaseStore, small: dict[str, Any]) -> None:
    mine = [kept(store, small, "Harbour", "ann") for _ in range(2)]
    other, bens = kept(store, small, "Taxes", "ann"), kept(store, small, "Harbour", "ben")
    counted = {(one.owner, one.name): count for one, count in store.counted(EVERYBODY)}
    assert counted == {("ann", "Harbour"): 2, ("ann", "Taxes"): 1, ("ben", "Harbour"): 1}
    assert sorted(store.delete_matter(store.matter("Harbour", "ann"))) == sorted(mine)
    assert [one.name for one in store.matters("ann")] == ["Taxes"]
    assert store.ids(None, "ann") == [other]
    assert store.verify(bens, "ben") == []
    assert store.delete_owner("ann") == [other]
    assert store.matters("ann") == []
    assert store.ids(None, EVERYBODY) == [bens]


def aged(address: str, case_id: str, days: float, column: str = "changed") -> None:
    then = in_utc(datetime.now(UTC) - timedelta(days=days))
    run(address, f"update cases set {column} = :then where id = :id", then=then, id=case_id)


def test_what_nobody_looked_at_for_long_goes(store: CaseStore, small: dict[str, Any], address: str) -> None:
    old, seen, new = (kept(store, small, owner="ann") for _ in range(3))
    own = kept(store, small)
    for one in (old, seen, own):
        aged(address, one, 40)
    store.looked_at(seen, "ann")
    store.looked_at(old, "ben")
    assert [one["id"] for one in store.idle(30)] == [old]
    assert store.idle(50) == []
    assert store.delete_idle(30) == [old]
    assert sorted(store.ids(None, EVERYBODY)) == sorted([seen, new, own])
    aged(address, seen, 35, "opened")
    assert store.delete_idle(30) == [seen]
    assert store.delete_idle(30, of_machine=True) == [own]
    assert store.ids(None, EVERYBODY) == [new]


def test_old_matters_of_visitors_go_when_they_are_empty(
    store: CaseStore, small: dict[str, Any], address: str
) -> None:
    case_id = kept(store, small, "Harbour", "ann")
    store.matter("New", "ann")
    store.matter("Own")
    then = in_utc(datetime.now(UTC) - timedelta(days=40))
    run(address, "update matters set created = :then where name <> 'New'", then=then)
    assert store.delete_idle(30) == []
    assert len(store.matters(EVERYBODY)) == 3
    aged(address, case_id, 40)
    store.delete_idle(30)
    assert {one.name for one in store.matters(EVERYBODY)} == {"New", "Own"}


def test_shown_to_whoever_has_the_id_to_be_read(store: CaseStore, small: dict[str, Any]) -> None:
    case_id = kept(store, small, owner="ann")
    with pytest.raises(InputError, match="there is no case"):
        store.shared(case_id)
    with pytest.raises(InputError, match="there is no case"):
        store.share(case_id, who="Ben", owner="ben")
    for _ in range(2):
        store.share(case_id, who="Ann", owner="ann")
    shown = store.shared(case_id)
    assert (shown.summary.id, shown.record) == (case_id, store.record(case_id, "ann"))
    with pytest.raises(InputError, match="there is no case"):
        store.record(case_id, "ben")
    store.share(case_id, who="Ann", owner="ann", shared=False)
    with pytest.raises(InputError) as told:
        store.shared(case_id)
    assert str(told.value) == f"there is no case '{case_id}'"
    kinds = [event.kind for event in store.events(case_id, "ann")]
    assert kinds == ["opened", "ran", "shared", "shared"]
    assert store.verify(case_id, "ann") == []
