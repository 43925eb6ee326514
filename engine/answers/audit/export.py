"""An audit as plain JSON values, as Markdown, and as the audited text with footnotes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from engine.answers.audit.log import Log
from engine.answers.audit.log_export import appendix, log_markdown, log_to_json
from engine.answers.audit.record import Audit, Checked, Citation, Finding, Source
from engine.answers.audit.tally import Tally, axes, summary, tally, tally_to_json, verdict_words
from engine.answers.audit.wording import citation_of, difference, key_of, remarks
from engine.corpus.confirmations import digest_of
from engine.corpus.grades import words_of
from engine.language.characters import markdown as escaped
from engine.language.characters import marked

FORMAT = 1


def audit_to_json(audit: Audit, log: Log | None = None) -> dict[str, Any]:
    """Everything about an audit, with its verification log where it has one. Spans count characters of
    ``text``, those of sources of their passage."""
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
    """One claim with its finding."""
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
    """A reference of the audited text; ``told`` says what is wrong with it, empty where nothing is."""
    return {
        "span": [cited.span.start, cited.span.end],
        "text": cited.text,
        "status": cited.status,
        "told": cited.told,
    }


def source_to_json(source: Source) -> dict[str, Any]:
    """A quote with where it stands. ``marks`` are spans inside the quote: quantities that were compared;
    ``sha256`` is that of the whole passage's words."""
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
        "says": source.says,
        "differences": difference(source),
        "grade": source.grade,
        "sha256": digest_of(source.passage.text),
    }


def marks(source: Source) -> list[tuple[int, int, str]]:
    """What of a quote was compared with the claim by name: "same" or "different", as spans of the quote."""
    if source.alignment is None:
        return []
    start, end = source.span.start, source.span.end
    found = [(token.span, "same") for token in source.alignment.numbers]
    found += [(one.source.span, "different") for one in source.alignment.changed if one.source is not None]
    inside = [(span, kind) for span, kind in found if start <= span.start < span.end <= end]
    return sorted((span.start - start, span.end - start, kind) for span, kind in inside)


def pieces(source: Source) -> list[tuple[str, str]]:
    """A quote in pieces, each with how it was compared: "same", "different", or "" where it was not."""
    found, place = [], 0
    for start, end, kind in marks(source):
        if start < place:
            continue
        found += [(source.quote[place:start], ""), (source.quote[start:end], kind)]
        place = end
    return [piece for piece in (*found, (source.quote[place:], "")) if piece[0]]


def annotated(audit: Audit, log: Log | None = None) -> str:
    """The audited text, a number behind each claim, what was found as footnotes below, and the verification
    log as its appendix."""
    parts, place = [], 0
    for one in audit.checked:
        parts.append(audit.text[place : one.claim.span.end] + f"[^{one.claim.number}]")
        place = one.claim.span.end
    parts.append(audit.text[place:])
    told = verdict_words(tally(audit, log))
    notes = [f"[^{one.claim.number}]: {_footnote(one, told[one.claim.number])}" for one in audit.checked]
    footed = "".join(parts).rstrip() + "\n\n" + "\n".join(notes) + "\n"
    return footed if log is None else f"{footed}\n{appendix(log)}"


def _footnote(one: Checked, verdict: str) -> str:
    said = f"{verdict}: {_line(one.reason)}"
    if one.sources and one.finding is not Finding.NOT_IN_CORPUS:
        best = one.sources[0]
        said += f". {_line(citation_of(best))}: “{_line(best.quote)}”"
    return said


def _line(text: str) -> str:
    return marked(" ".join(text.split()))


def markdown(audit: Audit, log: Log | None = None) -> str:
    """A report: sums, each claim with its finding and quotes, notes; at its end the verification log."""
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
    yield from (f"- Citation: {escaped(one.told)}" for one in audit.dead)
    yield from (f"- Note: {escaped(note)}" for note in audit.notes)
    told = verdict_words(counted)
    for one in audit.checked:
        yield ""
        yield f"## {one.claim.number}. {told[one.claim.number]}"
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
