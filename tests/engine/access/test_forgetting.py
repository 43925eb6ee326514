from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import orjson
import pytest

from engine.access import audit_log
from engine.access.audit_log import corpora_of_user, find_corpora, list_corpora, older_than, remove_reviewer
from engine.access.users import visitors_folder
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.journal import append_line, complete_lines
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from engine.records.retention import sweep, sweep_periodically

ANNA, BORIS = "anna" * 8, "boris" * 8
DAY = 86_400


def of(home: Path, key: str) -> Path:
    folder = visitors_folder(home, key)
    assert folder is not None
    return folder


def aged(folder: Path, days: float) -> None:
    then = time.time() - days * DAY
    for path in (*folder.iterdir(), folder):
        os.utime(path, (then, then))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "act.md").write_text("# Act\n\n#### Article 1\n\nA manager may.\n", encoding="utf-8")
    build_corpus([folder / "act.md"], folder / "built", name="The Act", embedding="none")
    return folder / "built"


@pytest.fixture
def home(tmp_path: Path, corpus: Path) -> Path:
    home = tmp_path / "home"
    for owner, name, days in ((ANNA, "old", 40), (ANNA, "new", 0), (BORIS, "his", 10), ("", "all", 400)):
        folder = (of(home, owner) if owner else home / "corpora") / name
        shutil.copytree(corpus, folder)
        (folder.parent / f"{name}.report.json").write_bytes(b"{}")
        aged(folder, days)
    return home


def names(home: Path) -> set[str]:
    return {path.name for path in home.rglob("*") if path.is_dir() or ".report." in path.name}


def test_a_person_is_forgotten_and_nobody_else(home: Path) -> None:
    found = corpora_of_user(home, of(home, ANNA))
    assert [one.folder.name for one in found] == ["new", "old"]
    audit_log.delete(found)
    assert not of(home, ANNA).exists()
    assert {"his", "his.report.json", "all"} <= names(home)
    audit_log.delete(found)
    assert corpora_of_user(home, of(home, ANNA)) == []


def test_what_is_old_and_of_a_visitor_is_found(home: Path) -> None:
    def old(days: float) -> list[str]:
        return [one.folder.name for one in older_than(home, days)]

    assert old(50) == []
    assert old(39.9) == ["old"]
    assert sorted(old(5)) == ["his", "old"]
    verdicts = of(home, ANNA) / "old" / VALIDATIONS_NAME
    append_line(verdicts, b"{}")
    aged(verdicts.parent, 40)
    append_line(verdicts, b"{}")
    assert old(39.9) == [], "a verdict is a change"


def test_a_corpus_by_its_folder_or_its_name(home: Path) -> None:
    assert [one.folder.name for one in find_corpora(home, "his")] == ["his"]
    assert len(find_corpora(home, "The Act")) == 4
    for nothing in ("nothing", "", "..", "../corpora/all", "*"):
        with pytest.raises(InputError, match="there is no corpus"):
            find_corpora(home, nothing)


def test_a_link_is_never_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"")
    (of(home, BORIS) / "link").symlink_to(outside)
    (home / "visitors" / ("f" * 32)).symlink_to(outside)
    audit_log.delete(list_corpora(home))
    assert (outside / "precious").exists()


def test_what_was_half_deleted_is_deleted_next_time(home: Path) -> None:
    folder = of(home, BORIS) / "his"
    folder.rename(folder.with_name(".his-deleted"))
    audit_log.delete(older_than(home, 5))
    assert not of(home, BORIS).exists()


def test_a_name_is_taken_off_verdicts_while_others_are_added(tmp_path: Path) -> None:
    path = tmp_path / VALIDATIONS_NAME
    line = b'{"note":"by \\"reviewer\\":\\"anna\\"","reviewer":"%s","when":"now"}'
    for name in (b"anna", b"boris", b"annabel", b"anna"):
        append_line(path, line % name)
    assert remove_reviewer(tmp_path, "anna", dry_run=True) == 2
    before = complete_lines(path)

    def more() -> None:
        for _ in range(50):
            append_line(path, line % b"carl")

    adding = threading.Thread(target=more)
    adding.start()
    assert remove_reviewer(tmp_path, "anna") == 2
    adding.join()
    after = complete_lines(path)
    # The words that she noted go with her name; those of others stay, also where they name her.
    assert [orjson.loads(one) for one in after[:4]] == [
        orjson.loads(one) | ({"note": "", "reviewer": ""} if orjson.loads(one)["reviewer"] == "anna" else {})
        for one in before
    ]
    assert list(map(len, after[:4])) == list(map(len, before))
    assert len(after) == 54
    assert remove_reviewer(tmp_path, "anna") == 0
    assert remove_reviewer(tmp_path / "nothing", "anna") == 0


def test_the_server_deletes_what_is_too_old(home: Path) -> None:
    assert sweep(OperatorSettings(home=home, retention_days=30)) == 1
    assert "old" not in names(home)
    with sweep_periodically(OperatorSettings(home=home, retention_days=0)):
        assert not any(thread.name == "retention" for thread in threading.enumerate())
    with sweep_periodically(OperatorSettings(home=home, retention_days=5), seconds=0.01):
        until = time.monotonic() + 30
        while of(home, BORIS).exists() and time.monotonic() < until:
            time.sleep(0.01)
    assert not of(home, BORIS).exists()
    assert {"new", "all"} <= names(home)
