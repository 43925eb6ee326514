"""What the page can have done to a corpus, in the words of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import IngestionCancelledError, InputError

READING = ("create", "add")
Tell = Callable[[dict[str, Any]], None]
Kind = Literal["create", "add", "remove", "apply", "embed"]
# A step is told when it begins, when it ends, and no more often than this in between, s.
PAUSE = 0.1


class Order(BaseModel):
    """What is to be done. ``folder`` is the corpus's, ``embedding`` the spec that it has or is to have; the
    documents lie in the working folder. All but ``embed`` leave vectors for later."""

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
        """Hear how far a step is."""
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
    """Do what is ordered and return the report of an ingestion. ``hear`` gives the next line of the server,
    which says when vectors may be taken in. Raises RedstringError."""
    # A page that is opened has nothing to ingest.
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
        # Without documents to remove the corpus is written as it is, with what people have decided.
        report = remove_from_corpus(order.documents, order.folder, later=True, **heard)
    return _without_places(asdict(report), order.folder)


def _without_places(report: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The report without the corpus's place on the server, which is nobody's business."""
    problems = [{**each, "path": str(each["path"]).replace(f"{folder}/", "")} for each in report["problems"]]
    return {**report, "problems": problems}
