"""A question whose provisions are looked for, and the documents that a number of it is of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.corpus.outside import Outside
from engine.corpus.protocol import Corpus, Mask
from engine.model import Span


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is needed to resolve its references. ``text`` is what is read, letter for letter
    as long as what is ``written``."""

    corpus: Corpus
    reader: Outside
    written: str
    text: str
    language: str
    day: date
    mask: Mask | None


@dataclass(frozen=True, slots=True)
class Name:
    """The documents that a number is of, by their numbers, none where the question does not tell; where
    their name stands, if not in the mention itself, and how it was read where that was not plain."""

    documents: tuple[int, ...] = ()
    span: Span | None = None
    note: str = ""


def numbers_of(asked: Question, document_id: str) -> tuple[int, ...]:
    """The numbers of the documents that have an id: the versions of one act may share it."""
    return tuple(n for n, document in enumerate(asked.reader.documents) if document.id == document_id)
