"""Which documents a mention may speak of, as far as that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.references.grammar import Mention


@dataclass(frozen=True, slots=True)
class Meaning:
    """Documents a mention may speak of. ``named`` says that the text names one, known or not; ``denied`` are
    those of the name that the text rules out, by another year or as a former act."""

    documents: tuple[int | None, ...]
    named: bool = False
    name_end: int | None = None
    confidence: float = 1.0
    weak: bool = False
    denied: tuple[int, ...] = ()


def named_last(mention: Mention, before: Sequence[Mention], meanings: Sequence[Meaning]) -> Meaning | None:
    """The document named last before "that Act" by a name with that word in it, else the one named last."""
    word = mention.text.split()[-1].casefold()
    named = [pair for pair in zip(before, meanings, strict=True) if pair[1].named]
    # "Id. § 5" has no such word.
    alike = [pair for pair in named if word.isalpha() and word in (pair[0].document or word).casefold()]
    return (alike or named)[-1][1] if named else None
