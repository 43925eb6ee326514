"""The retrieval audit of a corpus: how well its contents are found, with advice on failures.

Questions are investigated one after the other. The audit reports the index, questions that find nothing or
little, references that lead nowhere, documents that no question reached, the share of the answers' sentences
that the claim check supports, and the experts' verdicts on the rankings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from engine.answers.answer import answer
from engine.answers.audit import Auditor
from engine.answers.case_audit import (
    check_sentences,
    index_table,
    index_to_json,
    line,
    page_html,
    percent,
    report_section,
)
from engine.answers.export import outdated_line, outdated_to_json
from engine.answers.outdated_references import OutdatedReferences, find_outdated_references
from engine.corpus.protocol import Corpus, CorpusInfo
from engine.errors import InputError
from engine.investigation import run_case
from engine.model import EvidenceStatus, Status
from engine.records.phrases import plural
from engine.review.quality import Quality, quality_lines, quality_to_json
from engine.settings import InvestigationSettings

MOST_QUESTIONS = 500


@dataclass(frozen=True, slots=True)
class AuditedQuestion:
    """A question with its evidence ``status``, the number of ranked passages, its words without support
    (``missing``), and how many of the answer's ``sentences`` the claim check found ``supported``."""

    text: str
    status: EvidenceStatus
    passages: int
    missing: tuple[str, ...]
    sentences: int
    supported: int


@dataclass(frozen=True, slots=True)
class RetrievalAudit:
    """The audit of a corpus. ``dead`` are texts of unresolved references with their counts, ``outdated`` the
    references to outdated law; ``unreached`` are titles of documents that no question reached. ``experts`` is
    the quality of the rankings by verdicts on queues, None if there was no lookup; ``experts_unread`` is why
    it could not be read."""

    corpus: str
    day: date
    info: CorpusInfo
    questions: tuple[AuditedQuestion, ...]
    dead: tuple[tuple[str, int], ...]
    unreached: tuple[str, ...]
    outdated: OutdatedReferences
    experts: tuple[Quality, ...] | None = None
    experts_unread: str = ""

    @property
    def without_evidence(self) -> tuple[AuditedQuestion, ...]:
        """The questions that found nothing."""
        return tuple(one for one in self.questions if one.passages == 0 or one.status is EvidenceStatus.NONE)

    @property
    def weak(self) -> tuple[AuditedQuestion, ...]:
        """The questions of which the corpus supports only a part."""
        return tuple(one for one in self.questions if one.passages and one.status is EvidenceStatus.PARTIAL)

    @property
    def support(self) -> float | None:
        """The share of the answers' sentences that the claim check supports, 0..1; None if there are none."""
        total = sum(one.sentences for one in self.questions)
        return sum(one.supported for one in self.questions) / total if total else None


def retrieval_audit(
    corpus: Corpus,
    questions: Sequence[str],
    settings: InvestigationSettings,
    day: date,
    tell: Callable[[int, int], None] = lambda done, total: None,
    experts: Sequence[Quality] | None = None,
    experts_unread: str = "",
) -> RetrievalAudit:
    """Audit a corpus with some questions.

    ``tell`` receives the number of finished questions and the total. ``experts`` is the quality of the
    corpus's rankings by verdicts, None without a lookup; ``experts_unread`` is why it could not be read.
    Raises InputError for too many questions, and the errors of ``tell``."""
    if len(questions) > MOST_QUESTIONS:
        raise InputError(f"{len(questions):,} questions: an audit takes {MOST_QUESTIONS} at most")
    auditor = Auditor(corpus, day=day)
    reached: set[str] = set()
    audited = []
    for number, text in enumerate(questions):
        tell(number, len(questions))
        audited.append(_audit_question(corpus, text, settings, auditor, reached))
    numbers = corpus.reference_numbers(statuses=[Status.UNRESOLVED]).tolist()
    dead = Counter(" ".join(one.text.split()) for one in corpus.references(numbers))
    return RetrievalAudit(
        corpus.name,
        day,
        corpus.info(),
        tuple(audited),
        tuple((text, count) for text, count in dead.most_common() if text),
        tuple(one.title or one.id for one in corpus.documents() if one.id not in reached) if audited else (),
        find_outdated_references(corpus, day),
        None if experts is None else tuple(experts),
        experts_unread,
    )


