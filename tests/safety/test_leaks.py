"""The key is nowhere but in the header of a request: not in errors, logs, records, settings or files."""

from __future__ import annotations

import base64
import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from engine.cli.main import main
from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.investigation import Case
from engine.llm import Data, Meter, Prompt
from engine.llm.client import connect
from engine.llm.connection import Patience
from engine.llm.cost import AnswerCache
from engine.records.export import investigation_to_json
from engine.records.restoring import save
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer
from tests.safety.attacking import ASSISTED, KEY, QUESTIONS, obeying, settings


class Word(BaseModel):
    """One word."""

    word: str


PROMPT = Prompt("word", "Give a word.", (Data("question", "Which?"),))
SHORT_PATIENCE = Patience(retries=1, first=0.001, longest=0.002)


def escapes(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


# What a server may do with the key that it was sent.
ECHOES: dict[str, Callable[[str], Scripted]] = {
    "bad key": lambda key: Fault(
        status=401, text=json.dumps({"error": {"message": f"Incorrect API key provided: {key}."}})
    ),
    "shortened": lambda key: Fault(
        status=401, text=json.dumps({"error": {"message": f"Bad key {key[:14]}...{key[-14:]}"}})
    ),
    "escaped": lambda key: Fault(status=400, text=f'{{"error": {{"message": "{escapes(key)}"}}}}'),
    "plain text": lambda key: Fault(status=403, text=f"<html>forbidden for Bearer {key}</html>"),
    "redirect": lambda key: Fault(status=302, headers={"Location": f"http://127.0.0.1:9/?k={key}"}, text=key),
    "no completion": lambda key: Fault(text=f'{{"said": "{key}"}}'),
    "refusal": lambda key: Fault(refusal=f"I refuse, {key}"),
    "unfit": lambda key: f"not json {key}",
    "field": lambda key: {"word": f"the key is {key}"},
    "field escaped": lambda key: f'{{"word": "{escapes(key)}"}}',
    "key of a field": lambda key: {key: "x"},
    "cut": lambda key: Fault(answer={"word": key}, finish="length"),
    "late": lambda key: Fault(status=503, text=key, headers={"Retry-After": key}),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_a_server_that_says_the_key_is_not_repeated(
    echo: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)

    def answer(asked: Asked) -> Scripted:
        return ECHOES[echo](asked.authorization.removeprefix("Bearer "))

    said = ""
    with ScriptedServer(answer) as server:
        model = server.connect(KEY, patience=SHORT_PATIENCE, cache=AnswerCache(tmp_path))
        try:
            reply = model.ask(PROMPT, Word, Meter())
            said = repr(reply)
        except RedstringError as error:
            said = "".join(traceback.format_exception(error))
        assert {asked.authorization for asked in server.requests} == {f"Bearer {KEY}"}
    assert_no_key(said)
    assert_no_key(caplog.text)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert_no_key(path.read_text(encoding="utf-8"))


def assert_no_key(text: str) -> None:
    """Neither the key, nor so much of either end that it could be used, nor in another spelling."""
    assert KEY not in text
    assert KEY[:13] not in text
    assert KEY[-13:] not in text
    assert escapes(KEY) not in text
    assert base64.b64encode(KEY.encode()).decode() not in text


def test_a_model_does_not_show_its_key_and_is_not_stored() -> None:
    model = connect("openai:any@http://127.0.0.1:9/v1", KEY)
    assert model is not None
    assert_no_key(repr(model))
    assert_no_key(str(vars(model)))
    assert_no_key(model.spec)
    with pytest.raises(TypeError):
        pickle.dumps(model)
    assert_no_key(repr(copy.copy(model)))


@pytest.mark.parametrize(
    "spec",
    [
        f"openai:any@http://{KEY}@127.0.0.1:9/v1",
        f"openai:any@http://user:{KEY}@127.0.0.1:9/v1",
        f"openai:any@http://127.0.0.1:9/v1?key={KEY}",
        f"openai:any@http://127.0.0.1:9/v1?{KEY}=1",
        f"openai:any@http://127.0.0.1:9/v1#{KEY}",
        f"openai:any@http://127.0.0.1:9/v1?context={KEY}",
        KEY,
        f"{KEY}:any",
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_not_repeated(
    spec: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["model", "--llm", spec]) == 2
    told = capsys.readouterr()
    assert_no_key(told.out + told.err)


def test_the_record_of_a_case_holds_no_key(poisoned: Corpus, tmp_path: Path) -> None:
    with obeying() as (_, model, _):
        case = Case(poisoned, QUESTIONS["en"], settings(**ASSISTED), model=model)
        assert list(case.run())
    save(case.investigation(), tmp_path / "case.json")
    assert_no_key((tmp_path / "case.json").read_text(encoding="utf-8"))
    assert_no_key(json.dumps(investigation_to_json(case.investigation()), default=str))
    assert_no_key(case.settings.model_dump_json())
    assert_no_key(repr(vars(case)))


def test_the_command_line_says_nothing_of_the_key(
    poisoned: Corpus,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("REDSTRING_LLM_CACHE", str(tmp_path / "answers"))
    monkeypatch.setenv("REDSTRING_LLM_KEY", KEY)
    with ScriptedServer(lambda asked: Fault(status=401, text=f"bad key {asked.authorization}")) as server:
        at = ["--corpus", str(poisoned.folder), "--llm", server.spec]
        assert (
            main(["investigate", QUESTIONS["en"], "--preset", "quick", "--model-tasks", "sub-questions", *at])
            == 0
        )
        assert main(["model", "--llm", server.spec]) == 1
        assert main(["answer", QUESTIONS["en"], "--preset", "quick", *at]) == 0
        assert {asked.authorization for asked in server.requests} == {f"Bearer {KEY}"}
    told = capfd.readouterr()
    assert "401" in told.err
    assert_no_key(told.out + told.err)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert_no_key(path.read_text(encoding="utf-8"))
