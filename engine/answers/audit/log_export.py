"""A verification log as plain values, as Markdown (alone, or as the appendix of a memo) and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.answers.audit.log import WORDS, Entry, Held, Log, LoggedCitation
from engine.answers.audit.style import STYLE
from engine.corpus.confirmations import Confirmation, Review
from engine.corpus.grades import words_of
from engine.language.characters import escape
from engine.language.characters import markdown as escaped
from engine.records.wording import plural

APPENDIX = "Appendix: verification log"


def log_to_json(log: Log) -> dict[str, Any]:
    """A log as plain values."""
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
        "held_against": _held_to_json(one.held),
        "citations": [
            {"text": cited.text, "held_against": _held_to_json(cited.held), "wrong": cited.told}
            for cited in one.citations
        ],
        "review": _review_to_json(one.review),
        "reviewed_before": _review_to_json(one.before),
        "changed_since": one.changed,
        "said": said_of(one),
    }


def _held_to_json(held: Held | None) -> dict[str, Any] | None:
    if held is None:
        return None
    return {
        "passage": held.passage_id,
        "sha256": held.sha256,
        "quote": held.quote,
        "citation": held.citation,
        "grade": held.grade,
    }


def _review_to_json(said: Confirmation | None) -> dict[str, Any] | None:
    if said is None:
        return None
    return {
        "review": said.review.value,
        "finding": said.finding,
        "instead": said.instead,
        "reviewer": said.reviewer,
        "when": said.when,
        "note": said.note,
        "passage": said.passage_id,
        "sha256": said.sha256,
    }


def said_of(one: Entry) -> str:
    """What people said of an entry, in a sentence without its stop; empty where nobody said anything."""
    if one.review is not None:
        return _told(one.review)
    if one.before is not None:
        told = _told(one.before)
        return f"Before: {told[:1].lower()}{told[1:]}; that no longer holds: {one.changed}"
    return ""


def _told(said: Confirmation) -> str:
    who = said.reviewer or "a reviewer"
    note = f" ({said.note})" if said.note else ""
    when = said.when[:16].replace("T", " ")
    if said.review is Review.CONFIRMED:
        return f"Confirmed by {who}, {when}{note}"
    instead = WORDS.get(said.instead, said.instead).lower()
    return f"Overruled by {who}, {when}: {instead}{note}"


def log_markdown(log: Log, title: str = "Verification log", level: int = 1) -> str:
    """A log as Markdown; ``level`` is that of its heading, so that it can stand at the end of a memo."""
    return "\n".join(_lines(log, title, level)) + "\n"


def appendix(log: Log) -> str:
    """A log as the appendix of the memo that was checked."""
    return log_markdown(log, APPENDIX, 2)


def summary_of(log: Log) -> str:
    """How many entries there are, and how many of them a person has looked at."""
    overruled = sum(one.review is not None and one.review.review is Review.OVERRULED for one in log.entries)
    looked = f"{len(log.reviewed)} looked at by a person"
    looked += f", {overruled} of them overruled" if overruled else ""
    outside = sum(one.is_citation for one in log.entries)
    counted = plural(len(log.entries) - outside, "claim")
    counted += f" and {plural(outside, 'citation')} outside of them" if outside else ""
    lowest = f" Lowest grade asked for: {log.minimum.value}." if log.minimum else ""
    return f"{counted}, {looked}.{lowest}"


def _lines(log: Log, title: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    yield ""
    yield f"Against {escaped(log.corpus)}, as of {log.day}. {summary_of(log)}"
    for one in log.entries:
        yield ""
        yield f"{'#' * (level + 1)} {one.number}. {WORDS[one.finding]}"
        yield ""
        yield escaped(one.words)
        yield ""
        if one.reason:
            yield f"- Verdict: {escaped(one.reason)}"
        yield f"- Held against: {_held_line(one.held)}"
        yield from (_citation_line(cited) for cited in one.citations)
        yield f"- Person: {escaped(said_of(one)) or 'nobody yet'}"


def _held_line(held: Held | None) -> str:
    if held is None:
        return "nothing in the corpus"
    return (
        f"{escaped(held.citation)}, {words_of(held.grade)}, passage {escaped(held.passage_id)}, "
        f"SHA-256 {held.sha256}: “{escaped(held.quote)}”"
    )


def _citation_line(cited: LoggedCitation) -> str:
    wrong = f"; {escaped(cited.told)}" if cited.told else ""
    if cited.held is None:
        return f"- Citation “{escaped(cited.text)}”: leads to nothing in the corpus{wrong}"
    return (
        f"- Citation “{escaped(cited.text)}”: passage {escaped(cited.held.passage_id)}, "
        f"SHA-256 {cited.held.sha256}{wrong}: “{escaped(cited.held.quote)}”"
    )


def log_html(log: Log) -> str:
    """A log as a part of a page: a heading and an article for each entry."""
    body = "".join(map(_article, log.entries))
    head = f"Against {log.corpus}, as of {log.day}. {summary_of(log)}"
    return f'<section class="log"><h2>Verification log</h2><p>{escape(head)}</p>{body}</section>'


def log_page(log: Log) -> str:
    """A log as a page that stands alone."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Verification log</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>{log_html(log)}</body></html>"
    )


def _article(one: Entry) -> str:
    rows = [("Verdict", one.reason)] if one.reason else []
    rows.append(("Held against", _held_words(one.held)))
    for cited in one.citations:
        wrong = f"; {cited.told}" if cited.told else ""
        leads = "nothing in the corpus"
        if cited.held is not None:
            leads = f"“{cited.held.quote}” ({cited.held.passage_id}, SHA-256 {cited.held.sha256})"
        rows.append((f"Citation “{cited.text}”", f"{leads}{wrong}"))
    rows.append(("Person", said_of(one) or "nobody yet"))
    told = "".join(
        f'<dt dir="auto">{escape(name)}</dt><dd dir="auto">{escape(words)}</dd>' for name, words in rows
    )
    return (
        f'<article class="{one.finding}"><p class="finding">{one.number}. {escape(WORDS[one.finding])}</p>'
        f'<p dir="auto">{escape(one.words)}</p><dl>{told}</dl></article>'
    )


def _held_words(held: Held | None) -> str:
    if held is None:
        return "nothing in the corpus"
    return (
        f"{held.citation}, {words_of(held.grade)}: “{held.quote}” "
        f"(passage {held.passage_id}, SHA-256 {held.sha256})"
    )
