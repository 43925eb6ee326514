"""The tool ``corpora``: what there is to be asked."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from engine.corpus.protocol import Corpus
from engine.records.summaries import Slim
from engine.verbs.requests import CorpusName, Request
from ui.shelf import Shelved
from ui.tools.caller import ServerCaller
from ui.tools.tool import tool_verb

MOST_DOCUMENTS = 50


class Listing(Request):
    """What ``corpora`` takes."""

    corpus: CorpusName = Field(
        default="",
        description="Name of a corpus whose documents are to be listed; empty for the corpora alone.",
    )
    words: str = Field(
        default="",
        max_length=200,
        description="Words that all stand in the title, the id or another name of a document.",
    )
    offset: int = Field(default=0, ge=0, description="Leave out so many documents of the list.")


class SlimCorpus(Slim):
    """A corpus."""

    name: str = Field(description="what the other tools call it")
    documents: int
    passages: int
    languages: dict[str, int] = Field(description="passages by language code")
    references: dict[str, int] = Field(description="references by what they say: cites, amends, defines ...")
    entities: int
    embedding: str = Field(description="model by which meaning is compared; none without")
    private: bool = Field(description="whether only the caller sees it")
    examples: list[str] = Field(description="questions to start with")
    problem: str = Field(description="why it cannot be asked, empty where it can")


class SlimListed(Slim):
    """A document in a list."""

    id: str
    title: str
    type: str | None
    number: str | None
    year: int | None
    language: str
    status: str | None
    passages: int


class OfCorpora(Slim):
    """What ``corpora`` gives."""

    corpora: list[SlimCorpus]
    documents: list[SlimListed] = Field(description="of the corpus that was named")
    total: int = Field(description="how many documents there are of those that were asked for")
    next_offset: int | None = Field(description="what to give as offset to go on; null at the end")


def _corpora(asking: ServerCaller, asked: Listing) -> dict[str, Any]:
    shelf = asking.library.shelf(asking.person.key)
    told: dict[str, Any] = {"documents": [], "total": 0, "next_offset": None}
    if asked.corpus:
        named = asking.library.find(asked.corpus, asking.person.key)
        shelf = [shelved for shelved in shelf if shelved.name == named.name]
        told = _documents(asking.library.open(named), asked)
    return {"corpora": [_told(shelved) for shelved in shelf], **told}


def _told(shelved: Shelved) -> dict[str, Any]:
    info = shelved.info
    examples = () if info is None else info.metadata.get("examples", ())
    return {
        "name": shelved.name,
        "documents": 0 if info is None else info.documents,
        "passages": 0 if info is None else info.passages,
        "languages": {} if info is None else dict(info.languages),
        "references": {} if info is None else dict(info.references_by_relation),
        "entities": 0 if info is None else info.entities,
        "embedding": "none" if info is None else info.embedding,
        "private": shelved.private,
        "examples": [str(one["text"]) for one in examples if one.get("text")],
        "problem": shelved.problem,
    }


def _documents(corpus: Corpus, asked: Listing) -> dict[str, Any]:
    words = asked.words.casefold().split()
    every = []
    for document in corpus.documents():
        names = " ".join((document.id, document.title, document.number or "", *document.aliases)).casefold()
        if all(word in names for word in words):
            every.append(document)
    shown = every[asked.offset : asked.offset + MOST_DOCUMENTS]
    lengths = corpus.by_document([document.id for document in shown])
    reached = asked.offset + len(shown)
    own = [name for name in SlimListed.model_fields if name != "passages"]
    return {
        "documents": [
            {**{name: getattr(document, name) for name in own}, "passages": len(rows)}
            for document, rows in zip(shown, lengths, strict=True)
        ],
        "total": len(every),
        "next_offset": reached if reached < len(every) else None,
    }


TOOL = tool_verb(
    "corpora",
    "List the corpora",
    "List the corpora that can be asked: how many documents and passages each has, in which languages, and "
    "what its references say; or the documents of one of them.",
    Listing,
    _corpora,
    OfCorpora,
)
