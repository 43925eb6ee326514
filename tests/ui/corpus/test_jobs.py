"""Ingestions as the page runs them: in a process of their own, for real."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.operator_settings import OperatorSettings
from tests.ui.corpus.conftest import ACT, REGULATION, STRANGER, VISITOR, Caller, ended, sent
from tests.ui.corpus.toy_model import LONGEST
from ui.corpus.access import CorpusDesk
from ui.shelf import open_library


def test_a_corpus_is_made_of_what_was_sent(desk: CorpusDesk, uploads: Path) -> None:
    new = Caller(desk, VISITOR, "")
    files = sent(uploads, act=ACT, numpy="raise SystemExit('not a module')", empty="")
    job = new.good("create", name="New one", files=files)["job"]
    found = ended(new, job)
    assert found["state"] == "done", found["message"]
    assert any("act.md" in line for line in found["lines"])
    mine = Caller(desk, VISITOR, "New one")
    assert mine.good("documents")["total"] >= 1
    folder = desk.books.find("New one", VISITOR).folder
    made = [folder, *folder.rglob("*")]
    assert [path.name for path in made if path.stat().st_mode & 0o077] == []
    report = mine.good("report")["html"]
    assert "empty.md" in report
    assert "not read" in report
    assert str(desk.books.home) not in report
    assert not list(uploads.glob("*/*")), "what was sent does not stay"
    stranger = Caller(desk, STRANGER, "")
    assert "not known" in stranger("poll", job=job)["error"]
    assert "not known" in stranger("cancel", job=job)["error"]


def test_nothing_usable_is_a_clear_line_and_leaves_nothing(desk: CorpusDesk, uploads: Path) -> None:
    new = Caller(desk, VISITOR, "")
    found = ended(new, new.good("create", name="Empty", files=sent(uploads, a=b"\x00\x01"))["job"])
    assert found["state"] == "failed"
    assert "nothing usable" in found["message"]
    assert [item["name"] for item in new.good("shelf")["corpora"]] == ["Small", "Mine"]


def test_wrong_orders_are_refused_before_anything_moves(desk: CorpusDesk, uploads: Path) -> None:
    new = Caller(desk, VISITOR, "")
    files = sent(uploads, act=ACT)
    assert "already a corpus" in new("create", name="Mine", files=files)["error"]
    assert "needs a name" in new("create", name=" ", files=files)["error"]
    assert "cannot be changed" in Caller(desk, VISITOR, "Small")("add", files=files)["error"]
    assert "unknown corpus" in Caller(desk, STRANGER, "Mine")("delete")["error"]
    assert len(list(uploads.iterdir())) == 1


def test_a_corpus_can_be_deleted_by_its_owner(mine: Caller) -> None:
    mine.good("delete")
    assert "unknown corpus" in mine("documents")["error"]


def many(uploads: Path, count: int = 150) -> list[dict[str, str]]:
    texts = {
        f"act{number}": ACT.replace("id: act", f"id: act-{number}").replace("Agency", f"Agency {number}") * 3
        for number in range(count)
    }
    return sent(uploads, **texts)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def workspaces(desk: CorpusDesk) -> list[Path]:
    assert desk.books.home is not None
    return list((desk.books.home / "work").glob("*/job-*"))


def test_one_runs_others_wait_and_a_cancelled_one_leaves_nothing(
    tmp_path: Path, corpus_folder: Path, uploads: Path
) -> None:
    settings = OperatorSettings(jobs=1, waiting=2, embeddings=("none",))
    desk = CorpusDesk(open_library([corpus_folder], tmp_path / "home", settings))
    others = children()
    visitor, stranger = Caller(desk, VISITOR, ""), Caller(desk, STRANGER, "")
    first = visitor.good("create", name="Slow", files=many(uploads))["job"]
    second = stranger.good("create", name="Slow", files=sent(uploads, act=ACT))["job"]
    assert "another ingestion of yours" in visitor("create", name="X", files=sent(uploads, act=ACT))["error"]
    assert stranger.good("poll", job=second)["state"] == "waiting"
    assert stranger.good("poll", job=second)["before"] == 1
    until(lambda: bool(visitor.good("poll", job=first)["step"]))
    running = children() - others
    assert running
    visitor.good("cancel", job=first)
    assert "as it was" in ended(visitor, first)["message"]
    assert ended(stranger, second)["state"] == "done"
    until(lambda: not any(process.is_running() for process in running))
    assert workspaces(desk) == []
    assert [item["name"] for item in visitor.good("shelf")["corpora"]] == ["Small"]
    assert not any((tmp_path / "home" / "visitors").glob("*/slow-*/.lock")) or desk.books.names(STRANGER)


def test_the_deadline_ends_an_ingestion_with_all_its_children(
    tmp_path: Path, corpus_folder: Path, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = CorpusDesk(open_library([corpus_folder], tmp_path / "home"))
    others = children()
    monkeypatch.setattr(desk.jobs, "rules", replace(desk.jobs.rules, seconds=0.6))
    visitor = Caller(desk, VISITOR, "")
    found = ended(visitor, visitor.good("create", name="Slow", files=many(uploads))["job"])
    assert found["state"] == "failed"
    assert "it took longer than" in found["message"]
    assert workspaces(desk) == []
    until(lambda: children() <= others)


def test_two_kinds_of_work_do_not_change_a_corpus_at_once(mine: Caller, uploads: Path) -> None:
    desk = mine.desk
    shelved = desk.books.find("Mine", VISITOR)
    with desk.changing.taken(shelved.folder.absolute(), "Mine"):
        more: dict[str, dict[str, Any]] = {
            "add": {"files": sent(uploads, act=ACT)},
            "remove": {},
            "delete": {},
        }
        for do, given in more.items():
            assert "is being changed" in mine(do, **given)["error"]
    assert workspaces(desk) == []
    mine.good("delete")


def test_a_password_is_nowhere_to_be_seen(
    desk: CorpusDesk, uploads: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = Caller(desk, VISITOR, "")
    files = sent(uploads, act=ACT, regulation=REGULATION)
    job = new.good("create", name="Locked", files=files, passwords="open-sesame")["job"]
    found = ended(new, job)
    assert found["state"] == "done"
    assert "sesame" not in str(found)
    assert "sesame" not in repr(desk.jobs.get(job, VISITOR))
    folder = desk.books.find("Locked", VISITOR).folder
    kept = [path for path in folder.parent.rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]
    assert kept == []
    printed = capfd.readouterr()
    assert "sesame" not in printed.out + printed.err
