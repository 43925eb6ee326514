"""Export an audit and its log as JSON, Markdown, HTML, and as the audited text with footnotes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from engine.answers.audit.log import (
    WORDS,
    ComparedPassage,
    Entry,
    Log,
    LoggedCitation,
    Tally,
    axes,
    summary,
    tally,
    tally_to_json,
    verdict_words,
)
from engine.answers.audit.record import (
    Audit,
    Checked,
    Citation,
    Finding,
    Source,
    citation_of,
    difference,
    key_of,
    remarks,
)
from engine.corpus.grades import words_of
from engine.corpus.judgements import Confirmation, Review, digest_of
from engine.language.characters import escape, marked
from engine.language.characters import markdown as escaped
from engine.records.phrases import plural

# Style of the HTML exports: light and dark, printable, without requests.

STYLE = """
:root { color-scheme: light dark; --line: #d7d3ca; --good: #1e7a46; --part: #8a6100; --bad: #b3261e;
  --old: #6a4fa3; --pin: #1b5fa8; --none: #6b675f; }
@media (prefers-color-scheme: dark) { :root { --line: #45423c; --good: #6fcf97; --part: #e2b04a;
  --bad: #ff8a80; --old: #b9a3f0; --pin: #82b4ee; --none: #a8a39a; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.text { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 8px; padding: 1rem; }
.claim { text-decoration: underline 2px; text-underline-offset: 3px; }
article { border-top: 1px solid var(--line); padding: 0.8rem 0; break-inside: avoid; }
blockquote { margin: 0.5rem 0; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--line); }
.finding { font-weight: 600; } mark { background: none; color: inherit; font-weight: 700; }
mark.different { text-decoration: underline wavy var(--bad); } small { color: var(--none); }
.supported { --is: var(--good); } .contradicted { --is: var(--bad); }
.related, .below_grade { --is: var(--part); }
.outdated, .amended { --is: var(--old); }
.wrong_pinpoint { --is: var(--pin); } .no_such_provision { --is: var(--bad); }
.citation_not_understood { --is: var(--part); } .not_in_corpus { --is: var(--none); }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .2rem .8rem; margin: 0; }
dl { font-size: .85rem; }
dt { color: var(--none); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.finding, sup { color: var(--is); } .claim { text-decoration-color: var(--is); }
"""


APPENDIX = "Appendix: verification log"


def log_to_json(log: Log) -> dict[str, Any]:
    """Return a log as plain values."""
    return {
        "corpus": log.corpus,
        "day": log.day,
        "minimum_grade": log.minimum,
        "reviewed": len(log.reviewed),
        "entries": [_entry_to_json(one) for one in log.entries],
    }


def _entry_to_json(one: Entry) -> dict[str, Any]:
    return {
        "number": one.number,
        "words": one.words,
        "finding": one.finding,
        "reason": one.reason,
        "held_against": _held_to_json(one.compared),
        "citations": [
            {"text": cited.text, "held_against": _held_to_json(cited.compared), "wrong": cited.problem}
            for cited in one.citations
        ],
        "review": _review_to_json(one.review),
        "reviewed_before": _review_to_json(one.before),
        "changed_since": one.changed,
        "said": review_words(one),
    }


def _held_to_json(compared: ComparedPassage | None) -> dict[str, Any] | None:
    if compared is None:
        return None
    return {
        "passage": compared.passage_id,
        "sha256": compared.sha256,
        "quote": compared.quote,
        "citation": compared.citation,
        "grade": compared.grade,
    }


def _review_to_json(review: Confirmation | None) -> dict[str, Any] | None:
    if review is None:
        return None
    return {
        "review": review.review.value,
        "finding": review.finding,
        "instead": review.instead,
        "reviewer": review.reviewer,
        "when": review.when,
        "note": review.note,
        "passage": review.passage_id,
        "sha256": review.sha256,
    }


def review_words(one: Entry) -> str:
    """Return the review of an entry as a sentence without its stop; empty if there is none."""
    if one.review is not None:
        return _reviewer_words(one.review)
    if one.before is not None:
        words = _reviewer_words(one.before)
        return f"Before: {words[:1].lower()}{words[1:]}; no longer valid: {one.changed}"
    return ""


def _reviewer_words(review: Confirmation) -> str:
    who = review.reviewer or "a reviewer"
    note = f" ({review.note})" if review.note else ""
    when = review.when[:16].replace("T", " ")
    if review.review is Review.CONFIRMED:
        return f"Confirmed by {who}, {when}{note}"
    instead = WORDS.get(review.instead, review.instead).lower()
    return f"Overruled by {who}, {when}: {instead}{note}"


def log_markdown(log: Log, title: str = "Verification log", level: int = 1) -> str:
    """Return a log as Markdown; ``level`` is its heading's level, so that it can end a memo."""
    return "\n".join(_lines(log, title, level)) + "\n"


def appendix(log: Log) -> str:
    """Return a log as the appendix of the memo that was checked."""
    return log_markdown(log, APPENDIX, 2)


def log_summary(log: Log) -> str:
    """Return the number of entries, and how many of them people reviewed."""
    overruled = sum(one.review is not None and one.review.review is Review.OVERRULED for one in log.entries)
    looked = f"{len(log.reviewed)} reviewed by a person"
    looked += f", {overruled} of them overruled" if overruled else ""
    outside = sum(one.is_citation for one in log.entries)
    counted = plural(len(log.entries) - outside, "claim")
    counted += f" and {plural(outside, 'citation')} outside the claims" if outside else ""
    lowest = f" Lowest grade asked for: {log.minimum.value}." if log.minimum else ""
    return f"{counted}, {looked}.{lowest}"


def _lines(log: Log, title: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    yield ""
    yield f"Against {escaped(log.corpus)}, as of {log.day}. {log_summary(log)}"
    for one in log.entries:
        yield ""
        yield f"{'#' * (level + 1)} {one.number}. {log.heading(one)}"
        yield ""
        yield escaped(one.words)
        yield ""
        if one.reason:
            yield f"- Verdict: {escaped(one.reason)}"
        yield f"- Compared with: {_held_line(one.compared)}"
        yield from (_citation_line(cited) for cited in one.citations)
        yield f"- Person: {escaped(review_words(one)) or 'not reviewed yet'}"


def _held_line(compared: ComparedPassage | None) -> str:
    if compared is None:
        return "nothing in the corpus"
    return (
        f"{escaped(compared.citation)}, {words_of(compared.grade)}, passage {escaped(compared.passage_id)}, "
        f"SHA-256 {compared.sha256}: “{escaped(compared.quote)}”"
    )


def _citation_line(cited: LoggedCitation) -> str:
    wrong = f"; {escaped(cited.problem)}" if cited.problem else ""
    if cited.compared is None:
        return f"- Citation “{escaped(cited.text)}”: leads to nothing in the corpus{wrong}"
    return (
        f"- Citation “{escaped(cited.text)}”: passage {escaped(cited.compared.passage_id)}, "
        f"SHA-256 {cited.compared.sha256}{wrong}: “{escaped(cited.compared.quote)}”"
    )


def log_html(log: Log) -> str:
    """Return a log as a part of a page: a heading and an article for each entry."""
    body = "".join(_article(one, log.heading(one)) for one in log.entries)
    head = f"Against {log.corpus}, as of {log.day}. {log_summary(log)}"
    return f'<section class="log"><h2>Verification log</h2><p>{escape(head)}</p>{body}</section>'


def log_page(log: Log) -> str:
    """Return a log as a self-contained page."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Verification log</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>{log_html(log)}</body></html>"
    )


def _article(one: Entry, heading: str) -> str:
    rows = [("Verdict", one.reason)] if one.reason else []
    rows.append(("Compared with", _held_words(one.compared)))
    for cited in one.citations:
        wrong = f"; {cited.problem}" if cited.problem else ""
        leads = "nothing in the corpus"
        if cited.compared is not None:
            leads = f"“{cited.compared.quote}” ({cited.compared.passage_id}, SHA-256 {cited.compared.sha256})"
        rows.append((f"Citation “{cited.text}”", f"{leads}{wrong}"))
    rows.append(("Person", review_words(one) or "not reviewed yet"))
    definitions = "".join(
        f'<dt dir="auto">{escape(name)}</dt><dd dir="auto">{escape(words)}</dd>' for name, words in rows
    )
    return (
        f'<article class="{one.finding}"><p class="finding">{one.number}. {escape(heading)}</p>'
        f'<p dir="auto">{escape(one.words)}</p><dl>{definitions}</dl></article>'
    )


def _held_words(compared: ComparedPassage | None) -> str:
    if compared is None:
        return "nothing in the corpus"
    return (
        f"{compared.citation}, {words_of(compared.grade)}: “{compared.quote}” "
        f"(passage {compared.passage_id}, SHA-256 {compared.sha256})"
    )


FORMAT = 1


def audit_to_json(audit: Audit, log: Log | None = None) -> dict[str, Any]:
    """Return an audit as plain values, with its verification log if it has one. Spans count characters of
    ``text``, those of sources characters of their passage."""
    return {
        "format": FORMAT,
        "corpus": audit.corpus,
        "day": audit.day.isoformat(),
        "text": audit.text,
        "claims": [checked_to_json(one) for one in audit.checked],
        **tally_to_json(tally(audit, log)),
        "citations_outside_claims": [citation_to_json(one) for one in audit.citations],
        "minimum_grade": audit.minimum,
        "grades_version": audit.grades,
        "below_minimum_grade": [one.claim.number for one in audit.below],
        "wrong_citations": [citation_to_json(one) for one in audit.dead],
        "changed_by_model": [one.claim.number for one in audit.changed_by_model],
        "model": audit.model or None,
        "spent": asdict(audit.spent) if audit.model else None,
        "notes": list(audit.notes),
        "milliseconds": round(audit.milliseconds, 1),
        "verification_log": None if log is None else log_to_json(log),
    }


def checked_to_json(one: Checked) -> dict[str, Any]:
    """Return one claim with its finding."""
    claim, reading = one.claim, one.reading
    return {
        "number": claim.number,
        "span": [claim.span.start, claim.span.end],
        "text": claim.text,
        "language": claim.language,
        "finding": key_of(one.finding),
        "reason": one.reason,
        "correct": one.correct,
        "grounded": one.grounded and one.graded,
        "differences": list(one.differences),
        "independent_sources": one.independent,
        "grade": one.grade,
        "below_minimum_grade": not one.graded,
        "citations": [citation_to_json(cited) for cited in one.citations],
        "sources": [source_to_json(source) for source in one.sources],
        "right": None if one.right is None else source_to_json(one.right),
        "successor": None if one.successor is None else source_to_json(one.successor),
        "reading": None
        if reading is None
        else {
            "finding": key_of(reading.finding),
            "quote": reading.quote,
            "passage": reading.passage_id,
            "explanation": reading.explanation,
            "decided": reading.decided,
            "refused": reading.refused,
        },
        "remarks": remarks(one),
    }


def citation_to_json(cited: Citation) -> dict[str, Any]:
    """Return a reference of the audited text; ``told`` is its problem, empty if there is none."""
    return {
        "span": [cited.span.start, cited.span.end],
        "text": cited.text,
        "status": cited.status,
        "told": cited.problem,
    }


def source_to_json(source: Source) -> dict[str, Any]:
    """Return a quote with its position. ``marks`` are spans within the quote: compared quantities; ``sha256``
    is that of the whole passage's text."""
    return {
        "passage": source.passage.id,
        "document": source.document.id,
        "citation": citation_of(source),
        "quote": source.quote,
        "span": [source.span.start, source.span.end],
        "marks": [list(mark) for mark in marks(source)],
        "language": source.passage.language,
        "in_force": source.in_force,
        "cited": source.cited,
        "near": round(source.near, 4),
        "says": source.supports,
        "differences": difference(source),
        "grade": source.grade,
        "sha256": digest_of(source.passage.text),
    }


def marks(source: Source) -> list[tuple[int, int, str]]:
    """Return the compared spans of a quote, each as "same" or "different"."""
    if source.alignment is None:
        return []
    start, end = source.span.start, source.span.end
    found = [(token.span, "same") for token in source.alignment.numbers]
    found += [(one.source.span, "different") for one in source.alignment.changed if one.source is not None]
    inside = [(span, kind) for span, kind in found if start <= span.start < span.end <= end]
    return sorted((span.start - start, span.end - start, kind) for span, kind in inside)


def pieces(source: Source) -> list[tuple[str, str]]:
    """Split a quote into pieces, each with how it was compared: "same", "different", or "" if it was not."""
    found, begin = [], 0
    for start, end, kind in marks(source):
        if start < begin:
            continue
        found += [(source.quote[begin:start], ""), (source.quote[start:end], kind)]
        begin = end
    return [piece for piece in (*found, (source.quote[begin:], "")) if piece[0]]


def annotated(audit: Audit, log: Log | None = None) -> str:
    """Return the audited text with a number after each claim, the findings as footnotes, and the verification
    log as appendix."""
    parts, begin = [], 0
    for one in audit.checked:
        parts.append(audit.text[begin : one.claim.span.end] + f"[^{one.claim.number}]")
        begin = one.claim.span.end
    parts.append(audit.text[begin:])
    verdicts = verdict_words(tally(audit, log))
    notes = [f"[^{one.claim.number}]: {_footnote(one, verdicts[one.claim.number])}" for one in audit.checked]
    footed = "".join(parts).rstrip() + "\n\n" + "\n".join(notes) + "\n"
    return footed if log is None else f"{footed}\n{appendix(log)}"


def _footnote(one: Checked, verdict: str) -> str:
    note = f"{verdict}: {_line(one.reason)}"
    if one.sources and one.finding is not Finding.NOT_IN_CORPUS:
        best = one.sources[0]
        note += f". {_line(citation_of(best))}: “{_line(best.quote)}”"
    return note


def _line(text: str) -> str:
    return marked(" ".join(text.split()))


def markdown(audit: Audit, log: Log | None = None) -> str:
    """Return a report: totals, each claim with its finding and quotes, notes, and the verification log."""
    report = "\n".join(_report(audit, tally(audit, log))) + "\n"
    return report if log is None else f"{report}\n{log_markdown(log, level=2)}"


def _report(audit: Audit, counted: Tally) -> Iterator[str]:
    yield "# Citation audit"
    yield ""
    yield f"Against {escaped(audit.corpus)}, as of {audit.day.isoformat()}. {summary(counted)}."
    yield ""
    yield from (f"- {axis}" for axis in axes(counted))
    if audit.changed_by_model:
        numbers = ", ".join(str(one.claim.number) for one in audit.changed_by_model)
        yield f"- Findings changed by the second reading of {escaped(audit.model)}: claims {numbers}"
    yield from (f"- Citation: {escaped(one.problem)}" for one in audit.dead)
    yield from (f"- Note: {escaped(note)}" for note in audit.notes)
    verdicts = verdict_words(counted)
    for one in audit.checked:
        yield ""
        yield f"## {one.claim.number}. {verdicts[one.claim.number]}"
        yield ""
        yield f"{escaped(one.claim.text)}"
        yield ""
        yield f"*{escaped(one.reason)}*"
        yield from (f"\n{escaped(remark)}" for remark in remarks(one))
        for source in one.sources[: 1 if one.finding is not Finding.NOT_IN_CORPUS else 0]:
            yield ""
            yield f"> {escaped(source.quote)}"
            yield ">"
            cited = f"{escaped(citation_of(source))} ({escaped(source.passage.id)})"
            yield f"> {cited}, {words_of(source.grade)}"
        for name, other in (("Now in force", one.successor), ("The right provision", one.right)):
            if other is not None:
                yield ""
                yield f"{name}: {escaped(citation_of(other))} ({escaped(other.passage.id)})"
