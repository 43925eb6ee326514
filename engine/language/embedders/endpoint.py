"""Embeddings from any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engine.errors import ModelError
from engine.language.embedders.base import Kind, Vectors, unit
from engine.operator_settings import operator_settings

BATCH = 128
TIMEOUT_SECONDS = 60.0
RETRIES = 3


class EndpointEmbedder:
    """A model behind ``POST <url>/embeddings``; the key is read from OPENAI_API_KEY."""

    def __init__(
        self,
        spec: str,
        model: str,
        *,
        url: str | None,
        languages: frozenset[str] | None = None,
        prefixes: tuple[str, str] = ("", ""),
    ) -> None:
        self.spec = spec
        self.languages = languages
        self.calls = 0
        self._model_name = model
        self._url = url
        self._passage_prefix, self._query_prefix = prefixes
        self._dimensions: int | None = None

    @property
    def dimensions(self) -> int:
        """Length of a vector; asks the endpoint once."""
        if self._dimensions is None:
            self._dimensions = self.encode(["dimensions"]).shape[1]
        return self._dimensions

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Unit vectors, shape (texts, dimensions). Raises ModelError where the endpoint fails."""
        prefix = self._query_prefix if kind == "query" else self._passage_prefix
        batches = [
            self._ask([prefix + text for text in texts[start : start + BATCH]])
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(batches) if batches else np.empty((0, self.dimensions), dtype=np.float32)

    def _ask(self, texts: list[str]) -> Vectors:
        from openai import OpenAIError

        self.calls += 1
        try:
            answer = self._client.embeddings.create(
                model=self._model_name, input=texts, encoding_format="float"
            )
        except OpenAIError as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelError(f"embedding endpoint {self._name}: {reason}") from error
        try:
            ordered = sorted(answer.data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in ordered], dtype=np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise ModelError(f"embedding endpoint {self._name}: the answer holds no vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"embedding endpoint {self._name}: {len(texts)} texts sent, {len(vectors)} vectors back"
            )
        return unit(vectors)

    @property
    def _name(self) -> str:
        return self._url or "api.openai.com"

    @cached_property
    def _client(self) -> Any:
        from openai import OpenAI

        key = operator_settings().openai_api_key.get_secret_value()
        if not key and self._url is None:
            raise ModelError("OPENAI_API_KEY is not set; set it, or name an endpoint: openai:MODEL@URL")
        return OpenAI(base_url=self._url, api_key=key or "none", timeout=TIMEOUT_SECONDS, max_retries=RETRIES)
