"""The retrieval audit of a case: its searches, its gaps, and the support of its answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from markdown_it import MarkdownIt

from engine.answers.audit import Auditor, Finding
from engine.answers.record import Answer
from engine.corpus.protocol import Corpus, CorpusInfo, Rows
from engine.investigation.record import Investigation
from engine.language.characters import escape, marked
from engine.language.characters import markdown as escaped
from engine.model import (
    AreaCoverage,
    AreaState,
    EvidenceStatus,
    GapQuery,
    RetrieverCount,
    Status,
    StopReason,
    counted,
)
from engine.records.phrases import (
    GAP_STRATEGY,
    completeness_words,
    gap_query,
    plural,
    short_citation,
    status_words,
    stop_words,
)
from engine.retrieval.retrievers.registry import title_of

# Maximum entries listed of each kind.
MOST_LISTED = 25
_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}table{border-collapse:collapse}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:start;vertical-align:top;border-bottom:1px solid #8884}"
)


def line(text: str) -> str:
    """Return untrusted text as one line of Markdown, with its own markup escaped."""
    return escaped(marked(" ".join(text.split())))


def report_section(title: str, lines: Sequence[str], advice: str) -> Iterator[str]:
    """Yield a heading, advice and a list; "None." if the list is empty."""
    yield ""
    yield f"## {title}"
    yield ""
    if not lines:
        yield "None."
        return
    yield advice
    yield ""
    yield from (f"- {line}" for line in lines[:MOST_LISTED])
    if len(lines) > MOST_LISTED:
        yield f"- and {len(lines) - MOST_LISTED:,} more"


def index_table(info: CorpusInfo) -> Iterator[str]:
    """Yield the contents of a corpus's index as a table."""
    yield "| what | how many |"
    yield "| --- | --- |"
    yield f"| documents | {info.documents:,} |"
    yield f"| passages | {info.passages:,} |"
    yield f"| languages | {', '.join(f'{name} {count:,}' for name, count in info.languages.items())} |"
    yield f"| vectors | {line(info.embedding)} |"
    yield f"| entities | {info.entities:,} |"
    by_status = sorted(info.references_by_status.items())
    yield f"| references | {', '.join(f'{name} {count:,}' for name, count in by_status)} |"
    if info.embedding == "none":
        yield ""
        yield "No vectors: questions in other words than those of the texts find less. Ingest with vectors."


def index_to_json(info: CorpusInfo) -> dict[str, object]:
    """Return the contents of a corpus's index as plain values."""
    return {
        "documents": info.documents,
        "passages": info.passages,
        "languages": dict(info.languages),
        "embedding": info.embedding,
        "entities": info.entities,
        "references": dict(sorted(info.references_by_status.items())),
    }


def body_html(report: str) -> str:
    """Return a report as HTML; untrusted text is escaped."""
    body: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(report)
    return body


def page_html(report: str, title: str) -> str:
    """Return a report as a self-contained page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{body_html(report)}</body></html>"
    )


def percent(share: float | None) -> str:
    """Return a share in percent, "no answer has a sentence" for None."""
    return "no answer has a sentence" if share is None else f"{100 * share:.0f} %"


# Support of an answer: each sentence checked as a claim against the sources that it cites.


@dataclass(frozen=True, slots=True)
class SentenceChecked:
    """A sentence of an answer, and the result of its check with its own citations."""

    text: str
    finding: Finding
    reason: str

    @property
    def is_supported(self) -> bool:
        """True if the sources state it, in force or not."""
        return self.finding in (Finding.SUPPORTED, Finding.OUTDATED)


def check_sentences(answer: Answer, auditor: Auditor) -> tuple[SentenceChecked, ...]:
    """Check each sentence of an answer with its own citations."""
    names = {one.number: one.short for one in answer.citations}
    found = []
    for sentence in answer.sentences:
        cited = "; ".join(names[number] for number in sentence.citations)
        claim = f"{sentence.text.rstrip('.')} ({cited})." if cited else sentence.text
        checked = auditor.claim(claim, sentence.language)
        found.append(SentenceChecked(sentence.text, checked.finding, checked.reason))
    return tuple(found)


def supported_share(checked: Sequence[SentenceChecked]) -> float | None:
    """Return the share of supported sentences, 0..1; None if there are none."""
    return sum(one.is_supported for one in checked) / len(checked) if checked else None


# Passages that a query by words alone may find.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class QuerySent:
    """A query of the case: its purpose and words, how many passages have any of them (at most ``DEPTH``), and
    for a gap query how many passages it added to the pool."""

    purpose: str
    text: str
    hits: int
    brought: int | None = None


@dataclass(frozen=True, slots=True)
class CaseAudit:
    """The audit of a case. ``dead`` are unresolved references in the ranked passages, each with the passage
    that makes it; ``outside`` cites the passages that the ranked ones refer to and the pool lacks;
    ``unreached`` are titles of documents of which nothing was found."""

    question: str
    day: date
    investigation: Investigation
    info: CorpusInfo
    queries: tuple[QuerySent, ...]
    retrievers: tuple[RetrieverCount, ...]
    areas: tuple[AreaCoverage, ...]
    dead: tuple[tuple[str, str], ...]
    outside: tuple[str, ...]
    unreached: tuple[str, ...]
    sentences: tuple[SentenceChecked, ...]

    @property
    def zero_hits(self) -> tuple[QuerySent, ...]:
        """The queries without a hit, or that added nothing new."""
        return tuple(one for one in self.queries if one.hits == 0 or one.brought == 0)

    @property
    def support(self) -> float | None:
        """The share of the answer's sentences that the claim check supports, 0..1; None if it has none."""
        return supported_share(self.sentences)


