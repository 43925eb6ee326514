"""The endpoint embedder against a real HTTP server on this machine."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from engine.errors import ModelError
from engine.language.embedders.base import Embedder
from engine.language.embedders.contract import EmbedderContract
from engine.language.embedders.endpoint import BATCH, EndpointEmbedder
from engine.language.embedders.spec import embedder
from tests.engine.endpoint import Answer, EmbeddingServer, vectors


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def model(server: EmbeddingServer) -> EndpointEmbedder:
    return EndpointEmbedder(server.spec, "toy", url=server.url)


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
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    found = embedder(f"{server.spec}?passage=passage: &query=query: ")
    assert found is not None
    found.encode(["dues"], "query")
    (request,) = server.requests
    assert request["path"] == "/v1/embeddings"
    assert request["model"] == "toy"
    assert request["key"] == "Bearer a-key"
    assert request["input"] == ["query: dues"]


def test_no_key_is_needed_for_an_own_endpoint(
    model: EndpointEmbedder, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model.encode(["dues"])
    assert server.requests[0]["key"] == "Bearer none"


def test_without_key_and_endpoint_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        EndpointEmbedder("openai:m", "m", url=None).encode(["dues"])


def test_many_texts_go_in_batches_and_every_batch_is_a_call(
    model: EndpointEmbedder, server: EmbeddingServer
) -> None:
    assert model.encode(["dues"] * (BATCH + 1)).shape == (BATCH + 1, 2)
    assert [len(request["input"]) for request in server.requests] == [BATCH, 1]
    assert model.calls == 2


def test_dimensions_are_asked_once(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    assert (model.dimensions, model.dimensions) == (2, 2)
    assert len(server.requests) == 1


def test_a_busy_endpoint_is_asked_again(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    server.next = [Answer(503, lambda _: {"error": {"message": "busy"}})] * 2
    assert model.encode(["dues"]).tolist() == [[1.0, 0.0]]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(400, lambda _: {"error": {"message": "no such model"}}), "no such model"),
        (Answer(401, lambda _: {"error": {"message": "wrong key"}}), "wrong key"),
        (Answer(503, lambda _: {"error": {"message": "down"}}), "down"),
        (Answer(200, lambda texts: vectors(texts[1:])), "2 texts sent, 1 vectors back"),
        (Answer(200, lambda _: vectors([])), "2 texts sent, 0 vectors back"),
        (Answer(200, lambda _: {"error": "quota"}), "the answer holds no vectors"),
        (Answer(200, lambda _: "hello"), "the answer holds no vectors"),
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
    assert str(caught.value).startswith(f"embedding endpoint {server.url}: ")
    assert "\n" not in str(caught.value)


def test_an_endpoint_that_is_not_there(server: EmbeddingServer) -> None:
    url = server.url
    server.__exit__()
    model = EndpointEmbedder("openai:toy", "toy", url=url)
    model._client.max_retries = 0
    with pytest.raises(ModelError, match="Connection error"):
        model.encode(["dues"])
