"""The command ``model`` and the flags that name a language model."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from engine.cli.main import LocalCaller
from engine.errors import SettingsError
from engine.llm.client import ChatModel
from engine.verbs.verb import ModelOptions
from tests.engine.command_line import CommandLine
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer

KEY = "sk-command-line-0123"


def words(asked: Asked) -> dict[str, str]:
    return {"first_word": asked.data["first"], "last_word": asked.data["last"]}


def test_a_model_that_does_what_its_spec_says(run: CommandLine) -> None:
    with ScriptedServer(words) as server:
        done = run("model", "--llm", server.spec, "--llm-key", KEY)
        assert (done.code, done.err) == (0, "")
        assert "schemas are kept (json_schema)" in done.out
        assert "Prices: known" in done.out
        assert KEY not in done.out
        assert {asked.authorization for asked in server.requests} == {f"Bearer {KEY}"}
        long = server.requests[-1]
        assert server.counted.prompt_tokens > 0.6 * 32768
        assert long.user.index("lantern") < 200, "the word stands at the beginning"


def test_it_can_be_read_by_a_program(run: CommandLine) -> None:
    with ScriptedServer(words, rejects=frozenset({"json_schema"})) as server:
        found = run("model", "--llm", server.spec, "--json").json
    assert (found["fine"], found["format"], found["problem"]) == (True, "object", None)
    assert found["usage"]["prompt_tokens"] == server.counted.prompt_tokens
    assert found["context_tokens"] > 0.6 * 32768


def test_a_server_that_cuts_its_prompts(run: CommandLine) -> None:
    with ScriptedServer(lambda asked: Fault(answer=words(asked), reads=4096)) as server:
        done = run("model", "--llm", server.spec)
    assert done.code == 1
    assert "cut the prompt: it read 4,096 of about" in done.err
    assert "num_ctx" in done.err
    assert "schemas are kept" in done.out, "what was found before is told"


def test_a_server_that_hides_its_cut(run: CommandLine) -> None:
    """It counts all of the prompt and has not read its beginning."""

    def forgetful(asked: Asked) -> Scripted:
        long = len(asked.data["filling"]) > 10_000
        return words(asked) | ({"first_word": "vessels"} if long else {})

    with ScriptedServer(forgetful) as server:
        done = run("model", "--llm", server.spec)
    assert done.code == 1
    assert "missed the word at the beginning" in done.err


def test_a_server_that_ignores_schemas(run: CommandLine) -> None:
    with ScriptedServer(lambda asked: f"Here: {words(asked)}".replace("'", '"')) as server:
        done = run("model", "--llm", server.spec)
    assert done.code == 0
    assert "no format is kept" in done.out
    assert "Note: scripted at" in done.out


def test_a_server_that_is_not_there(run: CommandLine) -> None:
    done = run("model", "--llm", "openai:m@http://127.0.0.1:9/v1?timeout=2")
    assert done.code == 1
    assert "cannot be reached" in done.err
    assert "Prices: not known" in done.out


@pytest.mark.parametrize("spec", ["gpt", "openai:m", "none", "openai:m@http://h/v1?key=sk-secret-0123"])
def test_a_spec_that_names_no_model(run: CommandLine, spec: str) -> None:
    done = run("model", "--llm", spec)
    assert done.code == 2
    assert "sk-secret" not in done.err
    assert done.err.count("\n") == 1


class TestFlags:
    def model(self, spec: str) -> ChatModel | None:
        return LocalCaller(reads_json=False).model(ModelOptions(llm=spec, llm_key="-"), cached=False)

    def test_a_key_from_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(KEY + "\n"))
        with ScriptedServer(words) as server:
            named = self.model(server.spec)
            assert named is not None
            from engine.llm.client import probe

            assert probe(named).fine
            assert server.requests[0].authorization == f"Bearer {KEY}"

    def test_an_empty_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        with pytest.raises(SettingsError, match="standard input"):
            self.model("openai:m@http://127.0.0.1:9/v1")


def test_trying_a_model_keeps_nothing(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REDSTRING_LLM_CACHE", str(tmp_path))
    with ScriptedServer(words) as server:
        assert run("model", "--llm", server.spec).code == run("model", "--llm", server.spec).code == 0
        assert server.counted.requests == 4
    assert not list(tmp_path.iterdir())
