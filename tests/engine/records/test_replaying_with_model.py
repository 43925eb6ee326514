"""A case that asked a language model: its replay says that it is not exact, and is, as far as answers were
kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.llm.client import ChatModel, connect
from engine.llm.cost import AnswerCache
from engine.records.comparing import compare, comparison_lines
from engine.records.replaying import replay
from engine.settings import preset
from tests.engine.harbour import QUESTION
from tests.engine.investigation.assistance.script import ALL_ON, RERANKING, keys, sensible
from tests.engine.investigation.story import plain, record_of
from tests.engine.llm.server import Asked, Scripted, ScriptedServer

SETTINGS = preset("balanced").changed(model_tasks=ALL_ON.model_tasks, reranker="llm")


def connected(server: ScriptedServer, folder: Path | None) -> ChatModel:
    cache = None if folder is None else AnswerCache(folder)
    model = connect(f"openai:scripted@{server.url}?context=32768", cache=cache)
    assert model is not None
    return model


def asked_of(corpus: Corpus, model: ChatModel) -> dict[str, Any]:
    case = Case(corpus, QUESTION, SETTINGS, model=model)
    list(case.run())
    return record_of(case)


def again(record: dict[str, Any], corpus: Corpus, model: ChatModel | None) -> dict[str, Any]:
    return plain(replay(record, corpus, model=model))


def test_answers_that_were_kept_give_the_same(harbour: Corpus, tmp_path: Path) -> None:
    with ScriptedServer(sensible) as server:
        record = asked_of(harbour, connected(server, tmp_path))
        asked = len(server.requests)
        assert asked
        found = compare(record, again(record, harbour, connected(server, tmp_path)))
        assert len(server.requests) == asked
    assert found.same
    assert list(comparison_lines(found)) == ["The same to the last digit."]
    (why,) = found.inexact
    assert "a language model was asked" in why


def test_a_model_that_answers_otherwise_is_why(harbour: Corpus) -> None:
    moods = {"step": -1}

    def moody(asked: Asked) -> Scripted:
        if asked.task != RERANKING:
            return sensible(asked)
        return {"order": keys(asked, "passage")[:: moods["step"]]}

    with ScriptedServer(moody) as server:
        record = asked_of(harbour, connected(server, None))
        moods["step"] = 1
        found = compare(record, again(record, harbour, connected(server, None)))
    assert not found.same
    (why,) = found.inexact
    assert f"Not reproducible: {why}" in list(comparison_lines(found))
    assert {cause.kind for cause in found.causes} == {"model"}