def case_audit(investigation: Investigation, corpus: Corpus, answer: Answer) -> CaseAudit:
    """Audit a finished case and its answer."""
    day = investigation.day or date.today()
    pool = investigation.pool
    rows = corpus.rows([entry.passage_id for entry in pool.entries()])
    rows = rows[rows >= 0]
    reached = set(corpus.document_numbers(rows).tolist()) if len(rows) else set()
    beyond = corpus.rows(list(investigation.metrics.outside))
    beyond = beyond[beyond >= 0]
    scanned = investigation.rounds[0].retrievers if investigation.rounds else ()
    lacking = [area for area in counted(investigation.areas) if area.state is not AreaState.COVERED]
    return CaseAudit(
        investigation.question,
        day,
        investigation,
        corpus.info(),
        tuple(_queries(investigation, corpus)),
        scanned,
        tuple(lacking),
        _dead(investigation, corpus),
        tuple(_citations(corpus, beyond)),
        tuple(one.title or one.id for at, one in enumerate(corpus.documents()) if at not in reached),
        check_sentences(answer, Auditor(corpus, day=day)),
    )


def _queries(investigation: Investigation, corpus: Corpus) -> Iterator[QuerySent]:
    """Yield the views of the plan and the gap queries, with the hits of each."""
    plan = investigation.plan
    sent: list[tuple[str, str, GapQuery | None]] = [
        (view.name, view.text, None) for view in plan.views if view.enabled
    ]
    for report in investigation.rounds:
        sent += [(one.name or one.area or "what is missing", one.text, one) for one in report.queries]
    found = corpus.search_lexical([text for _, text, _ in sent], plan.language, DEPTH) if sent else []
    hops = investigation.pool.hops_of([GAP_STRATEGY])
    brought = Counter(query for hop in hops if (query := gap_query(hop)) is not None)
    for (purpose, text, gap), hits in zip(sent, found, strict=True):
        yield QuerySent(purpose, text, len(hits.rows), None if gap is None else brought[gap])


def _citations(corpus: Corpus, rows: Rows) -> Iterator[str]:
    """Yield the short citations of passages."""
    documents = corpus.documents()
    for passage, number in zip(corpus.passages(rows), corpus.document_numbers(rows).tolist(), strict=True):
        yield short_citation(passage, documents[number])


def _dead(investigation: Investigation, corpus: Corpus) -> tuple[tuple[str, str], ...]:
    """Return unresolved references of the ranked passages, each with the citation of its passage."""
    shown = dict.fromkeys(
        one for found in investigation.passages for one in (found.passage.id, *found.assembled_ids)
    )
    rows = corpus.rows(list(shown))
    rows = rows[rows >= 0]
    made = corpus.references_from(rows)
    citations = list(_citations(corpus, rows))
    dead = []
    references = corpus.references(made.numbers.tolist())
    for origin, one in zip(made.origins.tolist(), references, strict=True):
        if one.status is Status.UNRESOLVED and one.text.strip():
            dead.append((" ".join(one.text.split()), citations[origin]))
    return tuple(dict.fromkeys(dead))


def case_audit_to_json(found: CaseAudit) -> dict[str, object]:
    """Return an audit as plain values."""
    investigation = found.investigation
    return {
        "question": found.question,
        "corpus": investigation.corpus,
        "day": found.day.isoformat(),
        "index": index_to_json(found.info),
        "evidence": investigation.evidence.status.value,
        "missing": list(investigation.evidence.missing),
        "stop": investigation.stop.reason.value,
        "pool": len(investigation.pool),
        "ranked": len(investigation.passages),
        "queries": [
            {"for": one.purpose, "text": one.text, "hits": one.hits, "brought": one.brought}
            for one in found.queries
        ],
        "zero_hits": [one.text for one in found.zero_hits],
        "retrievers": [
            {"name": one.retriever, "found": one.found, "alone": one.alone, "off": one.off}
            for one in found.retrievers
        ],
        "weak_areas": [{"name": area.name, "state": area.state.value} for area in found.areas],
        "dead_references": [{"text": text, "in": passage} for text, passage in found.dead],
        "references_out_of_the_pool": len(found.outside),
        "out_of_the_pool": list(found.outside),
        "documents_not_reached": list(found.unreached),
        "support": found.support,
        "sentences": [
            {"text": one.text, "finding": one.finding.value, "reason": one.reason} for one in found.sentences
        ],
        "notes": list(investigation.notes),
    }


