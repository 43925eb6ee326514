"""What a text's references were resolved by, of all that a corpus says as a whole.

A *use* is a question to what is known of all documents together: which of them a name means, an act of the
Union, a standard, a decree. Whoever keeps references keeps their uses with the answers of that day; while all
answers are the same, the references are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from engine.language.references.versions import made_on
from engine.model import Document

# A question: its kind, and what was asked for.
Use = tuple[str, ...]
Uses = set[Use]
# What the meanings of a name are told by: None is an act from outside.
Told = Callable[[Sequence[int | None]], str]


class Answering(Protocol):
    """What is known of all documents together, by question."""

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """What each question has for an answer, where it has one."""
        ...


def told_by(documents: Sequence[Document], made_by: Callable[[int], object]) -> Told:
    """What tells documents apart as meanings of a name, in their order: all that resolving looks at when it
    takes the one or chooses among several. ``made_by``: what is known of the decrees that made one."""

    def known(number: int | None) -> tuple[object, ...]:
        if number is None:
            return ()
        document = documents[number]
        return document.id, document.language, document.title, made_by(number)

    def told(found: Sequence[int | None]) -> str:
        if len(found) < 2:
            return repr([known(number) for number in found])
        return repr([(known(one), None if one is None else made_on(documents[one])) for one in found])

    return told
