"""The seam between the engine and models that judge how well a text answers a question.

Unlike an embedder, such a model reads question and text together, so nothing can be computed before
the question is known: it is precise and slow, and judges the head of a ranking only (Nogueira and Cho
2019, https://arxiv.org/abs/1901.04085).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]


class Reranker(Protocol):
    """Judges texts for a question."""

    @property
    def spec(self) -> str:
        """What ``reranker`` was asked for."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """Language codes that the model reads; None for all."""
        ...

    @property
    def at_once(self) -> int | None:
        """Texts that it takes in one call; None for all that are to be judged.

        A model that judges each text alone takes a few at a time, so that a budget can end between two
        calls. One that compares texts with each other (listwise) wants them all: its scores hold within
        one call.
        """
        ...

    @property
    def calls(self) -> int:
        """Requests sent to an outside service so far."""
        ...

    def __hash__(self) -> int: ...

    def load(self) -> None:
        """Make it ready, so that the first question does not wait. Raises ModelError."""
        ...

    def expected(self, question: str, texts: Sequence[str]) -> float:
        """Milliseconds that judging these texts will take, by what it took before. Raises ModelError."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """The higher, the better a text answers; on any scale, shape (n,), float32. Raises ModelError."""
        ...


def reads(model: Reranker, language: str) -> bool:
    """Whether the model reads a language; a language nobody determined counts as read."""
    return model.languages is None or language in model.languages or language == "und"
