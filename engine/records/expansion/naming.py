"""What passages of a tree are called, and which documents they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.corpus.protocol import Corpus
from engine.model import Document, Passage
from engine.records.citation import short_citation
from engine.records.record import CaseRecord


@dataclass(frozen=True, slots=True)
class Named:
    """A passage in words: its short citation, the id and the title of its document, its language."""

    citation: str
    document: str
    title: str
    language: str


Names = Callable[[Sequence[str]], Mapping[str, Named]]


def named(passage: Passage, document: Document) -> Named:
    """What a passage of a corpus is called."""
    return Named(
        short_citation(passage, document), document.id, document.title or document.id, passage.language
    )


def names_of_corpus(corpus: Corpus) -> Names:
    """What the passages of a corpus are called; nothing of those that it has not."""

    def names(ids: Sequence[str]) -> Mapping[str, Named]:
        rows = corpus.rows(ids)
        here = rows[rows >= 0]
        documents = corpus.documents()
        found = zip(corpus.passages(here), corpus.document_numbers(here).tolist(), strict=True)
        return {passage.id: named(passage, documents[number]) for passage, number in found}

    return names


def names_of_record(record: CaseRecord) -> Names:
    """The names that a record itself has: those of the passages of its ranking."""
    known = {
        one.id: Named(one.name, one.document, one.title or one.document, one.language)
        for one in record.passages
    }
    return lambda ids: {one: known[one] for one in ids if one in known}


def first_known(*names: Names) -> Names:
    """The first that knows a passage names it."""

    def found(ids: Sequence[str]) -> Mapping[str, Named]:
        known: dict[str, Named] = {}
        for one in names:
            known |= one([passage_id for passage_id in ids if passage_id not in known])
        return known

    return found


def cited(known: Mapping[str, Named]) -> Callable[[str], str]:
    """From an id to a citation; a passage that nobody knows keeps its id."""
    return lambda passage_id: known[passage_id].citation if passage_id in known else passage_id
