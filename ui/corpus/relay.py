"""Vectors of the operator's endpoint for a worker, which has neither a network nor a key: its server asks.

The worker tells the texts as one of its lines and reads the answer, a line of JSON, from its standard input.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import IO

import numpy as np
import orjson
from pydantic import BaseModel, Field

from engine.errors import ModelError, for_visitors
from engine.language.embedders import embedder
from engine.language.embedders.base import Vectors
from engine.language.embedders.endpoint import BATCH, EndpointEmbedder


class Wanted(BaseModel):
    """Texts that a worker wants vectors of."""

    texts: list[str] = Field(min_length=1, max_length=BATCH)


class Answered(BaseModel):
    """What it gets: float32 values in base 64, row after row, or why not."""

    vectors: str = ""
    dimensions: int = Field(default=1, ge=1)
    error: str = ""


class Relay:
    """The server's side. ``spec`` is that of the corpus; ``characters``: what one job may have sent."""

    def __init__(self, spec: str, characters: int) -> None:
        model = embedder(spec)
        self._endpoint = model if isinstance(model, EndpointEmbedder) else None
        self._left = characters

    def answer(self, wanted: Wanted) -> bytes:
        """The line that the worker gets."""
        return self._answer(wanted.texts).model_dump_json().encode() + b"\n"

    def _answer(self, texts: list[str]) -> Answered:
        self._left -= sum(map(len, texts))
        if self._endpoint is None:
            return Answered(error="this corpus has no model behind an endpoint")
        if self._left < 0:
            return Answered(error="there is more to embed than was sent")
        try:
            vectors = self._endpoint.ask(texts)
        except ModelError as error:
            return Answered(error=for_visitors(error))
        return Answered(vectors=b64encode(vectors.tobytes()).decode(), dimensions=vectors.shape[1])


def through_server(spec: str, tell: Callable[[dict[str, object]], None], answers: IO[bytes]) -> None:
    """The worker's side: a model behind an endpoint is from now on asked by the server."""
    model = embedder(spec)

    def ask(texts: list[str]) -> Vectors:
        tell({"wanted": {"texts": texts}})
        found = Answered.model_validate(orjson.loads(answers.readline()))
        if found.error:
            raise ModelError(found.error)
        return np.frombuffer(b64decode(found.vectors), np.float32).reshape(len(texts), found.dimensions)

    if isinstance(model, EndpointEmbedder):
        model.ask = ask
