"""What the page can have done to a corpus, in the words of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import InputError
from engine.ingestion.build import build_corpus

Tell = Callable[[dict[str, Any]], None]
Kind = Literal["create", "add", "remove"]
# A step is told when it begins, when it ends, and no more often than this in between, s.
PAUSE = 0.1


class Order(BaseModel):
    """What is to be done. ``folder`` is the corpus's; the documents lie in the working folder."""

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
        self._step, self._at, self._began = "", 0.0, 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        """Hear how far a step is."""
        now = perf_counter()
        if step != self._step:
            self._step, self._began = step, now
        elif done < total and now - self._at < PAUSE:
            return
        self._at = now
        self._tell({"step": step, "done": done, "total": total})
        if done >= total:
            self._tell({"line": f"{step}: done, {now - self._began:.1f} s"})


def carry_out(order: Order, sources: Sequence[Path], tell: Tell) -> dict[str, Any]:
    """Do what is ordered and return the ingestion's report. Raises RedstringError."""
    if not sources and order.kind != "remove":
        raise InputError("there is nothing to read: no file arrived")
    report = build_corpus(
        sources, order.folder, embedding=order.embedding, name=order.name or None, progress=Steps(tell)
    )
    return asdict(report)
