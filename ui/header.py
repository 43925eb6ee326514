"""The header: the brand, one line on the corpus, light or dark."""

from __future__ import annotations

import gradio as gr

from engine.language.characters import escape
from ui.shelf import Library

_BRAND = (
    '<div class="brand"><svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke-width="1.8" '
    'aria-hidden="true"><circle cx="4" cy="5" r="2.2"/><circle cx="18" cy="9" r="2.2"/>'
    '<circle cx="8" cy="18" r="2.2"/><path d="M6 5.6 16 8.5M16.6 10.8 9.6 16.6"/></svg>Redstring</div>'
)
_TOGGLE = (
    '<button type="button" id="theme-toggle" aria-label="Dark mode" aria-pressed="false" '
    'title="Light or dark"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">'
    '<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.4"/>'
    '<path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor"/></svg>'
    "</button>"
)


_MODEL = (
    '<button type="button" id="model-open" data-whose="nobody" aria-haspopup="dialog" '
    'title="Connect a language model"><i class="dot" aria-hidden="true"></i><span>No model</span></button>'
)
# Shown where somebody has logged in, by the script.
_ACCOUNT = (
    '<form id="account" method="post" action="logout" hidden><span dir="auto"></span>'
    '<button aria-label="Log out" title="Log out"><svg width="16" height="16" viewBox="0 0 16 16" '
    'fill="none" stroke="currentColor" stroke-width="1.4" aria-hidden="true">'
    '<path d="M6 2H3v12h3M7 8h7M11 5l3 3-3 3"/></svg>'
    "<i>Log out</i></button></form>"
)
_TABS = (
    '<nav class="views" role="tablist" aria-label="Views">'
    '<button type="button" role="tab" data-view="investigate" aria-selected="true" aria-controls="app">'
    "Investigate</button>"
    '<button type="button" role="tab" data-view="check" aria-selected="false" aria-controls="check">'
    "Check</button>"
    '<button type="button" role="tab" data-view="cases" aria-selected="false" aria-controls="cases">'
    "Cases</button>"
    '<button type="button" role="tab" data-view="review" aria-selected="false" aria-controls="review">'
    "Review</button>"
    '<button type="button" role="tab" data-view="corpus" aria-selected="false" aria-controls="library">'
    "Corpus</button>"
    '<button type="button" role="tab" data-view="evaluate" aria-selected="false" aria-controls="evaluation">'
    "Evaluate</button></nav>"
)


def header_html(library: Library, corpus: str | None = None, visitor: str = "") -> str:
    """The header for a corpus that a visitor may see."""
    facts = escape(library.facts(corpus, visitor))
    return (
        f'<div class="top">{_BRAND}{_TABS}<span class="facts">{facts}</span>{_MODEL}{_ACCOUNT}{_TOGGLE}</div>'
    )


def build_header(library: Library) -> gr.HTML:
    """Build the header at the top of the page."""
    return gr.HTML(
        header_html(library),
        elem_id="header",
        apply_default_css=False,
        js_on_load="redstring.header(element, watch)",
    )
