"""Answers on disk: found again, never in the way, and never telling a key."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel

from engine.errors import BudgetError, CancelledError
from engine.llm import Budget, Data, Meter, Prompt
from engine.llm.client import connect
from engine.llm.cost import AnswerCache, answer_key, default_cache
from tests.engine.forked import FORK
from tests.engine.llm.server import Parts, ScriptedServer

KEY = "sk-cached-0123456789"
PROMPT = Prompt("decompose", "Split.", (Data("question", "Who pays?"),))


class Others(BaseModel):
    queries: list[str]
    more: int = 0


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers")


@pytest.mark.parametrize(
    "prompt",
    [
        Prompt("rerank", "Split.", PROMPT.data),
        Prompt("decompose", "Split!", PROMPT.data),
        Prompt("decompose", "Split.", (Data("question", "Who pays!"),)),
        Prompt("decompose", "Split.", (Data("note", "Who pays?"),)),
        Prompt("decompose", "Split.", PROMPT.data, longest=7),
    ],
)
def test_whatever_an_answer_depends_on(cache: AnswerCache, prompt: Prompt) -> None:
    with ScriptedServer(lambda asked: {"queries": []}) as server:
        model = server.connect(cache=cache)
        model.ask(PROMPT, Parts, Meter())
        assert not model.ask(prompt, Parts, Meter()).reused
        assert not model.ask(PROMPT, Others, Meter()).reused
        other = connect(server.spec.replace("scripted", "other"), cache=cache)
        assert other is not None
        assert not other.ask(PROMPT, Parts, Meter()).reused
        dearer = connect(server.spec.replace("input=1", "input=9"), cache=cache)
        assert dearer is not None
        assert dearer.ask(PROMPT, Parts, Meter()).reused, "a price changes no answer"


def test_a_budget_and_a_stop_hold_for_kept_answers_too(cache: AnswerCache) -> None:
    with ScriptedServer(lambda asked: {"queries": []}) as server:
        model, meter = server.connect(cache=cache), Meter(Budget(calls=1))
        model.ask(PROMPT, Parts, meter)
        assert model.ask(PROMPT, Parts, meter).reused, "it needs no call"
        with pytest.raises(BudgetError):
            model.ask(Prompt("other", "Split.", ()), Parts, meter)
        with pytest.raises(BudgetError):
            model.ask(PROMPT, Parts, meter)
        with pytest.raises(CancelledError):
            model.ask(PROMPT, Parts, Meter(cancelled=lambda: True))


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with ScriptedServer(lambda asked: {"queries": ["dues"]}) as server:
        model = server.connect(cache=AnswerCache(tmp_path / "file" / "answers"))
        reply = model.ask(PROMPT, Parts, Meter())
        assert reply.value.queries == ["dues"]
        assert any("answers are not kept in" in warning for warning in reply.warnings)


def test_only_the_owner_can_read_it(cache: AnswerCache) -> None:
    cache.put("ab12", Parts(queries=[]))
    (kept,) = cache.folder.rglob("*.json")
    assert kept.stat().st_mode & 0o077 == 0
    assert kept.parent.stat().st_mode & 0o077 == 0


def test_the_longest_unused_are_removed(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, most_bytes=20_000)
    keys = [answer_key({"number": number}) for number in range(130)]
    for number, key in enumerate(keys):
        cache.put(key, Parts(queries=["x" * 300]))
        path = next(tmp_path.glob(f"{key[:2]}/{key[2:]}.json"))
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    held = sum(path.stat().st_size for path in tmp_path.rglob("*.json"))
    assert held < 40_000
    assert cache.get(keys[-1], Parts) is not None
    assert cache.get(keys[0], Parts) is None
    assert cache.clear() > 0
    assert cache.get(keys[-1], Parts) is None


def test_threads_and_processes_share_a_folder(cache: AnswerCache) -> None:
    def work() -> None:
        for turn in range(60):
            key = f"{turn % 5:02x}abcdef"
            cache.put(key, Parts(queries=["x" * 4000]))
            assert cache.get(key, Parts) is not None
        assert cache.trouble == ""

    others = [FORK.Process(target=work) for _ in range(2)]
    for other in others:
        other.start()
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work) for _ in range(4)]:
            done.result()
    for other in others:
        other.join(60)
    assert [other.exitcode for other in others] == [0, 0]
    assert len(list(cache.folder.rglob("*.*"))) == 5, "no temporary file is left"


def test_no_key_is_kept(cache: AnswerCache) -> None:
    with ScriptedServer(lambda asked: {"queries": [asked.authorization]}) as server:
        server.connect(KEY, cache=cache).ask(PROMPT, Parts, Meter())
    for path in cache.folder.rglob("*"):
        assert KEY not in str(path)
        assert path.is_dir() or KEY not in path.read_text()


class TestPlaces:
    def test_a_folder_that_is_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("REDSTRING_LLM_CACHE", str(tmp_path))
        monkeypatch.setenv("REDSTRING_HOME", "/elsewhere")
        cache = default_cache()
        assert cache is not None
        assert cache.folder == tmp_path
