"""The retrieval audit of a corpus: how well what stands in it is found, and what to do where it is not.

Questions are investigated one after the other. Told are the index, questions that find nothing or little,
references that lead nowhere, documents that no question reached, and in how many of the answers' sentences
the check of claims finds that the sources say so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from markdown_it import MarkdownIt

from engine.answers.answer import answer
from engine.answers.audit import Auditor, Finding
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation import Case
from engine.language.hidden_marks import marked
from engine.language.markup import markdown as escaped
from engine.model import EvidenceStatus, Status
from engine.records.wording import plural
from engine.settings import InvestigationSettings

# What is listed of each kind at most.
MOST_LISTED = 25
MOST_QUESTIONS = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what was found: ``status`` of its evidence, how many passages were ranked, ``missing``
    words of it that nothing bears, ``said`` of ``sentences`` that the check finds said."""

    text: str
    status: EvidenceStatus
    passages: int
    missing: tuple[str, ...]
    sentences: int
    said: int


@dataclass(frozen=True, slots=True)
class RetrievalAudit:
    """What an audit of a corpus found. ``dead`` are words of references that lead nowhere, with how often
    they stand; ``unreached`` the titles of documents that no question reached."""

    corpus: str
    day: date
    documents: int
    passages: int
    languages: tuple[tuple[str, int], ...]
    embedding: str
    entities: int
    references: tuple[tuple[str, int], ...]
    asked: tuple[Asked, ...]
    dead: tuple[tuple[str, int], ...]
    unreached: tuple[str, ...]

    @property
    def nothing(self) -> tuple[Asked, ...]:
        """The questions that found nothing."""
        return tuple(one for one in self.asked if one.passages == 0 or one.status is EvidenceStatus.NONE)

    @property
    def weak(self) -> tuple[Asked, ...]:
        """The questions of which the corpus bears a part."""
        return tuple(one for one in self.asked if one.passages and one.status is EvidenceStatus.PARTIAL)

    @property
    def support(self) -> float | None:
        """The share of the answers' sentences that the check of claims finds said, 0..1; None without any."""
        whole = sum(one.sentences for one in self.asked)
        return sum(one.said for one in self.asked) / whole if whole else None


def retrieval_audit(
    corpus: Corpus, questions: Sequence[str], settings: InvestigationSettings, day: date
) -> RetrievalAudit:
    """Audit a corpus with some questions. Raises InputError for too many."""
    if len(questions) > MOST_QUESTIONS:
        raise InputError(f"{len(questions):,} questions: an audit takes {MOST_QUESTIONS} at most")
    info, auditor = corpus.info(), Auditor(corpus, day=day)
    reached: set[str] = set()
    asked = tuple(_asked(corpus, text, settings, auditor, reached) for text in questions)
    numbers = corpus.reference_numbers(statuses=[Status.UNRESOLVED]).tolist()
    dead = Counter(" ".join(one.text.split()) for one in corpus.references(numbers))
    return RetrievalAudit(
        corpus.name,
        day,
        info.documents,
        info.passages,
        tuple(info.languages.items()),
        info.embedding,
        info.entities,
        tuple(sorted(info.references_by_status.items())),
        asked,
        tuple((text, count) for text, count in dead.most_common() if text),
        tuple(one.title or one.id for one in corpus.documents() if one.id not in reached) if asked else (),
    )


def _asked(
    corpus: Corpus, text: str, settings: InvestigationSettings, auditor: Auditor, reached: set[str]
) -> Asked:
    case = Case(corpus, text, settings, day=auditor.day)
    for _ in case.run():
        pass
    found = case.investigation()
    reached.update(one.passage.document_id for one in found.passages)
    told = answer(found, corpus)
    named = {one.number: one.short for one in told.citations}
    said = 0
    for sentence in told.sentences:
        cited = "; ".join(named[number] for number in sentence.citations)
        checked = auditor.claim(f"{sentence.text.rstrip('.')} ({cited}).", sentence.language)
        said += checked.finding in (Finding.SUPPORTED, Finding.OUTDATED)
    evidence = found.evidence
    return Asked(text, evidence.status, len(found.passages), evidence.missing, len(told.sentences), said)


