"""Vectors that the page has made: in processes of their own, behind all other work, for real."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from engine.corpus.embedded.publication import WANTED_NAME
from tests.ui.corpus.conftest import BEHIND, VISITOR, Caller, Page, ended, sent
from tests.ui.corpus.embedding import (
    LAWS,
    folder_of,
    in_the_middle,
    is_done,
    law,
    many,
    reading,
    until,
    uploaded,
    whole,
    written,
)
from tests.ui.corpus.toy_model import Toy
from ui.corpus.access import CorpusDesk


@pytest.fixture
def desk(page: Page, made: Path) -> CorpusDesk:
    desk = page()
    shutil.copytree(made, desk.books.place_for("Mine", VISITOR))
    return desk


def test_a_new_corpus_is_asked_at_once_and_by_meaning_in_a_while(
    desk: CorpusDesk, uploads: Path, toy: Toy
) -> None:
    mine = uploaded(desk, uploads, **many())
    told = mine.good("vectors")
    assert told["state"] == "going"
    assert told["act"] == "embed-stop"
    before = desk.books.corpus("New", VISITOR)
    assert before.embedding == "none"
    assert before.search_lexical(["rule 7 of the port"], "en", 5)[0].rows.size
    old = mine.good("shelf")["corpora"][-1]
    until(mine, lambda told: any(one.nice() == BEHIND for one in psutil.Process().children(recursive=True)))
    toy.let()
    told = until(mine, is_done)
    assert told["words"] == "Keyword and semantic search (toy)."
    assert "act" not in told
    assert whole(desk, mine).embedding == toy.spec
    assert before.search_lexical(["rule 7 of the port"], "en", 5)[0].rows.size, "what was open stays open"
    new = mine.good("shelf")["corpora"][-1]
    assert new["state"] != old["state"]
    assert new["text"] == old["text"]
    assert mine.good("documents", state=old["state"])["total"] == LAWS, "whoever reads reads on"
    assert not (folder_of(mine) / WANTED_NAME).exists()
    assert not list((folder_of(mine) / "cache" / "vectors").glob("*"))


def test_stopped_it_rests_with_what_is_made_and_goes_on_when_somebody_says_so(
    desk: CorpusDesk, tmp_path: Path, uploads: Path, toy: Toy
) -> None:
    mine = in_the_middle(desk, tmp_path, toy)
    told = mine.good("embed-stop")
    assert told["state"] == "resting"
    assert "was stopped at" in told["words"]
    assert "what was made is kept" in told["words"]
    assert told["label"] == "Go on"
    assert list((folder_of(mine) / "cache" / "vectors").iterdir())
    job = mine.good("add", files=sent(uploads, more=law(77)))["job"]
    assert ended(mine, job)["state"] == "done"
    assert mine.good("vectors")["state"] == "resting", "it was told to rest"
    toy.let()
    assert mine.good("embed")["state"] == "going"
    until(mine, is_done)
    assert "law-77" in {document.id for document in whole(desk, mine).documents()}
    asked = Counter(str(request["input"]) for request in toy.server.requests)
    again = [texts for texts, times in asked.items() if times > 1 and texts != "['dimensions']"]
    assert len(again) <= 1, "but for what was being read when it was stopped nothing is read twice"


def test_a_corpus_that_is_deleted_is_worked_on_no_more(desk: CorpusDesk, tmp_path: Path, toy: Toy) -> None:
    mine = in_the_middle(desk, tmp_path, toy)
    folder = folder_of(mine)
    mine.good("delete")
    assert desk.vectors.job(folder) is None
    toy.let()
    time.sleep(0.3)
    assert list(folder.parent.glob("new-*")) == []
    mine = written(desk, tmp_path, "Another")
    mine.good("forget-me")
    assert not folder.parent.exists()


def test_a_server_that_comes_goes_on_where_the_one_before_it_was(
    page: Page, desk: CorpusDesk, tmp_path: Path, toy: Toy
) -> None:
    mine = in_the_middle(desk, tmp_path, toy)
    folder, home = folder_of(mine), desk.books.home
    desk.vectors.jobs.end_all()
    kept = {path: path.stat().st_mtime_ns for path in (folder / "cache" / "vectors").iterdir()}
    assert kept
    later = page()
    same = Caller(later, VISITOR, "New")
    assert "goes on in a moment" in same.good("vectors")["words"]
    assert home is not None
    later.vectors.go_on(home, 0.0)
    until(same, reading)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    toy.let()
    until(same, is_done)
    whole(later, same)


def test_a_killed_process_is_reported_in_a_sentence_and_nothing_is_lost(
    desk: CorpusDesk, tmp_path: Path, toy: Toy
) -> None:
    mine = in_the_middle(desk, tmp_path, toy)
    for process in psutil.Process().children(recursive=True):
        if process.nice() == BEHIND:
            process.kill()
    toy.let()
    told = until(mine, lambda found: found["state"] == "resting")
    assert "came to a halt at" in told["words"]
    assert "ended without a word" in told["words"]
    assert mine.good("embed")["state"] == "going"


def test_a_model_of_the_operators_is_asked_by_the_server_alone(
    desk: CorpusDesk, tmp_path: Path, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator-0123456789")
    monkeypatch.setenv("REDSTRING_EMBEDDING_KEY", "sk-of-the-endpoint-0123456789")
    toy.let()
    mine = written(desk, tmp_path)
    told = until(mine, is_done)
    assert {request["key"] for request in toy.server.requests} == {"Bearer sk-of-the-endpoint-0123456789"}
    assert told["words"] == "Keyword and semantic search (toy)."
    assert toy.server.url not in str(told)
