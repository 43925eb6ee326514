"""The endpoint embedder against a real HTTP server on this machine."""

from __future__ import annotations

import math
import socket
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.errors import ModelError
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.investigation.record import ScanFinished
from engine.language.embedders.base import Embedder
from engine.language.embedders.contract import EmbedderContract
from engine.language.embedders.endpoint import BATCH, KEY_VARIABLE, URL_VARIABLE, EndpointEmbedder
from engine.language.embedders.spec import embedder
from engine.llm.connection import Patience
from engine.settings import InvestigationSettings
from tests.engine.endpoint import Answer, EmbeddingServer, vectors
from tests.engine.harbour import write_harbour

HURRIED = Patience(first=0.001, longest=0.002)
# What an inner server might say that nobody else may read.
SAID = "the password is hunter2"


def given(*rows: list[object]) -> object:
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return {"data": [{"index": index[0], "embedding": vector} for index, vector in pairs]}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def model(server: EmbeddingServer) -> EndpointEmbedder:
    return EndpointEmbedder(server.spec, "toy", url=server.url, patience=HURRIED)


class TestEndpoint(EmbedderContract):
    @pytest.fixture
    @staticmethod
    def model(model_server: EmbeddingServer) -> Embedder:
        return EndpointEmbedder(model_server.spec, "toy", url=model_server.url)


def test_answers_are_put_in_order_and_scaled(model: EndpointEmbedder) -> None:
    found = model.encode(["two pilots, a pilot", "a fee for a pilot", "nothing of both"])
    half = math.sqrt(0.5)
    assert found.tolist() == [[0.0, 1.0], [pytest.approx(half), pytest.approx(half)], [-1.0, 0.0]]


