"""Verbs on corpora: list them, show and check what one holds, report on it, compare its law in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import Field

from engine.errors import CorpusError, InputError
from engine.model import Relation
from engine.records.summaries import Slim
from engine.verbs.answers import write_text
from engine.verbs.comparisons import read_questions
from engine.verbs.verb import (
    Caller,
    CorpusName,
    Day,
    OfCorpus,
    Request,
    Response,
    Tool,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, CorpusInfo
    from engine.investigation.record import Investigation
    from engine.review.quality import Quality


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
    from engine.isolation.confining import in_words, layers_here
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
    from engine.corpus import folder_of
    from engine.corpus.verifying import verify
    from engine.records.text import verified_text

    found = verify(folder_of(request.corpus))
    wrong = found.problems
    problem = f"not as it was published ({len(wrong)} problems): {wrong[0]}" if wrong else ""
    return Response(asdict(found), verified_text(found), problem=CorpusError(problem) if problem else None)


# Report on a corpus or a case.

# Questions of a report unless another number is given.
MOST_QUESTIONS = 100
# A report by the suffix of its file: text, or values of JSON.
Forms = Mapping[str, Callable[[], Any]]


class ReportOptions(Request):
    """Options of ``report``."""

    corpus: str = corpus_option()
    case: Path | None = option(None, "audit this case, as investigate --save wrote it", "FILE")
    queries: Path | None = option(None, "questions: a line each, or JSON lines with a text", "FILE")
    preset: str | None = option(None, "settings of the cases; default balanced", "P")
    limit: int | None = option(None, "questions at most; default 100", "N")
    as_of: Day = option(None, "the law of this day", "DAY")
    experts: bool = option(False, "and what verdicts on queues of your cases say of its rankings")
    markdown: Path | None = option(None, "write the report", "FILE")
    html: Path | None = option(None, "write it as a page", "FILE")


@verb("report", ReportOptions)
def report(caller: Caller, request: ReportOptions) -> Response:
    """Audit a corpus or a saved case: what is found, what is not, and what to do about it."""
    corpus = caller.corpus(request.corpus)
    forms = _corpus_report(caller, request, corpus) if request.case is None else _saved(request, corpus)
    for path, form in ((request.markdown, ".md"), (request.html, ".html")):
        if path is not None:
            write_text(path, forms[form]())
    if request.markdown is not None or request.html is not None:
        return Response(forms[".json"]())
    return Response(forms[".json"](), forms[".md"]().splitlines())


def _corpus_report(caller: Caller, request: ReportOptions, corpus: Corpus) -> Forms:
    from engine.answers.retrieval_audit import (
        retrieval_audit,
        retrieval_audit_html,
        retrieval_audit_markdown,
        retrieval_audit_to_json,
    )
    from engine.settings import preset

    limit = MOST_QUESTIONS if request.limit is None else request.limit
    if limit < 1:
        raise InputError(f"--limit: must be above 0 (given: {limit})")
    if request.queries is not None:
        questions = read_questions(request.queries)[:limit]
    else:
        examples = corpus.info().metadata.get("examples", ())
        questions = [str(row["text"]) for row in examples if row.get("text")][:limit]
    settings, day = preset(request.preset or "balanced"), request.as_of or date.today()
    experts = _experts(caller, corpus) if request.experts else None
    found = retrieval_audit(corpus, questions, settings, day, experts=experts)
    return {
        ".md": partial(retrieval_audit_markdown, found),
        ".html": partial(retrieval_audit_html, found),
        ".json": partial(retrieval_audit_to_json, found),
    }


def _experts(caller: Caller, corpus: Corpus) -> list[Quality]:
    from engine.records.store.chain import fingerprint_of
    from engine.review.quality import measure_quality

    return measure_quality(caller.reviews(), caller.owner, corpus.name, fingerprint_of(corpus))


def _saved(request: ReportOptions, corpus: Corpus) -> Forms:
    from engine.records.conversion import load_investigation

    assert request.case is not None
    for name in ("queries", "preset", "limit", "as_of", "experts"):
        if getattr(request, name) not in (None, False):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag}: a saved case has its own; leave it out, or leave out --case")
    return _case_report(load_investigation(request.case, corpus), corpus)


def _case_report(investigation: Investigation, corpus: Corpus) -> Forms:
    from engine.answers.answer import answer
    from engine.answers.case_audit import case_audit, case_audit_html, case_audit_markdown, case_audit_to_json

    found = case_audit(investigation, corpus, answer(investigation, corpus))
    return {
        ".md": partial(case_audit_markdown, found),
        ".html": partial(case_audit_html, found),
        ".json": partial(case_audit_to_json, found),
    }


def case_reporter(path: Path | None) -> Callable[[Investigation, Corpus], None]:
    """Return a function that writes the audit of a case to a file; it does nothing without a file.

    Raises InputError for an unknown suffix, before the case has cost anything.
    """
    if path is None:
        return lambda investigation, corpus: None
    if path.suffix.lower() not in (".md", ".html", ".json"):
        raise InputError(f"--report {path}: a report is written as .md, .html or .json")

    def write(investigation: Investigation, corpus: Corpus) -> None:
        made = _case_report(investigation, corpus)[path.suffix.lower()]()
        if not isinstance(made, str):
            made = orjson.dumps(made, default=dict, option=orjson.OPT_INDENT_2).decode() + "\n"
        write_text(path, made)

    return write


# Verbs on law in time: what changed between two days, and which references are to outdated law.

# Changes, and references, that an answer contains unless another number is given.
MOST = 100


class ListChanges(Request):
    """Arguments of ``changes``."""

    corpus: OfCorpus = ""
    from_day: Day = option(None, "the first day (2022-01-01)", "DAY", flag="--from")
    to_day: Day = option(None, "the last day; default today", "DAY", flag="--to")
    document: str = option("", "only this document, by its id or name", "NAME", max_length=300)
    question: str = option("", "only provisions with the words of this question", "TEXT", max_length=4000)
    limit: int = option(MOST, f"changes at most; default {MOST}", "N", ge=1, le=10_000)


class ListChangesOptions(ListChanges):
    """Options of ``changes``."""

    corpus: str = corpus_option()


class SlimChange(Slim):
    """A provision whose wording differs, or a document that is new or removed (provision is empty)."""

    kind: str = Field(description="changed, new, removed, renumbered, or amended (read both)")
    document: str
    title: str
    provision: str
    was: str = Field(description="its label before, if it was renumbered")
    days: list[str] = Field(description="the days on which it changed")
    derived: bool = Field(description="no source prints the new wording: it follows from the amendment")
    parts: list[dict[str, Any]] = Field(description="paragraphs: old_label, new_label, old, new")
    by: list[dict[str, Any]] = Field(
        description="amending passages, if known: passage (its id), citation, words, relation, since"
    )


class ChangesAnswer(Slim):
    """Answer of ``changes``."""

    corpus: str
    # "from" is no name in Python.
    first: str = Field(description="the first day")
    last: str = Field(description="the last day")
    total: int = Field(description="how many changes there are")
    others: int = Field(description="changes that the question is not about")
    undated: int = Field(description="documents that state no day: nothing is known of their changes")
    changes: list[SlimChange]


def _slim(values: Any) -> dict[str, Any]:
    changes = [SlimChange.model_validate(one).model_dump(mode="json") for one in values["changes"]]
    counts = {name: values[name] for name in ("corpus", "total", "others", "undated")}
    return {**counts, "first": values["from"], "last": values["to"], "changes": changes}


@verb(
    "changes",
    ListChanges,
    options=ListChangesOptions,
    tool=Tool(
        "changes",
        "What changed",
        "List what changed in a corpus between two days: each provision that is new, removed, changed or "
        "renumbered, with its old and new wording, the day, and the amending provision.",
        ChangesAnswer,
        slim=_slim,
    ),
)
def list_changes(caller: Caller, request: ListChanges) -> Response:
    """List what changed between two days, with both wordings and the amending text."""
    from engine.answers.changes import find_changes
    from engine.answers.export import changes_lines, changes_to_json

    if request.from_day is None:
        raise InputError("say from which day on: --from 2022-01-01")
    corpus = caller.corpus(request.corpus)
    last = request.to_day or date.today()
    found = find_changes(corpus, request.from_day, last, document=request.document, question=request.question)
    return Response(changes_to_json(found, request.limit), changes_lines(found, request.limit))


class ListOutdatedReferences(Request):
    """Arguments of ``outdated-references``."""

    corpus: str = corpus_option()
    day: Day = option(None, "the law of this day; default today", "DAY")
    limit: int = option(MOST, f"references at most; default {MOST}", "N", ge=1, le=10_000)


@verb("outdated-references", ListOutdatedReferences)
def list_outdated_references(caller: Caller, request: ListOutdatedReferences) -> Response:
    """List references to outdated law, with the successor if it is known."""
    from engine.answers.export import outdated_lines, outdated_to_json
    from engine.answers.outdated_references import find_outdated_references

    found = find_outdated_references(caller.corpus(request.corpus), request.day or date.today())
    return Response(outdated_to_json(found, request.limit), outdated_lines(found, request.limit))
