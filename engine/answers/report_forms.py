"""How retrieval audits are written: lines, lists with what to do about them, and a page that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt

from engine.corpus.protocol import CorpusInfo
from engine.language.characters import escape, marked
from engine.language.characters import markdown as escaped

# What is listed of each kind at most.
MOST_LISTED = 25
_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}table{border-collapse:collapse}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:start;vertical-align:top;border-bottom:1px solid #8884}"
)


def line(text: str) -> str:
    """A text of others as one line of Markdown, without markup of its own."""
    return escaped(marked(" ".join(text.split())))


def listed(title: str, lines: Sequence[str], advice: str) -> Iterator[str]:
    """A heading, what to do, and what it is about; "None." where there is nothing."""
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
    """What the index of a corpus holds, as a table."""
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
        yield "No vectors: questions in other words than the texts' find less. Ingest with vectors."


def index_to_json(info: CorpusInfo) -> dict[str, object]:
    """The same as plain values."""
    return {
        "documents": info.documents,
        "passages": info.passages,
        "languages": dict(info.languages),
        "embedding": info.embedding,
        "entities": info.entities,
        "references": dict(sorted(info.references_by_status.items())),
    }


def body_html(report: str) -> str:
    """A report as HTML; what texts bring is escaped."""
    body: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(report)
    return body


def page_html(report: str, title: str) -> str:
    """A report as a page that stands alone."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{body_html(report)}</body></html>"
    )


def percent(share: float | None) -> str:
    """A share as it is written, "no answer has a sentence" where there is none."""
    return "no answer has a sentence" if share is None else f"{100 * share:.0f} %"
