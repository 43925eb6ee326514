"""An audit as one HTML page that stands alone: escaped, printable, without scripts or anything fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answers.audit.export import STYLE, log_html, pieces
from engine.answers.audit.log import Log, axes, summary, tally, verdict_words
from engine.answers.audit.record import TOLD, Audit, Checked, Finding, Source, citation_of, key_of, remarks
from engine.corpus.grades import words_of
from engine.language.characters import escape


def html_page(audit: Audit, log: Log | None = None) -> str:
    """The page, with the verification log at its end where there is one."""
    return "".join(_page(audit, log))


def _page(audit: Audit, log: Log | None) -> Iterator[str]:
    yield '<!doctype html><html><head><meta charset="utf-8"><title>Citation audit</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>Citation audit</h1>"
    counted = tally(audit, log)
    told = f"Against {audit.corpus}, as of {audit.day.isoformat()}. {summary(counted)}."
    yield f"<p>{escape(told)}</p><ul>"
    yield from (f"<li>{escape(axis)}</li>" for axis in axes(counted))
    if audit.changed_by_model:
        numbers = ", ".join(str(one.claim.number) for one in audit.changed_by_model)
        yield f"<li>Changed by the second reading of {escape(audit.model)}: claims {numbers}</li>"
    yield from (f"<li>Citation: {escape(one.told)}</li>" for one in audit.dead)
    yield from (f"<li>{escape(note)}</li>" for note in audit.notes)
    yield f'</ul><h2>The text</h2><div class="text" dir="auto">{text_html(counted.stand, audit.text)}</div>'
    yield "<h2>The claims</h2>"
    words = verdict_words(counted)
    for one, stands in zip(counted.found, counted.stand, strict=True):
        yield _claim(one, stands.finding, words[one.claim.number])
    yield "" if log is None else log_html(log)
    yield "</body></html>"


def text_html(checked: Sequence[Checked], text: str) -> str:
    """A text with each of its claims marked by its finding and number."""
    parts, place = [], 0
    for one in checked:
        span = one.claim.span
        parts.append(escape(text[place : span.start]))
        said, told = escape(text[span.start : span.end]), TOLD[one.finding]
        parts.append(
            f'<span class="claim {key_of(one.finding)}" title="{told.word}">{said}'
            f"<sup>{told.sign} {one.claim.number}</sup></span>"
        )
        place = span.end
    return "".join([*parts, escape(text[place:])])


def _claim(one: Checked, stands: Finding, verdict: str) -> str:
    shown = one.sources[:1] if one.finding is not Finding.NOT_IN_CORPUS else ()
    quotes = "".join(_quote(source) for source in shown)
    further = "".join(
        f"<p><small>{name}: {escape(citation_of(other))}</small></p>"
        for name, other in (("Now in force", one.successor), ("The right provision", one.right))
        if other is not None
    )
    said = "".join(f"<p><small>{escape(remark)}</small></p>" for remark in remarks(one))
    return (
        f'<article class="{key_of(stands)}">'
        f'<p class="finding">{one.claim.number}. {verdict}</p>'
        f'<p dir="auto">{escape(one.claim.text)}</p><p><em dir="auto">{escape(one.reason)}</em></p>'
        f"{quotes}{further}{said}</article>"
    )


def _quote(source: Source) -> str:
    return (
        f'<blockquote dir="auto">{quote_html(source)}<br><small>{escape(citation_of(source))} '
        f"[{escape(source.passage.id)}], {words_of(source.grade)}</small></blockquote>"
    )


def quote_html(source: Source) -> str:
    """A quote with what was compared marked."""
    return "".join(
        f'<mark class="{kind}">{escape(text)}</mark>' if kind else escape(text)
        for text, kind in pieces(source)
    )
