"""From a spec to a model: whose key is sent where, and that a key is never seen."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback

import pytest

from engine.errors import ModelError, RedstringError, SettingsError
from engine.llm import Data, Meter, Prompt
from engine.llm.client import ChatModel, connect, connect_from_environment
from engine.llm.connection import REDACTED, Secret
from engine.llm.cost import AnswerCache
from tests.engine.llm.server import Asked, Fault, Parts, Scripted, ScriptedServer

KEY = "sk-proj-AbC123/4567+890xyzXYZ"
PROMPT = Prompt("decompose", "Split.", (Data("question", "Who pays?"),))


class TestWhoseKey:
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-environment")
        for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
            monkeypatch.setenv(name, "operator-secret")
        monkeypatch.setenv(
            "OPENAI_CUSTOM_HEADERS", "X-Operator: operator-secret\nAuthorization: Bearer operator-secret"
        )
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/operator-secret")

    def sent(self, model: ChatModel | None, server: ScriptedServer) -> str:
        assert model is not None
        model.ask(PROMPT, Parts, Meter())
        asked = server.requests[-1]
        assert "operator-secret" not in repr(asked), "nothing of the environment goes to a server"
        return asked.authorization.removeprefix("Bearer ")

    @pytest.fixture
    def server(self) -> ScriptedServer:
        return ScriptedServer(lambda asked: {"queries": []})

    def test_the_key_that_is_given(self, server: ScriptedServer) -> None:
        with server:
            assert self.sent(connect(server.spec, KEY, environment_key=True), server) == KEY

    def test_a_stranger_gets_none_of_the_operators(
        self, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REDSTRING_LLM_KEY", "sk-redstring-environment")
        with server:
            monkeypatch.setenv("REDSTRING_LLM", server.spec)
            assert self.sent(connect(server.spec), server) == ""
            assert self.sent(connect(server.spec, ""), server) == ""

    def test_another_address_does_not_get_the_key_of_openai(self, server: ScriptedServer) -> None:
        with server:
            assert self.sent(connect(server.spec, environment_key=True), server) == ""

    def test_the_operators_own_address_does(
        self, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with server:
            monkeypatch.setenv("REDSTRING_LLM", server.spec)
            assert self.sent(connect_from_environment(), server) == "sk-openai-environment"
            monkeypatch.setenv("REDSTRING_LLM_KEY", "sk-redstring-environment")
            assert self.sent(connect_from_environment(), server) == "sk-redstring-environment"

    def test_openai_without_a_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert connect("openai:gpt-4o-mini", environment_key=True) is not None
        with pytest.raises(SettingsError, match="needs a key"):
            connect("openai:gpt-4o-mini")
        monkeypatch.delenv("OPENAI_API_KEY")
        with pytest.raises(SettingsError, match="REDSTRING_LLM_KEY"):
            connect("openai:gpt-4o-mini", environment_key=True)

    def test_a_key_alone_switches_nothing_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert connect_from_environment() is None
        monkeypatch.setenv("REDSTRING_LLM_KEY", KEY)
        assert connect_from_environment() is None
        for off in ("none", "", "  "):
            monkeypatch.setenv("REDSTRING_LLM", off)
            assert connect_from_environment() is None

    @pytest.mark.parametrize("key", ["sk with blanks", "sk-ünïcode-key", "sk-line\nbreak"])
    def test_a_key_that_no_header_can_hold(self, key: str) -> None:
        with pytest.raises(SettingsError) as raised:
            connect("openai:gpt-4o-mini", key)
        assert key not in str(raised.value)


class TestSecret:
    def test_it_is_not_shown(self) -> None:
        secret = Secret(KEY)
        for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r}", "%s" % secret, repr([secret])):  # noqa: UP031
            assert KEY not in shown
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError):
                pickle.dumps(secret, protocol)
        assert copy.deepcopy({"key": secret})["key"] is secret
        assert not hasattr(secret, "__dict__")
        assert bool(secret)
        assert not Secret(" ")

    def test_it_is_taken_out_of_texts(self) -> None:
        assert Secret(KEY).redact(f"bad key {KEY}!") == f"bad key {REDACTED}!"
        assert KEY[-12:] not in Secret(KEY).redact(f"the key that ends with {KEY[-12:]}")
        assert Secret("ollama").redact("ollama runs llamas; ollamas") == f"{REDACTED} runs llamas; ollamas"
        assert Secret("a").redact("a key") == "a key"
        assert Secret("").redact("a key") == "a key"

    @pytest.mark.parametrize(
        "answer",
        [
            {"queries": [f"the key is {KEY}"]},
            Fault(text='{"choices": [{"message": {"content": "{\\"queries\\": [\\"' + KEY + '\\"]}"}}]}'),
            '{"queries": ["' + "".join(f"\\u{ord(letter):04x}" for letter in KEY) + '"]}',
            f"I know {KEY}",
            Fault(
                status=401,
                text='{"error": {"message": "Incorrect API key: ' + KEY.replace("/", "\\/") + '"}}',
            ),
            Fault(status=500, text=f"<html>{KEY}</html>"),
            Fault(text=f"<html>{KEY}</html>"),
            Fault(refusal=f"I refuse {KEY}"),
            {f"{KEY}": 1},
        ],
    )
    def test_a_server_that_sends_it_back(
        self, answer: Scripted, caplog: pytest.LogCaptureFixture, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        folder = tmp_path_factory.mktemp("answers")
        seen: list[str] = []
        with caplog.at_level(logging.DEBUG), ScriptedServer(lambda asked: answer) as server:
            model = server.connect(KEY, cache=AnswerCache(folder))
            meter = Meter()
            try:
                reply = model.ask(PROMPT, Parts, meter)
            except RedstringError as error:
                seen += [str(error), repr(error), "".join(traceback.format_exception(error))]
                seen += [repr(vars(cause)) for cause in (error.__cause__, error.__context__) if cause]
            else:
                seen += [repr(reply), reply.value.model_dump_json()]
            assert server.requests[0].authorization == f"Bearer {KEY}"
        seen += [repr(model), model.spec, repr(vars(model)), repr(meter.tasks), caplog.text]
        seen += [path.read_text() + str(path) for path in folder.rglob("*.json")]
        for text in seen:
            assert KEY not in text

    def test_a_model_is_not_stored(self) -> None:
        model = connect("openai:gpt-4o-mini", KEY)
        with pytest.raises(TypeError):
            pickle.dumps(model)


def test_nothing_is_opened_before_a_prompt() -> None:
    model = connect("openai:m@http://127.0.0.1:9/v1")
    assert model is not None
    assert model.expected(PROMPT, Parts).tokens > 0
    assert repr(model) == "ChatModel('openai:m@http://127.0.0.1:9/v1')"


def test_a_key_is_not_followed_to_another_host() -> None:
    with ScriptedServer(lambda asked: {"queries": []}) as other:

        def answer(asked: Asked) -> Scripted:
            return Fault(status=302, headers={"Location": other.url})

        with ScriptedServer(answer) as server, pytest.raises(ModelError, match="redirects"):
            server.connect(KEY).ask(PROMPT, Parts, Meter())
        assert other.requests == []


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("https://llm.example.org/v1", False),
        ("http://llm.example.org/v1", True),
        ("http://93.184.216.34/v1", True),
        ("http://localhost:11434/v1", False),
        ("http://gpu:8000/v1", False),
        ("http://10.1.2.3:8000/v1", False),
        ("http://[::1]:8000/v1", False),
    ],
)
def test_a_key_that_would_go_out_unencrypted_is_told(url: str, warned: bool) -> None:
    model, keyless = connect(f"openai:m@{url}", KEY), connect(f"openai:m@{url}")
    assert model is not None
    assert keyless is not None
    assert any("without encryption" in caution for caution in model.cautions) is warned
    assert keyless.cautions == ()