def _audit_question(
    corpus: Corpus, text: str, settings: InvestigationSettings, auditor: Auditor, reached: set[str]
) -> AuditedQuestion:
    found = run_case(corpus, text, settings, day=auditor.day).investigation()
    reached.update(one.passage.document_id for one in found.passages)
    given_answer = answer(found, corpus)
    checked = check_sentences(given_answer, auditor)
    supported = sum(one.is_supported for one in checked)
    evidence = found.evidence
    return AuditedQuestion(
        text, evidence.status, len(found.passages), evidence.missing, len(checked), supported
    )


def retrieval_audit_to_json(found: RetrievalAudit) -> dict[str, object]:
    """Return an audit as plain values."""
    return {
        "corpus": found.corpus,
        "day": found.day.isoformat(),
        "index": index_to_json(found.info),
        "questions": [
            {
                "text": one.text,
                "evidence": one.status.value,
                "passages": one.passages,
                "missing": list(one.missing),
                "sentences": one.sentences,
                "said": one.supported,
            }
            for one in found.questions
        ],
        "zero_hits": [one.text for one in found.without_evidence],
        "weak": [one.text for one in found.weak],
        "support": found.support,
        "dead_references": [{"text": text, "count": count} for text, count in found.dead],
        "outdated_references": outdated_to_json(found.outdated)["references"],
        "documents_not_reached": list(found.unreached),
        "experts": None if found.experts is None else [quality_to_json(one) for one in found.experts],
        "experts_unread": found.experts_unread or None,
    }


def retrieval_audit_markdown(found: RetrievalAudit) -> str:
    """Return an audit as a report, with advice on each point."""
    return "\n".join(_report(found)) + "\n"


def retrieval_audit_html(found: RetrievalAudit) -> str:
    """Return an audit as a self-contained page; untrusted text is escaped."""
    return page_html(retrieval_audit_markdown(found), "Retrieval audit")


def _report(found: RetrievalAudit) -> Iterator[str]:
    yield "# Retrieval audit"
    yield ""
    yield f"{line(found.corpus)}, as of {found.day.isoformat()}."
    yield ""
    yield "## The index"
    yield ""
    yield from index_table(found.info)
    yield from _questions(found)
    if found.experts is not None or found.experts_unread:
        yield from _experts(found.experts or (), found.experts_unread)
    yield from report_section(
        "References that lead nowhere",
        [f"{line(text)} ({'once' if count == 1 else f'{count:,} times'})" for text, count in found.dead],
        "Add the documents that they name, give documents the names that they use (aliases), or decide what "
        "is meant under Corpus, To resolve.",
    )
    yield from report_section(
        "References to outdated law",
        [line(outdated_line(one)) for one in found.outdated.references],
        "Read what took its place, and correct the texts that refer to it.",
    )
    if found.questions:
        yield from report_section(
            "Documents that no question reached",
            [line(title) for title in found.unreached],
            "Ask questions that they answer; if such a question does not reach them, check how they were "
            "read (Corpus, Documents).",
        )


def _questions(found: RetrievalAudit) -> Iterator[str]:
    yield ""
    yield "## The questions"
    yield ""
    if not found.questions:
        yield "No question was asked: give some."
        return
    share = percent(found.support)
    counted = f"{len(found.without_evidence)} find nothing, {len(found.weak)} a part"
    yield f"{plural(len(found.questions), 'question')}: {counted}."
    yield f"Support score, the share of the answers' sentences that the claim check supports: {share}."
    yield from report_section(
        "Questions that find nothing",
        [line(one.text) for one in found.without_evidence],
        "No passage answers them: add texts on their subject, or ask in the words of the texts.",
    )
    yield from report_section(
        "Questions with weak evidence",
        [
            f"{line(one.text)}: without support: {line(', '.join(one.missing)) or 'a part'}"
            for one in found.weak
        ],
        "Look up these words; add them to the ontology's keywords if the texts use other words.",
    )


def _experts(found: Sequence[Quality], unread: str) -> Iterator[str]:
    yield ""
    yield "## Verdicts of experts"
    yield ""
    if unread:
        yield f"They cannot be read now: {line(unread)}."
        return
    if not found:
        yield "No one has judged rankings of this corpus yet. A queue of its cases, under Review, shows how"
        yield "many of the ranked passages are relevant, and how many relevant passages are not ranked."
        return
    yield "Estimates from verdicts on passages that were drawn from cases, with their 95% intervals."
    for one in found:
        yield ""
        yield f"### {line(one.title)}"
        yield ""
        yield from (f"- {words}" for words in quality_lines(one))
        if one.criteria is not None:
            yield f"- What counts as relevant: {line(one.criteria.text)}"
