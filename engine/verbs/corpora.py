"""Verbs on corpora: list them, show what one holds, check its files."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import Field

from engine.errors import CorpusError
from engine.model import Relation
from engine.records.summaries import Slim
from engine.verbs.requests import CorpusName, Request, corpus_option, option
from engine.verbs.verb import Caller, Response, Tool, verb

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, CorpusInfo

MOST_DOCUMENTS = 50


class ListCorpora(Request):
    """Arguments of ``corpora``."""

    corpus: CorpusName = Field(
        default="",
        description="Name of a corpus whose documents are to be listed; empty for the corpora alone.",
    )
    words: str = Field(
        default="",
        max_length=200,
        description="Words that all occur in the title, the id or another name of a document.",
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


class CorpusList(Slim):
    """Answer of ``corpora``."""

    corpora: list[SlimCorpus]
    documents: list[SlimListed] = Field(description="of the corpus that was named")
    total: int = Field(description="how many documents there are of those that were asked for")
    next_offset: int | None = Field(description="what to give as offset to go on; null at the end")


@verb(
    "",
    ListCorpora,
    tool=Tool(
        "corpora",
        "List the corpora",
        "List the corpora that can be asked: how many documents and passages each has, in which languages, "
        "and what its references say; or the documents of one of them.",
        CorpusList,
    ),
)
def list_corpora(caller: Caller, request: ListCorpora) -> Response:
    """List the corpora, or the documents of one of them."""
    listed: dict[str, Any] = {"documents": [], "total": 0, "next_offset": None}
    entries = caller.corpora()
    if request.corpus:
        entries = [caller.find(request.corpus)]
        listed = _documents(caller.corpus(request.corpus), request)
    corpora = [_corpus_values(one.name, one.info, one.private, one.problem) for one in entries]
    return Response({"corpora": corpora, **listed})


def _corpus_values(name: str, info: CorpusInfo | None, private: bool, problem: str) -> dict[str, Any]:
    examples = () if info is None else info.metadata.get("examples", ())
    return {
        "name": name,
        "documents": 0 if info is None else info.documents,
        "passages": 0 if info is None else info.passages,
        "languages": {} if info is None else dict(info.languages),
        "references": {} if info is None else dict(info.references_by_relation),
        "entities": 0 if info is None else info.entities,
        "embedding": "none" if info is None else info.embedding,
        "private": private,
        "examples": [str(one["text"]) for one in examples if one.get("text")],
        "problem": problem,
    }


def _documents(corpus: Corpus, request: ListCorpora) -> dict[str, Any]:
    words = request.words.casefold().split()
    every = []
    for document in corpus.documents():
        names = " ".join((document.id, document.title, document.number or "", *document.aliases)).casefold()
        if all(word in names for word in words):
            every.append(document)
    shown = every[request.offset : request.offset + MOST_DOCUMENTS]
    lengths = corpus.by_document([document.id for document in shown])
    reached = request.offset + len(shown)
    own = [name for name in SlimListed.model_fields if name != "passages"]
    return {
        "documents": [
            {**{name: getattr(document, name) for name in own}, "passages": len(rows)}
            for document, rows in zip(shown, lengths, strict=True)
        ],
        "total": len(every),
        "next_offset": reached if reached < len(every) else None,
    }


class ShowCorpus(Request):
    """Options of ``info``."""

    corpus: str = corpus_option("", " (without: how the page's ingestions are isolated on this machine)")
    entity: str = option("", "an entity of the corpus and its relations", "NAME")


@verb("info", ShowCorpus)
def show_corpus(caller: Caller, request: ShowCorpus) -> Response:
    """Show what a corpus holds, or what this machine offers."""
    from engine.isolation.layers import in_words, layers_here
    from engine.records.text import entities_named, entity_lines, info_text

    if not request.corpus:
        layers = layers_here()
        isolation = {str(layer): words for layer, words in layers.items()}
        return Response({"isolation": isolation}, [f"worker: {in_words(layers)}"])
    corpus = caller.corpus(request.corpus)
    if request.entity:
        return Response(
            {"entities": entities_named(corpus, request.entity)}, entity_lines(corpus, request.entity)
        )
    found = corpus.info()
    values = {
        "name": found.name,
        "documents": found.documents,
        "passages": found.passages,
        "references": {
            "by_relation": dict(found.references_by_relation),
            "by_status": dict(found.references_by_status),
        },
        "entities": found.entities,
        "languages": dict(found.languages),
        "embedding": found.embedding,
        "sparse": found.sparse,
    }
    return Response(values, info_text(found))


class ListReferences(Request):
    """Options of ``references``."""

    corpus: str = corpus_option()
    relation: Relation | None = option(None, "only this relation", "R")


@verb("references", ListReferences)
def list_references(caller: Caller, request: ListReferences) -> Response:
    """List the references of a corpus as TSV."""
    from engine.records.text import reference_rows

    rows = list(reference_rows(caller.corpus(request.corpus), request.relation))
    return Response({"references": rows}, ("\t".join(map(str, row)) for row in rows))


class VerifyCorpus(Request):
    """Options of ``verify``."""

    corpus: str = option(..., "folder of the corpus", "DIR")


@verb("verify", VerifyCorpus)
def verify_corpus(caller: Caller, request: VerifyCorpus) -> Response:
    """Check whether a corpus is as it was published."""
    from engine.corpus.address import folder_of
    from engine.corpus.verifying import verify
    from engine.records.text import verified_text

    found = verify(folder_of(request.corpus))
    wrong = found.problems
    problem = f"not as it was published ({len(wrong)} problems): {wrong[0]}" if wrong else ""
    return Response(asdict(found), verified_text(found), problem=CorpusError(problem) if problem else None)
