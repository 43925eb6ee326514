"""The retrieval audit of a corpus: how well what stands in it is found, and what to do where it is not.

Questions are investigated one after the other. Told are the index, questions that find nothing or little,
references that lead nowhere, documents that no question reached, in how many of the answers' sentences
the check of claims finds that the sources say so, and what experts' verdicts say of the rankings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from engine.answers.answer import answer
from engine.answers.audit import Auditor
from engine.answers.case_audit import (
    checked_sentences,
    index_table,
    index_to_json,
    line,
    listed,
    page_html,
    percent,
)
from engine.corpus.protocol import Corpus, CorpusInfo
from engine.errors import InputError
from engine.investigation import Case
from engine.model import EvidenceStatus, Status
from engine.records.phrases import plural
from engine.review.quality import Quality, quality_lines, quality_to_json
from engine.settings import InvestigationSettings

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
    they stand; ``unreached`` the titles of documents that no question reached. ``experts`` is what verdicts
    on queues say of the rankings, None where nobody looked; ``experts_unread`` why that could not be read."""

    corpus: str
    day: date
    info: CorpusInfo
    asked: tuple[Asked, ...]
    dead: tuple[tuple[str, int], ...]
    unreached: tuple[str, ...]
    experts: tuple[Quality, ...] | None = None
    experts_unread: str = ""

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
    corpus: Corpus,
    questions: Sequence[str],
    settings: InvestigationSettings,
    day: date,
    tell: Callable[[int, int], None] = lambda done, total: None,
    experts: Sequence[Quality] | None = None,
    experts_unread: str = "",
) -> RetrievalAudit:
    """Audit a corpus with some questions; ``tell`` hears how many of them are done. ``experts``: what
    verdicts say of its rankings, None where nobody looked; ``experts_unread``: why that could not be read.
    Raises InputError for too many, and what ``tell`` raises."""
    if len(questions) > MOST_QUESTIONS:
        raise InputError(f"{len(questions):,} questions: an audit takes {MOST_QUESTIONS} at most")
    auditor = Auditor(corpus, day=day)
    reached: set[str] = set()
    asked = []
    for number, text in enumerate(questions):
        tell(number, len(questions))
        asked.append(_asked(corpus, text, settings, auditor, reached))
    numbers = corpus.reference_numbers(statuses=[Status.UNRESOLVED]).tolist()
    dead = Counter(" ".join(one.text.split()) for one in corpus.references(numbers))
    return RetrievalAudit(
        corpus.name,
        day,
        corpus.info(),
        tuple(asked),
        tuple((text, count) for text, count in dead.most_common() if text),
        tuple(one.title or one.id for one in corpus.documents() if one.id not in reached) if asked else (),
        None if experts is None else tuple(experts),
        experts_unread,
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
    checked = checked_sentences(told, auditor)
    said = sum(one.said for one in checked)
    evidence = found.evidence
    return Asked(text, evidence.status, len(found.passages), evidence.missing, len(checked), said)


def retrieval_audit_to_json(found: RetrievalAudit) -> dict[str, object]:
    """An audit as plain values."""
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
                "said": one.said,
            }
            for one in found.asked
        ],
        "zero_hits": [one.text for one in found.nothing],
        "weak": [one.text for one in found.weak],
        "support": found.support,
        "dead_references": [{"text": text, "count": count} for text, count in found.dead],
        "documents_not_reached": list(found.unreached),
        "experts": None if found.experts is None else [quality_to_json(one) for one in found.experts],
        "experts_unread": found.experts_unread or None,
    }


def retrieval_audit_markdown(found: RetrievalAudit) -> str:
    """An audit as a report, with what to do about each point."""
    return "\n".join(_report(found)) + "\n"


def retrieval_audit_html(found: RetrievalAudit) -> str:
    """The same as a page that stands alone; what texts bring is escaped."""
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
    yield from listed(
        "References that lead nowhere",
        [f"{line(text)} ({'once' if count == 1 else f'{count:,} times'})" for text, count in found.dead],
        "Add the documents that they name, give documents the names that they use (aliases), or decide what "
        "is meant under Corpus, To resolve.",
    )
    if found.asked:
        yield from listed(
            "Documents that no question reached",
            [line(title) for title in found.unreached],
            "Ask what they answer; where such a question does not reach them, look at how they were read "
            "(Corpus, Documents).",
        )


def _questions(found: RetrievalAudit) -> Iterator[str]:
    yield ""
    yield "## The questions"
    yield ""
    if not found.asked:
        yield "No question was asked: give some."
        return
    share = percent(found.support)
    counted = f"{len(found.nothing)} find nothing, {len(found.weak)} a part"
    yield f"{plural(len(found.asked), 'question')}: {counted}."
    yield f"Support score, the share of the answers' sentences that the check of claims finds said: {share}."
    yield from listed(
        "Questions that find nothing",
        [line(one.text) for one in found.nothing],
        "Nothing bears them: add the texts that they ask about, or ask in the words of the texts.",
    )
    yield from listed(
        "Questions with weak evidence",
        [f"{line(one.text)}: not borne: {line(', '.join(one.missing)) or 'a part'}" for one in found.weak],
        "Look up what is not borne; name it in the ontology's keywords where the texts say it otherwise.",
    )


def _experts(found: Sequence[Quality], unread: str) -> Iterator[str]:
    yield ""
    yield "## What experts said"
    yield ""
    if unread:
        yield f"That is not known just now: {line(unread)}."
        return
    if not found:
        yield "Nobody has judged rankings of this corpus yet: a queue of its cases, under Review, tells how"
        yield "many of the passages that are ranked are relevant, and how many that are relevant are not."
        return
    yield "Estimates from verdicts on passages that were drawn from cases, with their 95% intervals."
    for one in found:
        yield ""
        yield f"### {line(one.title)}"
        yield ""
        yield from (f"- {words}" for words in quality_lines(one))
        if one.criteria is not None:
            yield f"- What counts as relevant: {line(one.criteria.text)}"