def retrieval_audit_to_json(found: RetrievalAudit) -> dict[str, object]:
    """An audit as plain values."""
    return {
        "corpus": found.corpus,
        "day": found.day.isoformat(),
        "index": {
            "documents": found.documents,
            "passages": found.passages,
            "languages": dict(found.languages),
            "embedding": found.embedding,
            "entities": found.entities,
            "references": dict(found.references),
        },
        "questions": [
            {
                "text": one.text,
                "evidence": one.status.value,
                "passages": one.passages,
                "missing": list(one.missing),
                "sentences": one.sentences,
                "said": one.said,
            }
            for one in found.asked
        ],
        "zero_hits": [one.text for one in found.nothing],
        "weak": [one.text for one in found.weak],
        "support": found.support,
        "dead_references": [{"text": text, "count": count} for text, count in found.dead],
        "documents_not_reached": list(found.unreached),
    }


def retrieval_audit_markdown(found: RetrievalAudit) -> str:
    """An audit as a report, with what to do about each point."""
    return "\n".join(_report(found)) + "\n"


def retrieval_audit_html(found: RetrievalAudit) -> str:
    """The same as a page that stands alone; what texts bring is escaped."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    body: str = reader.render(retrieval_audit_markdown(found))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Retrieval audit</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><style>'
        ":root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:52rem;"
        "margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;"
        "text-align:start;border-bottom:1px solid #8884}</style></head><body>" + body + "</body></html>"
    )


def _report(found: RetrievalAudit) -> Iterator[str]:
    yield "# Retrieval audit"
    yield ""
    yield f"{_line(found.corpus)}, as of {found.day.isoformat()}."
    yield ""
    yield "## The index"
    yield ""
    yield "| what | how many |"
    yield "| --- | --- |"
    yield f"| documents | {found.documents:,} |"
    yield f"| passages | {found.passages:,} |"
    yield f"| languages | {', '.join(f'{name} {count:,}' for name, count in found.languages)} |"
    yield f"| vectors | {_line(found.embedding)} |"
    yield f"| entities | {found.entities:,} |"
    yield f"| references | {', '.join(f'{name} {count:,}' for name, count in found.references)} |"
    if found.embedding == "none":
        yield ""
        yield "No vectors: questions in other words than the texts' find less. Ingest with vectors."
    yield from _questions(found)
    yield from _listed(
        "References that lead nowhere",
        [f"{_line(text)} ({count} times)" for text, count in found.dead],
        "Add the documents that they name, give documents the names that they use (aliases), or decide what "
        "is meant under Corpus, To resolve.",
    )
    if found.asked:
        yield from _listed(
            "Documents that no question reached",
            [_line(title) for title in found.unreached],
            "Ask what they answer; where such a question does not reach them, look at how they were read "
            "(Corpus, Read).",
        )


def _questions(found: RetrievalAudit) -> Iterator[str]:
    yield ""
    yield "## The questions"
    yield ""
    if not found.asked:
        yield "No question was asked: give some with `--queries`."
        return
    share = "no answer has a sentence" if found.support is None else f"{100 * found.support:.0f} %"
    counted = f"{len(found.nothing)} find nothing, {len(found.weak)} a part"
    yield f"{plural(len(found.asked), 'question')}: {counted}."
    yield f"Support score, the share of the answers' sentences that the check of claims finds said: {share}."
    yield from _listed(
        "Questions that find nothing",
        [_line(one.text) for one in found.nothing],
        "Nothing bears them: add the texts that they ask about, or ask in the words of the texts.",
    )
    yield from _listed(
        "Questions with weak evidence",
        [f"{_line(one.text)}: not borne: {_line(', '.join(one.missing)) or 'a part'}" for one in found.weak],
        "Look up what is not borne; name it in the ontology's keywords where the texts say it otherwise.",
    )


def _listed(title: str, lines: Sequence[str], advice: str) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    if not lines:
        yield "None."
        return
    yield f"{advice}"
    yield ""
    yield from (f"- {line}" for line in lines[:MOST_LISTED])
    if len(lines) > MOST_LISTED:
        yield f"- and {len(lines) - MOST_LISTED:,} more"


def _line(text: str) -> str:
    return escaped(marked(" ".join(text.split())))
