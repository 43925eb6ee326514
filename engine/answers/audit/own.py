"""Whether the sources of a sentence that the product itself puts together say it, by the check of claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.answers.audit.windows import copied, readable
from engine.model import Passage


def stands(text: str, passages: Sequence[Passage]) -> bool:
    """Whether the passages, read one behind the other, say a sentence of their words: nothing is left out of
    it that binds, as a condition that the other items of a list make, or a word that denies."""
    first = passages[0]
    joined = first if len(passages) == 1 else replace(first, text="\n".join(one.text for one in passages))
    held = copied(text, readable(joined), ())
    return held is not None and held.alignment.complete