def case_audit_html(found: CaseAudit) -> str:
    """Return an audit as a self-contained page; untrusted text is escaped."""
    return page_html(case_audit_markdown(found), "Retrieval audit of a case")


def case_audit_markdown(found: CaseAudit) -> str:
    """Return an audit as a report, with advice on each point."""
    return "\n".join(_report(found)) + "\n"


def _report(found: CaseAudit) -> Iterator[str]:
    investigation = found.investigation
    yield "# Retrieval audit of a case"
    yield ""
    yield f"“{line(found.question)}”, asked of {line(investigation.corpus)}, law of {found.day.isoformat()}."
    yield ""
    yield from _summary_lines(found)
    sections = _sections(found)
    for title, (lines, advice) in sections.items():
        if lines:
            yield from report_section(title, lines, advice)
    empty = [title for title, (lines, _) in sections.items() if not lines]
    if empty:
        yield ""
        yield f"Nothing to report under: {'; '.join(title[:1].lower() + title[1:] for title in empty)}."
    yield ""
    yield "## The index"
    yield ""
    yield from index_table(found.info)


def _sections(found: CaseAudit) -> Mapping[str, tuple[list[str], str]]:
    """Return the sections of the report by title, each with its lines and advice."""
    return {
        "Parts without support": (_missing(found), _ADVICE["missing"]),
        "Queries without a hit": ([_query(one) for one in found.zero_hits], _ADVICE["queries"]),
        "Areas with weak or no evidence": (
            [f"{line(area.name)}: {area.state.value}{_query_note(area)}" for area in found.areas],
            _ADVICE["areas"],
        ),
        "References that lead nowhere": (
            [f"{line(text)}, in {line(by)}" for text, by in found.dead],
            _ADVICE["dead"],
        ),
        "Sentences of the answer that the check does not support": (
            [f"{line(one.text)} ({one.finding.value}: {line(one.reason)})" for one in _unsupported(found)],
            _ADVICE["support"],
        ),
        "Documents of which nothing was found": (list(map(line, found.unreached)), _ADVICE["unreached"]),
        "What was off, cut or left out": (list(map(line, found.investigation.notes)), _ADVICE["off"]),
    }


_ADVICE = {
    "missing": "Add texts on the subject, or ask in the words of the texts.",
    "queries": "No passage has these words, or none that was not found before. Use the words of the texts, "
    "give the area keywords that they use (Corpus, Areas), or add the texts that are missing.",
    "areas": "Ask for the area alone, search deeper (more rounds, a wider preset), or check whether there "
    "are such texts. An area that is not needed comes from the type of transaction: change that.",
    "dead": "Add the documents that they name, give documents the names that they use (aliases), or decide "
    "what is meant under Corpus, To resolve. This case lacks what they would have led to.",
    "support": "Read these against their sources before relying on them.",
    "unreached": "If one of these should answer the question, ask with its words or name it (“doc:”), and "
    "check how it was read (Corpus, Documents).",
    "off": "Switch it on, or keep in mind what it may have missed.",
}


def _summary_lines(found: CaseAudit) -> Iterator[str]:
    investigation = found.investigation
    evidence = status_words(investigation.evidence) or "The corpus supports an answer"
    pool, ranked = plural(len(investigation.pool), "passage"), len(investigation.passages)
    yield f"- Evidence: {line(evidence)}."
    yield f"- Pool: {pool}, {ranked:,} of them ranked. {stop_words(investigation.stop)}."
    estimate = completeness_words(investigation.stop)
    if estimate and investigation.stop.reason is not StopReason.PERSON:
        yield f"- {estimate[:1].upper()}{estimate[1:]}."
    share = percent(found.support)
    yield f"- Support score, the share of the answer's sentences that the check supports: {share}."
    total = found.info.documents
    yield f"- Documents reached: {total - len(found.unreached):,} of {total:,}."
    if found.outside:
        left_out, named = plural(len(found.outside), "passage"), "; ".join(found.outside)
        yield f"- Not in the pool, {left_out} that the ranked ones refer to: {line(named)}."
    for one in found.retrievers:
        how = f"off, {line(one.off)}" if one.off else f"found {one.found:,}, {one.alone:,} of them alone"
        yield f"- {title_of(one.retriever)}: {how}."


def _missing(found: CaseAudit) -> list[str]:
    evidence = found.investigation.evidence
    parts = [line(word) for word in evidence.missing]
    parts += [
        f"{line(part.text)}: {part.status.value}"
        for part in evidence.parts
        if part.status is not EvidenceStatus.FOUND
    ]
    return parts


def _query(one: QuerySent) -> str:
    result = "no passage has its words" if one.hits == 0 else "nothing that was not found before"
    return f"{line(one.purpose)}: “{line(one.text)}”, {result}"


def _query_note(area: AreaCoverage) -> str:
    return f", asked for as “{line(area.query)}”" if area.query else ""


def _unsupported(found: CaseAudit) -> list[SentenceChecked]:
    return [one for one in found.sentences if not one.is_supported]