def test_what_is_sent(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a-key")
    found = embedder(f"{server.spec}?passage=passage: &query=query: ")
    assert found is not None
    found.encode(["dues"], "query")
    (request,) = server.requests
    assert request["path"] == "/v1/embeddings"
    assert request["model"] == "toy"
    assert request["key"] == "Bearer a-key"
    assert request["input"] == ["query: dues"]


class TestWhoGetsAKey:
    @pytest.fixture(autouse=True)
    @staticmethod
    def keys(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
        monkeypatch.setenv(KEY_VARIABLE, "sk-of-the-endpoint")

    def test_the_key_of_openai_goes_to_no_other_endpoint(
        self, model: EndpointEmbedder, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(KEY_VARIABLE)
        model.encode(["dues"])
        assert server.requests[0]["key"] == ""

    @pytest.mark.parametrize("key", ["two words", "schlüssel", "k\r\nX-Other: 1"])
    def test_what_is_no_key_is_not_sent(
        self, key: str, model: EndpointEmbedder, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY_VARIABLE, key)
        with pytest.raises(ModelError, match="holds characters that no key has") as refused:
            model.encode(["dues"])
        assert key not in str(refused.value)
        assert server.requests == []

    @pytest.mark.parametrize("named", ["", "http://127.0.0.1:1/v1", "https://api.openai.com/v1"])
    def test_an_endpoint_that_a_corpus_names_is_sent_nothing(
        self, named: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with EmbeddingServer(named=False) as foreign:
            monkeypatch.setenv(URL_VARIABLE, named)
            model = embedder(foreign.spec)
            assert model is not None
            with pytest.raises(ModelError, match=f"not the one in {URL_VARIABLE}; nothing was sent"):
                model.encode(["dues"], "query")
            assert foreign.requests == []

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_the_target_of_a_redirect_receives_no_key(
        self, status: int, model: EndpointEmbedder, server: EmbeddingServer
    ) -> None:
        with EmbeddingServer(named=False) as other:
            server.usual = Answer(status, lambda _: {}, {"Location": f"{other.url}/embeddings"})
            with pytest.raises(ModelError, match="redirects"):
                model.encode(["dues"])
            assert other.requests == []

    def test_cookies_of_an_answer_are_not_sent_back(
        self, model: EndpointEmbedder, server: EmbeddingServer
    ) -> None:
        server.usual = Answer(200, vectors, {"Set-Cookie": "a=b; Path=/"})
        for _ in range(2):
            model.encode(["dues"])
        assert [request["cookie"] for request in server.requests] == ["", ""]


def test_without_key_and_endpoint_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        EndpointEmbedder("openai:m", "m").encode(["dues"])


def test_many_texts_go_in_batches_and_every_batch_is_a_call(
    model: EndpointEmbedder, server: EmbeddingServer
) -> None:
    assert model.encode(["dues"] * (BATCH + 1)).shape == (BATCH + 1, 2)
    assert [len(request["input"]) for request in server.requests] == [BATCH, 1]
    assert model.calls == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(400, lambda _: {"error": {"message": SAID}}), r"does not accept this request \(status 400\)"),
        (Answer(401, lambda _: {"error": {"message": SAID}}), r"does not accept the key \(status 401\)"),
        (Answer(404, lambda _: {"error": {"message": SAID}}), r"is unknown to it \(status 404\)"),
        (Answer(418, lambda _: SAID), r"\(status 418\)"),
        (Answer(503, lambda _: {"error": {"message": SAID}}), r"an internal error \(status 503\)"),
        (Answer(200, lambda texts: vectors(texts[1:])), "2 texts sent, 1 vectors back"),
        (Answer(200, lambda _: vectors([])), "2 texts sent, 0 vectors back"),
        (Answer(200, lambda _: {"error": SAID}), "the answer holds no vectors"),
        (Answer(200, lambda _: SAID), "the answer holds no vectors"),
        (Answer(200, lambda _: given([0], [1], [0], [2])), "2 texts sent, 2 vectors back"),
        (Answer(200, lambda _: given([0], [1], [5], [2])), "2 texts sent, 2 vectors back"),
        (Answer(200, lambda _: given([0], [], [1], [])), "the answer holds no vectors"),
        (Answer(200, lambda _: given([0], [1e39], [1], [1])), "the answer holds no vectors"),
        (Answer(200, lambda _: given([0], [math.nan], [1], [1])), "the answer holds no vectors"),
        (Answer(200, lambda _: given([0], [SAID], [1], [1])), "the answer holds no vectors"),
        (
            Answer(
                200, lambda _: {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}
            ),
            "the answer holds no vectors",
        ),
    ],
)
def test_what_an_endpoint_does_wrong_is_told_in_one_line(
    model: EndpointEmbedder, server: EmbeddingServer, answer: Answer, message: str
) -> None:
    server.usual = answer
    with pytest.raises(ModelError, match=message) as caught:
        model.encode(["one", "two"])
    said = "".join(traceback.format_exception(caught.value))
    assert str(caught.value).startswith("embedding endpoint of toy: ")
    assert "\n" not in str(caught.value)
    assert SAID not in said, "the server's words stay with us"
    assert server.url not in str(caught.value)


def test_vectors_of_two_lengths(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    server.next = [server.usual, Answer(200, lambda _: given([0], [1.0, 0.0, 0.0]))]
    with pytest.raises(ModelError, match="different lengths"):
        model.encode(["dues"] * (BATCH + 1))


def test_a_server_that_is_slow_is_given_up_in_wall_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.MonkeyPatch.context() as surroundings:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        surroundings.setenv(URL_VARIABLE, url)
        model = EndpointEmbedder("openai:toy", "toy", url=url, patience=HURRIED, timeout=0.1)
        with pytest.raises(ModelError, match=r"no answer within 0\.1 s"):
            model.encode(["dues"])
        assert model.calls == 2


def test_an_endpoint_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    monkeypatch.setenv(URL_VARIABLE, url)
    model = EndpointEmbedder("openai:toy", "toy", url=url, patience=HURRIED)
    with pytest.raises(ModelError, match="All connection attempts failed"):
        model.encode(["dues"])


def test_a_corpus_that_somebody_sent_gets_neither_question_nor_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its manifest names a server of the sender's; the case goes on by words and says so."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv(KEY_VARIABLE, "sk-of-the-endpoint")
    sources = write_harbour(tmp_path / "sources", ontology=True)
    with EmbeddingServer() as foreign:
        build_corpus([sources], tmp_path / "sent", embedding=foreign.spec)
        foreign.requests.clear()
        with EmbeddingServer():
            case = Case(open_corpus(tmp_path / "sent"), "Who pays dues?", InvestigationSettings(rounds=1))
            notes = [note for event in case.run() if isinstance(event, ScanFinished) for note in event.notes]
        assert foreign.requests == []
    assert notes[0].startswith("dense search is off: embedding endpoint of toy: its address is not the one")
    assert case.ranking
