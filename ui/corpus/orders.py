"""Changes of a corpus requested by the page: orders, the worker that runs them, relayed vectors."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import IO, Any, Literal

import numpy as np
import orjson
from pydantic import BaseModel, ConfigDict, Field

from engine.errors import IngestionCancelledError, InputError, ModelError, for_visitors
from engine.language.embedders import embedder
from engine.language.embedders.base import Vectors
from engine.language.embedders.endpoint import BATCH, EndpointEmbedder

# Orders of the page, run with the functions of the engine.

READING = ("create", "add")
Tell = Callable[[dict[str, Any]], None]
Kind = Literal["create", "add", "remove", "apply", "embed"]
# Minimum interval between progress reports of a step, s, in addition to its begin and end.
PAUSE = 0.1


class Order(BaseModel):
    """An order for a worker. ``folder`` is that of the corpus, ``embedding`` its current or future spec; the
    documents are in the working folder. All orders but ``embed`` leave vectors for later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    folder: Path
    name: str = ""
    embedding: str = "none"
    passwords: tuple[str, ...] = Field(default=(), repr=False)
    mapping: dict[str, Any] | None = None
    documents: tuple[str, ...] = ()


class Steps:
    """Turns the engine's progress into events, few enough for a page to follow."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._step, self._at = "", 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        """Report the progress of a step."""
        now = perf_counter()
        if step != self._step:
            self._step = step
        elif done < total and now - self._at < PAUSE:
            return
        self._at = now
        self._tell({"step": step, "done": done, "total": total})


def carry_out(
    order: Order, sources: Sequence[Path], tell: Tell, hear: Callable[[], bytes]
) -> dict[str, Any] | None:
    """Run the order; returns the report of an ingestion. ``hear`` returns the next line of the server, which
    allows vectors to be stored. Raises RedstringError."""
    # Imported here: loading the page does not need the ingestion.
    from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
    from engine.ingestion.vectors import embed_corpus

    def await_turn() -> None:
        tell({"ready": True})
        if not hear():
            raise IngestionCancelledError("the server has ended")

    if not sources and order.kind in READING:
        raise InputError("there is nothing to read: no file arrived")
    heard: dict[str, Any] = {"progress": Steps(tell), "log": lambda line: tell({"line": line})}
    given: dict[str, Any] = {"passwords": order.passwords, "mapping": order.mapping, **heard}
    if order.kind == "embed":
        embed_corpus(order.folder, embedding=order.embedding, before_writing=await_turn, **heard)
        return None
    if order.kind == "create":
        report = build_corpus(sources, order.folder, embedding="none", name=order.name, **given)
    elif order.kind == "add":
        report = add_to_corpus(sources, order.folder, later=True, **given)
    else:
        # Without documents to remove, the corpus is rewritten unchanged, with the users' decisions.
        report = remove_from_corpus(order.documents, order.folder, later=True, **heard)
    return _without_places(asdict(report), order.folder)


def _without_places(report: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the report without paths on the server, which users must not see."""
    problems = [{**each, "path": str(each["path"]).replace(f"{folder}/", "")} for each in report["problems"]]
    return {**report, "problems": problems}


# Vectors of the operator's endpoint for a worker, which has neither a network nor a key: the server sends
# its requests. The worker writes the texts as one of its lines and reads the answer, a line of JSON, from
# its standard input.


class EmbeddingRequest(BaseModel):
    """Texts for which a worker requests vectors."""

    texts: list[str] = Field(min_length=1, max_length=BATCH)


class Answered(BaseModel):
    """The answer for the worker: float32 values in base 64, row after row, or the error."""

    vectors: str = ""
    dimensions: int = Field(default=1, ge=1)
    error: str = ""


class Relay:
    """The server's side. ``spec`` is that of the corpus; ``characters`` is the limit of text that one job may
    send."""

    def __init__(self, spec: str, characters: int) -> None:
        model = embedder(spec)
        self._endpoint = model if isinstance(model, EndpointEmbedder) else None
        self._left = characters

    def answer(self, wanted: EmbeddingRequest) -> bytes:
        """Return the line for the worker."""
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
    """Make the worker send requests for an endpoint model through the server."""
    model = embedder(spec)

    def ask(texts: list[str]) -> Vectors:
        tell({"wanted": {"texts": texts}})
        found = Answered.model_validate(orjson.loads(answers.readline()))
        if found.error:
            raise ModelError(found.error)
        return np.frombuffer(b64decode(found.vectors), np.float32).reshape(len(texts), found.dimensions)

    if isinstance(model, EndpointEmbedder):
        model.ask = ask
