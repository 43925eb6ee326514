"""The contract of language models, held to the client: plain, cached, with a server that ignores schemas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.llm.client import ChatModel
from engine.llm.contract import LanguageModelContract
from engine.llm.cost import AnswerCache
from tests.engine.llm.server import Asked, ScriptedServer


def echo(asked: Asked) -> dict[str, str]:
    return {"word": asked.data["word"]}


class TestClient(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[ChatModel]:
        with ScriptedServer(echo) as server:
            yield server.connect("sk-contract-0123456789")


class TestCached(LanguageModelContract):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Iterator[ChatModel]:
        with ScriptedServer(echo) as server:
            yield server.connect(cache=AnswerCache(tmp_path))


class TestServerThatKeepsToNothing(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[ChatModel]:
        with ScriptedServer(
            lambda asked: f"Sure! Here it is:\n```json\n{echo(asked)}\n```".replace("'", '"')
        ) as server:
            yield server.connect()
