"""How fast a model judges: milliseconds for the characters it reads, learned from what it took before."""

from __future__ import annotations

import time
from collections.abc import Sequence

# Share of the newest measurement: a machine gets busy and idle again within seconds.
NEWEST = 0.3
# Models cut what is longer than their window; 512 tokens are about so many characters.
LONGEST = 2_500
# A rate counts half after so long, s. Without this a model that was slow once, on a busy machine, would
# never be asked again.
HALF_LIFE = 60.0


class Pace:
    """A rate in milliseconds per character of padded input.

    A batch is padded to its longest text, so its cost is that of as many texts of that length.
    """

    def __init__(self) -> None:
        self._rate: float | None = None
        self._learned_at = 0.0

    @property
    def known(self) -> bool:
        """Whether anything was measured yet."""
        return self._rate is not None

    def expected(self, question: int, texts: Sequence[int]) -> float:
        """Milliseconds for texts of these lengths, in characters; 0 where nothing was measured yet."""
        if self._rate is None:
            return 0.0
        age = time.monotonic() - self._learned_at
        certainty: float = 0.5 ** (age / HALF_LIFE)
        return self._rate * certainty * _padded(question, texts)

    def learn(self, question: int, texts: Sequence[int], milliseconds: float) -> None:
        """Take note of what judging texts of these lengths took."""
        padded = _padded(question, texts)
        if padded <= 0:
            return
        rate = milliseconds / padded
        self._learned_at = time.monotonic()
        self._rate = rate if self._rate is None else NEWEST * rate + (1 - NEWEST) * self._rate


def _padded(question: int, texts: Sequence[int]) -> int:
    longest = max(texts, default=0)
    return len(texts) * min(question + longest, LONGEST) if longest else 0
