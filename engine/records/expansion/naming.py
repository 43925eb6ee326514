"""What passages of a tree are called, and which documents they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.model import Document, Passage
from engine.records.citation import short_citation


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


def names_of_record(record: Mapping[str, Any], where: str) -> Names:
    """What a record itself calls its passages: it knows those of its ranking. Raises InputError, naming
    ``where`` it was found, for one that is damaged."""
    try:
        known = {str(one["id"]): _named_by(one) for one in record["passages"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{where}: damaged: passages: {error}") from error
    return lambda ids: {one: known[one] for one in ids if one in known}


def _named_by(ranked: Mapping[str, Any]) -> Named:
    title = str(ranked["title"] or ranked["document"])
    words = f"{title} {ranked['label'] or ''}".strip()
    return Named(words, str(ranked["document"]), title, str(ranked["language"]))


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
