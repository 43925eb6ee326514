"""Render an audit as one self-contained HTML page: escaped, printable, without scripts or requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answers.audit.export import STYLE, log_html, pieces
from engine.answers.audit.log import Log, axes, summary, tally, verdict_words
from engine.answers.audit.record import (
    Audit,
    Checked,
    Finding,
    Source,
    citation_of,
    heading_of,
    remarks,
    style_of,
)
from engine.corpus.grades import words_of
from engine.language.characters import escape


def html_page(audit: Audit, log: Log | None = None) -> str:
    """Return the page, with the verification log at its end if there is one."""
    return "".join(_page(audit, log))


def _page(audit: Audit, log: Log | None) -> Iterator[str]:
    yield '<!doctype html><html><head><meta charset="utf-8"><title>Citation audit</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>Citation audit</h1>"
    counted = tally(audit, log)
    heading = f"Against {audit.corpus}, as of {audit.day.isoformat()}. {summary(counted)}."
    yield f"<p>{escape(heading)}</p><ul>"
    yield from (f"<li>{escape(axis)}</li>" for axis in axes(counted))
    if audit.changed_by_model:
        numbers = ", ".join(str(one.claim.number) for one in audit.changed_by_model)
        yield f"<li>Changed by the second reading of {escape(audit.model)}: claims {numbers}</li>"
    yield from (f"<li>Citation: {escape(one.problem)}</li>" for one in audit.dead)
    yield from (f"<li>{escape(note)}</li>" for note in audit.notes)
    yield f'</ul><h2>The text</h2><div class="text" dir="auto">{text_html(counted.current, audit.text)}</div>'
    yield "<h2>The claims</h2>"
    words = verdict_words(counted)
    for one, current in zip(counted.found, counted.current, strict=True):
        yield _claim(one, style_of(current), words[one.claim.number])
    yield "" if log is None else log_html(log)
    yield "</body></html>"


def text_html(checked: Sequence[Checked], text: str) -> str:
    """Return a text with each of its claims marked by finding and number."""
    parts, begin = [], 0
    for one in checked:
        span = one.claim.span
        parts.append(escape(text[begin : span.start]))
        claim_text, finding_words = escape(text[span.start : span.end]), heading_of(one)
        parts.append(
            f'<span class="claim {style_of(one)}" title="{finding_words.word}">{claim_text}'
            f"<sup>{finding_words.sign} {one.claim.number}</sup></span>"
        )
        begin = span.end
    return "".join([*parts, escape(text[begin:])])


def _claim(one: Checked, style: str, verdict: str) -> str:
    shown = one.sources[:1] if one.finding is not Finding.NOT_IN_CORPUS else ()
    quotes = "".join(_quote(source) for source in shown)
    further = "".join(
        f"<p><small>{name}: {escape(citation_of(other))}</small></p>"
        for name, other in (("Now in force", one.successor), ("The right provision", one.right))
        if other is not None
    )
    notes = "".join(f"<p><small>{escape(remark)}</small></p>" for remark in remarks(one))
    return (
        f'<article class="{style}">'
        f'<p class="finding">{one.claim.number}. {verdict}</p>'
        f'<p dir="auto">{escape(one.claim.text)}</p><p><em dir="auto">{escape(one.reason)}</em></p>'
        f"{quotes}{further}{notes}</article>"
    )


def _quote(source: Source) -> str:
    return (
        f'<blockquote dir="auto">{quote_html(source)}<br><small>{escape(citation_of(source))} '
        f"[{escape(source.passage.id)}], {words_of(source.grade)}</small></blockquote>"
    )


def quote_html(source: Source) -> str:
    """Return a quote with the compared parts marked."""
    return "".join(
        f'<mark class="{kind}">{escape(text)}</mark>' if kind else escape(text)
        for text, kind in pieces(source)
    )
