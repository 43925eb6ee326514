"""Embeddings from an OpenAI-compatible endpoint: OpenAI's, or the one that the operator configured.

A corpus names its model and may come from anyone: neither texts nor a key are sent to an address in a corpus
unless REDSTRING_EMBEDDING_URL has the same address.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import orjson
from pydantic import BaseModel, Field, ValidationError

from engine.errors import ModelError, SettingsError
from engine.language.embedders.base import Kind, Vectors, unit
from engine.llm.connection import OPENAI_URL, Patience, Secret, checked_key, passing
from engine.network import TIMED_OUT, Received, background_loop, fetch, in_words, open_client
from engine.operator_settings import operator_settings, variable

URL_VARIABLE, KEY_VARIABLE = variable("embedding_url"), variable("embedding_key")
BATCH = 128
# Timeout of a batch, which may take a minute on a server without a graphics card, s.
TIMEOUT_SECONDS = 60.0
# A batch of 4,096 dimensions in decimals is 12 MB.
LONGEST_BODY = 32_000_000
PATIENCE = Patience()


class _Item(BaseModel):
    index: Annotated[int, Field(ge=0)]
    # Squares must fit into 32 bits.
    embedding: list[Annotated[float, Field(ge=-1e9, le=1e9)]]


class _Answer(BaseModel):
    data: list[_Item]


class EndpointEmbedder:
    """A model behind ``POST URL/embeddings``."""

    def __init__(
        self,
        spec: str,
        model: str,
        *,
        url: str = OPENAI_URL,
        languages: frozenset[str] | None = None,
        prefixes: tuple[str, str] = ("", ""),
        patience: Patience = PATIENCE,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self.spec = spec
        self.languages = languages
        self.calls = 0
        self._model_name = model
        self._url = url
        self._passage_prefix, self._query_prefix = prefixes
        self._patience, self._timeout = patience, timeout
        self._dimensions: int | None = None
        # Replaced in processes without a network, which ask another process to send.
        self.ask: Callable[[list[str]], Vectors] = self._ask

    @property
    def dimensions(self) -> int:
        """Length of a vector; sends one request to find out."""
        if self._dimensions is None:
            self._dimensions = self.encode(["dimensions"]).shape[1]
        return self._dimensions

    def check(self) -> None:
        """Raise ModelError if the endpoint is not the operator's, or lacks a required key."""
        self._key()

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Return unit vectors, shape (texts, dimensions).

        Raises ModelError if the endpoint fails, or before sending if it is not the operator's.
        """
        prefix = self._query_prefix if kind == "query" else self._passage_prefix
        batches = [
            self.ask([prefix + text for text in texts[start : start + BATCH]])
            for start in range(0, len(texts), BATCH)
        ]
        if len({batch.shape[1] for batch in batches}) > 1:
            raise self._error("its vectors are of different lengths")
        return np.concatenate(batches) if batches else np.empty((0, self.dimensions), dtype=np.float32)

    def _ask(self, texts: list[str]) -> Vectors:
        received = self._received({"model": self._model_name, "input": texts, "encoding_format": "float"})
        try:
            items = sorted(_Answer.model_validate_json(received.body).data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in items], dtype=np.float32)
        except (ValidationError, ValueError):
            raise self._error("the answer holds no vectors") from None
        if [item.index for item in items] != list(range(len(texts))):
            raise self._error(f"{len(texts)} texts sent, {len(items)} vectors back")
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise self._error("the answer holds no vectors")
        return unit(vectors)

    def _received(self, body: dict[str, object]) -> Received:
        """Return the answer of the endpoint, after retries that may help. Raises ModelError."""
        key, content, attempt = self._key(), orjson.dumps(body), 0
        while True:
            self.calls += 1
            received = _sent(f"{self._url}/embeddings", key, content, self._timeout)
            if received.fine:
                return received
            seconds = self._patience.seconds(attempt, received.headers)
            # A request that timed out may do so again.
            most = 1 if received.status == TIMED_OUT else self._patience.retries
            if not passing(received) or attempt >= most or seconds is None:
                raise self._error(_describe_failure(received))
            attempt += 1
            self._patience.wait(seconds, _never)

    def _key(self) -> Secret:
        """Return the key of this endpoint, possibly empty. Raises ModelError if the endpoint is not the
        operator's."""
        settings = operator_settings()
        if self._url == OPENAI_URL:
            given = settings.openai_api_key.get_secret_value()
            if not given:
                raise ModelError("OPENAI_API_KEY is not set; set it, or name an endpoint of your own")
        elif self._url == settings.embedding_url.rstrip("/"):
            given = settings.embedding_key.get_secret_value()
        else:
            raise self._error(
                f"its address is not the one in {URL_VARIABLE}; nothing was sent. Set that to the address in "
                "the corpus's embedding (`info` shows it) only if the server is one you trust"
            )
        try:
            return checked_key(given, "the endpoint")
        except SettingsError as error:
            raise self._error(str(error)) from None

    def _error(self, reason: str) -> ModelError:
        # Without the operator's address and the server's message: visitors read this.
        return ModelError(f"embedding endpoint of {self._model_name}: {reason}")


def _sent(url: str, key: Secret, content: bytes, seconds: float) -> Received:
    async def send() -> Received:
        async with open_client() as client:
            return await fetch(
                client,
                "POST",
                url,
                key=key.reveal(),
                content=content,
                seconds=seconds,
                longest=LONGEST_BODY,
            )

    # Imported here, where the caller waits, and not on the event loop, which would block all requests.
    import httpx2  # noqa: F401

    future = asyncio.run_coroutine_threadsafe(send(), background_loop())
    try:
        return future.result()
    finally:
        future.cancel()


def _describe_failure(received: Received) -> str:
    if received.status < 100:
        return received.body
    if 300 <= received.status < 400:
        return f"it redirects (status {received.status}), which is not followed"
    return " ".join(filter(None, (in_words(received.status), f"(status {received.status})")))


def _never() -> None:
    """Never cancel."""
